/* The loop every textbook prints, as gcc -O2 makes it. */
#include <stdint.h>

#include "engine.h"

static uint8_t s[256], i, j;

static const char *version(void) { return "gcc " __VERSION__ " -O2"; }

static void swap(uint8_t *a, uint8_t *b) {
    uint8_t t = *a;
    *a = *b;
    *b = t;
}

static void schedule(const unsigned char *key, size_t key_bytes) {
    for (int n = 0; n < 256; n++) s[n] = n;
    j = 0;
    for (int n = 0; n < 256; n++) {
        j += s[n] + key[n % key_bytes];
        swap(&s[n], &s[j]);
    }
    i = j = 0;
}

static void apply(unsigned char *data, size_t bytes) {
    for (size_t n = 0; n < bytes; n++) {
        i++;
        j += s[i];
        swap(&s[i], &s[j]);
        data[n] ^= s[(uint8_t)(s[i] + s[j])];
    }
}

const struct engine textbook = {"textbook-c", version, schedule, apply};
