/* The low-level functions: deprecated since OpenSSL 3.0 and still in its libcrypto. Through EVP
 * every message would pay for a context and a provider, which is not RC4's fault. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/rc4.h>
#include <stdio.h>

#include "engine.h"

static RC4_KEY state;

static const char *version(void) {
    static char text[128];
    snprintf(text, sizeof text, "%s, %s", OpenSSL_version(OPENSSL_VERSION_STRING), RC4_options());
    return text;
}

static void schedule(const unsigned char *key, size_t key_bytes) {
    RC4_set_key(&state, (int)key_bytes, key);
}

static void apply(unsigned char *data, size_t bytes) { RC4(&state, bytes, data, data); }

const struct engine openssl = {"openssl", version, schedule, apply};
