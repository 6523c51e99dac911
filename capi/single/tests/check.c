/* Checks arcfour.c against a plain loop and against files of vectors: check FILE...
 *
 * Knows only C's library, so that it runs wherever the file does. The columns of a file of vectors are KEY OFFSET
 * KEYSTREAM or KEY PLAINTEXT CIPHERTEXT, as its head says. */
#include "../arcfour.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), exit(1)))

/* Rows farther out than this are left to others. */
static const unsigned long FARTHEST = 1ul << 20;

/* ---- The definition ---- */

typedef struct {
    uint8_t s[256], i, j;
} definition;

static void set_key(definition *d, const uint8_t *key, size_t key_len) {
    int n;
    uint8_t j = 0;
    for (n = 0; n < 256; n++) d->s[n] = (uint8_t)n;
    for (n = 0; n < 256; n++) {
        uint8_t x = d->s[n];
        j = (uint8_t)(j + x + key[(size_t)n % key_len]);
        d->s[n] = d->s[j];
        d->s[j] = x;
    }
    d->i = d->j = 0;
}

static uint8_t next(definition *d) {
    uint8_t x = d->s[++d->i], y;
    d->j = (uint8_t)(d->j + x);
    y = d->s[d->j];
    d->s[d->i] = y;
    d->s[d->j] = x;
    return d->s[(uint8_t)(x + y)];
}

static int same(const arcfour1 *stream, const definition *d) {
    return memcmp(stream->s, d->s, 256) == 0 && stream->i == d->i && stream->j == d->j;
}

/* ---- Buffers with painted margins ---- */

enum { MARGIN = 64, LONGEST = 5000, ROOM = LONGEST + 2 * MARGIN + 256 };

typedef struct {
    uint8_t bytes[ROOM];
    size_t start, len;
} buffer;

static uint8_t paint(size_t n) { return (uint8_t)(n % 251); }

/* `len` bytes, `shift` after a multiple of 64. */
static uint8_t *painted(buffer *b, size_t len, size_t shift) {
    size_t n;
    CHECK(len <= LONGEST && shift < 64);
    b->start = MARGIN + (0 - (size_t)(uintptr_t)(b->bytes + MARGIN)) % 64 + shift;
    b->len = len;
    for (n = 0; n < b->start + len + MARGIN; n++) b->bytes[n] = paint(n);
    return b->bytes + b->start;
}

/* Whether the margins, and the inside too, are as painted. */
static int intact(const buffer *b, int inside) {
    size_t n;
    for (n = 0; n < b->start + b->len + MARGIN; n++)
        if ((inside || n < b->start || n >= b->start + b->len) && b->bytes[n] != paint(n)) return 0;
    return 1;
}

static buffer input, output;
static unsigned long checks;

/* Advances both by `len` bytes, in place or from one buffer to another, and compares everything. */
static void step(arcfour1 *stream, definition *d, size_t len, int in_place, size_t in_shift, size_t out_shift) {
    static uint8_t expected[LONGEST];
    uint8_t *out = painted(&output, len, out_shift), *in = in_place ? out : painted(&input, len, in_shift);
    size_t n;
    for (n = 0; n < len; n++) expected[n] = (uint8_t)(in[n] ^ next(d));
    arcfour1_xor(stream, in, out, len);
    CHECK(memcmp(out, expected, len) == 0);
    CHECK(intact(&output, 0) && (in_place || intact(&input, 1)));
    CHECK(same(stream, d));
    checks++;
}

/* Room for streams at any distance from a multiple of 256. */
static union {
    uint64_t unused;
    uint8_t bytes[512 + 8 * sizeof(arcfour1)];
} room;

static arcfour1 *stream_at(size_t shift) {
    return (arcfour1 *)(void *)(room.bytes + (0 - (size_t)(uintptr_t)room.bytes) % 256 + shift);
}

static definition dice;

static void start(arcfour1 *stream, definition *d, const uint8_t *key, size_t key_len) {
    memset(stream, 0xaa, sizeof *stream);
    CHECK(arcfour1_key(stream, key, key_len, 0) == 0);
    set_key(d, key, key_len);
    CHECK(same(stream, d));
}

