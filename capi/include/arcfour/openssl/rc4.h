/* openssl/rc4.h: RC4 under OpenSSL's names, by libarcfour.
 *
 * For programs written for OpenSSL's header of this name, on machines without it. Where OpenSSL's
 * own header is installed, such a program may be compiled with that one just as well. */
#ifndef OPENSSL_RC4_H
#define OPENSSL_RC4_H
#define HEADER_RC4_H

#include <stddef.h>

#define RC4_INT unsigned int

#ifdef __cplusplus
extern "C" {
#endif

/* A stream: set by RC4_set_key, advanced by RC4, copied by assignment or memcpy, never freed.
 *
 * As large and aligned as OpenSSL's. The contents belong to this library: it does not accept a key
 * that libcrypto set, nor does libcrypto accept ours. Erase the key after use, with OPENSSL_cleanse
 * or explicit_bzero. */
typedef struct rc4_key_st {
    RC4_INT x, y;
    RC4_INT data[256];
} RC4_KEY;

/* What computes RC4, as "rc4(arcfour,NAME)". Not to be freed. */
const char *RC4_options(void);

/* Starts a stream with the key of `len` bytes at `data`: 1 or more, of which only the first 256 have
 * a meaning. Ends the process by abort() on NULL or another length. */
void RC4_set_key(RC4_KEY *key, int len, const unsigned char *data);

/* Xors the next `len` bytes of keystream to `indata` and writes them to `outdata`, which may be the
 * same, or overlap in any way. Ends the process by abort() on NULL, or if RC4_set_key has not set
 * `key`: RC4 cannot return an error, and to continue would leave the data unencrypted. */
void RC4(RC4_KEY *key, size_t len, const unsigned char *indata, unsigned char *outdata);

#ifdef __cplusplus
}
#endif

#endif
