#include <mbedtls/arc4.h>
#include <mbedtls/version.h>

#include "engine.h"

static mbedtls_arc4_context state;

static const char *version(void) { return MBEDTLS_VERSION_STRING; }

static void schedule(const unsigned char *key, size_t key_bytes) {
    mbedtls_arc4_setup(&state, key, (unsigned)key_bytes);
}

static void apply(unsigned char *data, size_t bytes) {
    check(mbedtls_arc4_crypt(&state, bytes, data, data) == 0, "mbed TLS: mbedtls_arc4_crypt");
}

const struct engine mbedtls = {"mbedtls", version, schedule, apply};
