#include <wolfssl/options.h>
#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/arc4.h>

#include "engine.h"

static Arc4 state;

static const char *version(void) { return LIBWOLFSSL_VERSION_STRING; }

static void schedule(const unsigned char *key, size_t key_bytes) {
    check(wc_Arc4SetKey(&state, key, (word32)key_bytes) == 0, "wolfSSL: wc_Arc4SetKey");
}

static void apply(unsigned char *data, size_t bytes) {
    check(wc_Arc4Process(&state, data, data, (word32)bytes) == 0, "wolfSSL: wc_Arc4Process");
}

const struct engine wolfssl = {"wolfssl", version, schedule, apply};
