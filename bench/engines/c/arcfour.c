/* Our library for C. A program of its own: the library has OpenSSL's names too. */
#include <arcfour.h>

#include "engine.h"

static arcfour *stream;

static const char *version(void) { return "libarcfour, arcfour.h"; }

static void schedule(const unsigned char *key, size_t key_bytes) {
    check((stream ? arcfour_key(stream, key, key_bytes, 0)
                  : arcfour_new(&stream, key, key_bytes, 0)) == ARCFOUR_OK, "setting the key");
}

static void apply(unsigned char *data, size_t bytes) {
    check(arcfour_apply(stream, data, data, bytes) == ARCFOUR_OK, "applying the keystream");
}

static const struct engine arcfour_c = {"arcfour-c", version, schedule, apply};

const struct engine *const engines[] = {&arcfour_c, NULL};
