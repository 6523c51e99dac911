#include <tomcrypt.h>

#include "engine.h"

static rc4_state state;

static const char *version(void) { return SCRYPT; }

static void schedule(const unsigned char *key, size_t key_bytes) {
    check(rc4_stream_setup(&state, key, key_bytes) == CRYPT_OK, "libtomcrypt: rc4_stream_setup");
}

static void apply(unsigned char *data, size_t bytes) {
    check(rc4_stream_crypt(&state, data, bytes, data) == CRYPT_OK, "libtomcrypt: rc4_stream_crypt");
}

const struct engine libtomcrypt = {"libtomcrypt", version, schedule, apply};
