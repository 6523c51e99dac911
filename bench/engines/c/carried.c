/* The RC4 that programs carry: loops written anew from what is published of them, not their source.
 *
 * - libtorrent-old: until 2.1.0, a table of bytes, a byte at a time.
 * - libtorrent-new: since 2.1.1 (July 2026, commit b3b8769b9), a table of 32-bit entries, eight bytes of keystream
 *   gathered in a word.
 * - boringssl: a table of 32-bit entries, a byte at a time, in plain C on every processor.
 * - arc4: the package of that name on PyPI, version 0.5: a table of bytes, a byte at a time, i and j and both table
 *   entries in registers, input and output in buffers that the compiler may take to be different. Called from Python
 *   it also allocates its output.
 */
#include <stdint.h>
#include <string.h>

#include "engine.h"

static const char *version(void) { return "rewritten loop, gcc " __VERSION__ " -O2"; }

static struct {
    uint8_t s[256], i, j;
} bytes;

static struct {
    uint32_t s[256], i, j;
} words;

static void schedule_bytes(const unsigned char *key, size_t key_bytes) {
    uint8_t j = 0;
    for (int n = 0; n < 256; n++) bytes.s[n] = (uint8_t)n;
    for (int n = 0; n < 256; n++) {
        uint8_t x = bytes.s[n];
        j = (uint8_t)(j + x + key[(size_t)n % key_bytes]);
        bytes.s[n] = bytes.s[j];
        bytes.s[j] = x;
    }
    bytes.i = bytes.j = 0;
}

static void schedule_words(const unsigned char *key, size_t key_bytes) {
    uint32_t j = 0;
    size_t k = 0;
    for (uint32_t n = 0; n < 256; n++) words.s[n] = n;
    for (int n = 0; n < 256; n++) {
        uint32_t x = words.s[n];
        j = (j + x + key[k]) & 255;
        words.s[n] = words.s[j];
        words.s[j] = x;
        if (++k == key_bytes) k = 0;
    }
    words.i = words.j = 0;
}

static void apply_bytes(unsigned char *data, size_t len) {
    unsigned i = bytes.i, j = bytes.j;
    for (size_t n = 0; n < len; n++) {
        i = (i + 1) & 255;
        j = (j + bytes.s[i]) & 255;
        uint8_t swapped = bytes.s[i];
        bytes.s[i] = bytes.s[j];
        bytes.s[j] = swapped;
        data[n] ^= bytes.s[(bytes.s[i] + bytes.s[j]) & 255];
    }
    bytes.i = (uint8_t)i, bytes.j = (uint8_t)j;
}

static void apart(const unsigned char *restrict in, unsigned char *restrict out, size_t len) {
    uint8_t i = bytes.i, j = bytes.j;
    for (size_t n = 0; n < len; n++) {
        uint8_t x = bytes.s[++i];
        j = (uint8_t)(j + x);
        uint8_t y = bytes.s[j];
        bytes.s[i] = y;
        bytes.s[j] = x;
        out[n] = in[n] ^ bytes.s[(uint8_t)(x + y)];
    }
    bytes.i = i, bytes.j = j;
}

static void apply_apart(unsigned char *data, size_t len) {
    static unsigned char out[1 << 16];
    for (size_t part; len; data += part, len -= part) {
        part = len < sizeof out ? len : sizeof out;
        apart(data, out, part);
        memcpy(data, out, part);
    }
}

static uint32_t next_of_words(uint32_t *i, uint32_t *j) {
    *i = (*i + 1) & 255;
    uint32_t x = words.s[*i];
    *j = (*j + x) & 255;
    uint32_t y = words.s[*j];
    words.s[*i] = y;
    words.s[*j] = x;
    return words.s[(x + y) & 255];
}

static void apply_words(unsigned char *data, size_t len) {
    uint32_t i = words.i, j = words.j;
    for (size_t n = 0; n < len; n++) data[n] ^= (unsigned char)next_of_words(&i, &j);
    words.i = i, words.j = j;
}

static void apply_words_gathered(unsigned char *data, size_t len) {
    uint32_t i = words.i, j = words.j;
    for (; len >= 8; data += 8, len -= 8) {
        uint64_t keystream = 0, block;
        for (unsigned n = 0; n < 8; n++) keystream |= (uint64_t)next_of_words(&i, &j) << 8 * n;
        memcpy(&block, data, sizeof block);
        block ^= keystream; /* a little-endian machine's word */
        memcpy(data, &block, sizeof block);
    }
    for (; len; data++, len--) *data ^= (unsigned char)next_of_words(&i, &j);
    words.i = i, words.j = j;
}

const struct engine libtorrent_old = {"libtorrent-old", version, schedule_bytes, apply_bytes};
const struct engine libtorrent_new = {"libtorrent-new", version, schedule_words, apply_words_gathered};
const struct engine boringssl = {"boringssl", version, schedule_words, apply_words};
const struct engine arc4 = {"arc4", version, schedule_bytes, apply_apart};
