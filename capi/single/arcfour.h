/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * RC4 for embedding: copy arcfour.h and arcfour.c into a program. C99 or C++11, no allocation, no dependency.
 * README.md describes embedding, speed and tested platforms.
 *
 * RC4 is broken. Do not use RC4 for anything new. These functions detect neither a wrong key nor changed data.
 *
 * All names begin with arcfour1_. So a program can also link libarcfour (arcfour_), nettle or OpenSSL.
 */
#ifndef ARCFOUR1_H
#define ARCFOUR1_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state of one RC4 stream. The structure has no pointers, so assignment copies it. It may have any address. At a
 * multiple of 256 the x86-64 kernel works in place, for 16 bytes and more. At other addresses the kernel works on a
 * copy, for 128 bytes and more. The state reveals the key: call arcfour1_wipe after use. */
typedef struct arcfour1 {
    uint8_t s[256];
    uint8_t i, j;
    uint8_t unused[6]; /* read ahead, never used */
} arcfour1;

/* Sets the key of 1 to 256 bytes, and discards the first `drop` bytes of keystream (RC4-drop[n]; 0 for plain RC4).
 * Returns 0. Returns -1 if the key has another length; the stream is unchanged then. */
int arcfour1_key(arcfour1 *stream, const void *key, size_t key_len, uint64_t drop);

/* Encrypts or decrypts: writes `in` xor the next `len` bytes of keystream to `out`. `in` and `out` must be equal, or
 * must not overlap. */
void arcfour1_xor(arcfour1 *stream, const void *in, void *out, size_t len);

/* Advances the stream by `n` bytes. RC4 cannot jump, so this takes as long as encrypting `n` bytes. */
void arcfour1_skip(arcfour1 *stream, uint64_t n);

/* Overwrites the stream with zeros. The compiler cannot remove this. */
void arcfour1_wipe(arcfour1 *stream);

/* One of the five jobs of arcfour1_xor5: the arguments of arcfour1_xor. */
typedef struct arcfour1_job {
    arcfour1 *stream;
    const void *in;
    void *out;
    size_t len;
} arcfour1_job;

enum { ARCFOUR1_STREAMS = 5 };

/* Does five jobs in one loop, faster than one after the other. Equal lengths of some kilobytes are fastest. The five
 * streams must differ. No job's output may overlap another job's data. */
void arcfour1_xor5(const arcfour1_job jobs[ARCFOUR1_STREAMS]);

/* Returns the code in use: "x86-64", "aarch64" or "portable". Compile arcfour.c with ARCFOUR1_PORTABLE to leave the
 * assembly out. */
const char *arcfour1_kernel(void);

#ifdef __cplusplus
}
#endif

#endif
