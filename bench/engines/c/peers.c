/* The engines of engine-c. */
#include "engine.h"

extern const struct engine openssl, libtomcrypt, nettle, libgcrypt, mbedtls, textbook;
extern const struct engine libtorrent_old, libtorrent_new, boringssl, arc4; /* carried.c */
extern const struct engine single, single_portable;
extern const struct engine wolfssl, aes_128_ctr, chacha20_evp; /* instead.c */

const struct engine *const engines[] = {
    &openssl,        &libtomcrypt,    &nettle,    &libgcrypt, &mbedtls, &textbook,
    &libtorrent_old, &libtorrent_new, &boringssl, &arc4,      &single,  &single_portable,
    &wolfssl,        &aes_128_ctr,    &chacha20_evp, NULL,
};
