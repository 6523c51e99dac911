/* One handle for all messages: only setkey is part of a message's cost. */
#include <gcrypt.h>

#include "engine.h"

static gcry_cipher_hd_t handle;

static const char *version(void) {
    const char *text = gcry_check_version(NULL);
    check(gcry_cipher_open(&handle, GCRY_CIPHER_ARCFOUR, GCRY_CIPHER_MODE_STREAM, 0) == 0,
          "libgcrypt: gcry_cipher_open");
    return text;
}

static void schedule(const unsigned char *key, size_t key_bytes) {
    check(gcry_cipher_setkey(handle, key, key_bytes) == 0, "libgcrypt: gcry_cipher_setkey");
}

static void apply(unsigned char *data, size_t bytes) {
    check(gcry_cipher_encrypt(handle, data, bytes, NULL, 0) == 0, "libgcrypt: gcry_cipher_encrypt");
}

const struct engine libgcrypt = {"libgcrypt", version, schedule, apply};
