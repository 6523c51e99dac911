/* Our RC4 in one C file, with its assembly and without. The state is where its manual advises: on a multiple of 256. */
#include "../../../capi/single/bench/portable.h"
#include "engine.h"

static _Alignas(256) arcfour1 stream, portable_stream;

static const char *version(void) { return arcfour1_kernel(); }
static const char *portable_version(void) { return "gcc " __VERSION__ " -O2"; }

static void schedule(const unsigned char *key, size_t key_bytes) {
    check(arcfour1_key(&stream, key, key_bytes, 0) == 0, "arcfour1_key");
}

static void apply(unsigned char *data, size_t bytes) { arcfour1_xor(&stream, data, data, bytes); }

static void portable_schedule(const unsigned char *key, size_t key_bytes) {
    check(portable_key(&portable_stream, key, key_bytes, 0) == 0, "arcfour1_key");
}

static void portable_apply(unsigned char *data, size_t bytes) {
    portable_xor(&portable_stream, data, data, bytes);
}

const struct engine single = {"arcfour-single", version, schedule, apply};
const struct engine single_portable = {"arcfour-single-portable", portable_version, portable_schedule, portable_apply};