/* ---- The checks ---- */

static void key_lengths(void) {
    uint8_t key[257];
    size_t len, n;
    definition d;
    arcfour1 before, *stream;
    for (len = 1; len <= 256; len++) {
        for (n = 0; n < len; n++) key[n] = next(&dice);
        stream = stream_at(len % 2 ? 0 : len % 250);
        start(stream, &d, key, len);
        step(stream, &d, 300 + len, 1, 0, len % 64);
        CHECK(arcfour1_key(stream, key, len, len) == 0);
        set_key(&d, key, len);
        for (n = 0; n < len; n++) next(&d);
        CHECK(same(stream, &d));
    }
    before = *stream;
    CHECK(arcfour1_key(stream, key, 0, 0) == -1 && arcfour1_key(stream, key, 257, 5) == -1);
    CHECK(arcfour1_key(stream, NULL, (size_t)-1, 0) == -1);
    CHECK(memcmp(&before, stream, sizeof before) == 0);
}

/* From every i, pieces of 0 to 64 bytes and of some kernel's block. */
static void splits(void) {
    static const size_t more[] = {95, 96, 127, 128, 159, 160, 161, 255, 256, 257, 1023, LONGEST};
    size_t first, len, n;
    definition d;
    for (first = 0; first <= 64; first++)
        for (n = 0; n <= 64 + sizeof more / sizeof *more; n++) {
            arcfour1 *stream = stream_at(n % 3 ? 8 * (n % 31) : 0);
            len = n <= 64 ? n : more[n - 65];
            start(stream, &d, (const uint8_t *)"splits", 1 + n % 6);
            step(stream, &d, first, 1, 0, 0);
            step(stream, &d, len, n % 2 == 0, n % 64, (n + first) % 64);
            step(stream, &d, 64 - first, 0, 3, 5);
        }
}

static void alignments(void) {
    size_t in, out;
    definition d;
    arcfour1 *stream = stream_at(0);
    start(stream, &d, (const uint8_t *)"alignments", 10);
    for (in = 0; in < 32; in++)
        for (out = 0; out < 32; out++) step(stream, &d, 160 + in, 0, in, out);
    for (in = 0; in < 64; in++) step(stream, &d, 1000, 1, 0, in);
}

/* Kernels load S[i] early and must notice a store to it. Small numbers in the table, which is then no permutation,
 * keep j close to i. */
static void ambushes(unsigned rounds) {
    size_t n;
    for (; rounds; rounds--) {
        definition d;
        arcfour1 *stream = stream_at(rounds % 2 ? 0 : 8);
        unsigned limit = 2 + next(&dice) % 6;
        memset(stream, 0, sizeof *stream);
        for (n = 0; n < 256; n++) d.s[n] = (uint8_t)(next(&dice) % limit);
        for (n = rounds % 4 ? 40 : 0; n; n--) d.s[next(&dice)] = next(&dice);
        d.i = next(&dice);
        d.j = (uint8_t)(d.i + next(&dice) % 8);
        memcpy(stream->s, d.s, 256);
        stream->i = d.i, stream->j = d.j;
        step(stream, &d, 512 + rounds % 64, 1, 0, 0);
        step(stream, &d, 256, 0, 1, 2);
    }
}

