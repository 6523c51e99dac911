#include <nettle/arcfour.h>
#include <nettle/version.h>
#include <stdio.h>

#include "engine.h"

static struct arcfour_ctx state;

static const char *version(void) {
    static char text[32];
    snprintf(text, sizeof text, "%d.%d", nettle_version_major(), nettle_version_minor());
    return text;
}

static void schedule(const unsigned char *key, size_t key_bytes) {
    arcfour_set_key(&state, key_bytes, key);
}

static void apply(unsigned char *data, size_t bytes) { arcfour_crypt(&state, bytes, data, data); }

const struct engine nettle = {"nettle", version, schedule, apply};