/* Five streams: any i, any lengths, in place or not; then small tables as above. */
static void five(unsigned rounds) {
    static buffer in[5], out[5];
    static uint8_t expected[LONGEST];
    definition d[5];
    arcfour1_job jobs[5];
    arcfour1 *stream;
    size_t n, l, shift;
    for (; rounds; rounds--) {
        for (l = 0; l < 5; l++) {
            uint8_t key[16];
            for (n = 0; n < sizeof key; n++) key[n] = next(&dice);
            stream = stream_at(8 * (rounds % 2)) + l;
            start(stream, d + l, key, sizeof key);
            for (n = rounds % 3 ? next(&dice) % 256 : 32 * (rounds % 5); n; n--) arcfour1_skip(stream, 1), next(d + l);
            if (rounds % 4 == 0) {
                for (n = 0; n < 256; n++) d[l].s[n] = (uint8_t)(next(&dice) % 4);
                memcpy(stream->s, d[l].s, 256);
            }
            jobs[l].stream = stream;
            jobs[l].len = rounds % 5 ? 256u * next(&dice) % (LONGEST - 255) + next(&dice) : rounds % 10 ? 1024 : 64u * next(&dice) % 600;
            shift = next(&dice) % 64;
            jobs[l].out = painted(out + l, jobs[l].len, shift);
            jobs[l].in = rounds % 2 ? jobs[l].out : painted(in + l, jobs[l].len, (shift + 5) % 64);
        }
        arcfour1_xor5(jobs);
        for (l = 0; l < 5; l++) {
            for (n = 0; n < jobs[l].len; n++) {
                uint8_t plain = paint((rounds % 2 ? out[l].start : in[l].start) + n);
                expected[n] = (uint8_t)(plain ^ next(d + l));
            }
            CHECK(memcmp(jobs[l].out, expected, jobs[l].len) == 0);
            CHECK(intact(out + l, 0) && (rounds % 2 || intact(in + l, 1)));
            CHECK(same(jobs[l].stream, d + l));
            checks++;
        }
    }
}

static void skip_and_wipe(void) {
    static const uint64_t far[] = {0, 1, 31, 32, 1023, 1024, 1025, 70001};
    static const uint8_t zeros[sizeof(arcfour1)] = {0};
    arcfour1 stream;
    definition d;
    size_t n;
    uint64_t k;
    start(&stream, &d, (const uint8_t *)"skip", 4);
    for (n = 0; n < sizeof far / sizeof *far; n++) {
        arcfour1_skip(&stream, far[n]);
        for (k = 0; k < far[n]; k++) next(&d);
        CHECK(same(&stream, &d));
    }
    arcfour1_wipe(&stream);
    CHECK(memcmp(&stream, zeros, sizeof stream) == 0);
}

/* ---- Vectors ---- */

static size_t hex(const char *text, uint8_t *bytes) {
    size_t len = 0;
    unsigned byte;
    for (; sscanf(text, "%2x", &byte) == 1; text += 2) bytes[len++] = (uint8_t)byte;
    return len;
}

static unsigned long vectors(const char *path) {
    static char line[8192], field[3][4096];
    static uint8_t key[2048], middle[2048], last[2048], found[2048];
    unsigned long rows = 0;
    int messages = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, file)) {
        size_t key_len, len;
        arcfour1 stream;
        if (strstr(line, "PLAINTEXT")) messages = 1;
        if (line[0] == '#' || sscanf(line, "%4095s %4095s %4095s", field[0], field[1], field[2]) != 3) continue;
        key_len = hex(field[0], key);
        len = hex(field[2], last);
        memset(found, 0, sizeof found);
        if (messages) {
            CHECK(hex(field[1], middle) == len);
            CHECK(arcfour1_key(&stream, key, key_len, 0) == 0);
            arcfour1_xor(&stream, middle, found, len);
        } else {
            unsigned long offset = strtoul(field[1], NULL, 10);
            if (offset > FARTHEST) continue;
            CHECK(arcfour1_key(&stream, key, key_len, offset) == 0);
            arcfour1_xor(&stream, found, found, len);
        }
        if (memcmp(found, last, len) != 0) {
            fprintf(stderr, "%s: wrong: %s", path, line);
            exit(1);
        }
        rows++;
    }
    fclose(file);
    CHECK(rows > 0);
    return rows;
}

int main(int argc, char **argv) {
    static const uint16_t probe = 1;
    unsigned long rows = 0;
    int n;
    set_key(&dice, (const uint8_t *)"dice", 4);
    for (n = 1; n < argc; n++) rows += vectors(argv[n]);
    key_lengths();
    splits();
    alignments();
    ambushes(2000);
    five(400);
    skip_and_wipe();
    printf("%s: %lu vectors, %lu comparisons, %u-byte words, %s-endian\n", arcfour1_kernel(), rows, checks,
           (unsigned)sizeof(size_t), *(const uint8_t *)&probe ? "little" : "big");
    return rows == 0;
}
