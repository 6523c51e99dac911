/* The one C file against the library in Rust, both in this process: single [ROUNDS]. A round is a random script, or
 * libFuzzer's where compiled with -fsanitize=fuzzer -DLIBFUZZER. */
#include <arcfour.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../single/arcfour.h"

#define CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), abort()))

enum { LONGEST = 3000, SHIFTS = 64 };

typedef struct {
    const uint8_t *at, *end;
} script;

/* The next byte; after the last, 0. */
static unsigned next(script *s) { return s->at < s->end ? *s->at++ : 0; }

static size_t length(script *s) {
    unsigned n = next(s);
    return n < 128 ? n : (n - 127) * 23 + next(s) % 23;
}

static uint8_t theirs_in[5][LONGEST + SHIFTS], ours_in[5][LONGEST + SHIFTS];
static uint8_t theirs_out[5][LONGEST + SHIFTS], ours_out[5][LONGEST + SHIFTS];
static unsigned long compared;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    script s = {data, data + size};
    arcfour *theirs[5];
    _Alignas(256) uint8_t room[5 * 512 + 256];
    arcfour1 *ours[5];
    uint8_t key[256];
    for (int l = 0; l < 5; l++) {
        size_t key_len = 1 + next(&s);
        uint64_t drop = l == 4 ? length(&s) : 0;
        for (size_t n = 0; n < key_len; n++) key[n] = (uint8_t)(n < 24 ? next(&s) : n);
        ours[l] = (arcfour1 *)(void *)(room + 512 * l + next(&s) % 2 * (8 + l));
        CHECK(arcfour_new(&theirs[l], key, key_len, drop) == ARCFOUR_OK);
        CHECK(arcfour1_key(ours[l], key, key_len, drop) == 0);
    }
    while (s.at < s.end) {
        unsigned what = next(&s), l = what % 5;
        if (what < 40) {
            uint64_t n = length(&s);
            CHECK(arcfour_skip(theirs[l], n) == ARCFOUR_OK);
            arcfour1_skip(ours[l], n);
        } else if (what < 200) {
            size_t len = length(&s), from = next(&s) % SHIFTS, to = next(&s) % SHIFTS;
            for (size_t n = 0; n < len; n++) ours_in[0][from + n] = (uint8_t)(n * what);
            memcpy(theirs_in[0], ours_in[0], sizeof ours_in[0]);
            if (what & 1) {
                CHECK(arcfour_apply(theirs[l], theirs_in[0] + from, theirs_in[0] + from, len) == ARCFOUR_OK);
                arcfour1_xor(ours[l], ours_in[0] + from, ours_in[0] + from, len);
            } else {
                CHECK(arcfour_apply(theirs[l], theirs_in[0] + from, theirs_out[0] + to, len) == ARCFOUR_OK);
                arcfour1_xor(ours[l], ours_in[0] + from, ours_out[0] + to, len);
            }
            compared += len;
        } else {
            arcfour1_job jobs[5];
            size_t len = length(&s), from, to;
            for (int n = 0; n < 5; n++) {
                size_t own = what & 2 ? length(&s) : len;
                from = next(&s) % SHIFTS, to = what & 1 ? from : next(&s) % SHIFTS;
                for (size_t k = 0; k < own; k++) ours_in[n][from + k] = (uint8_t)(k * what);
                memcpy(theirs_in[n], ours_in[n], sizeof ours_in[n]);
                jobs[n].stream = ours[n];
                jobs[n].in = ours_in[n] + from;
                jobs[n].out = what & 1 ? ours_in[n] + from : ours_out[n] + to;
                jobs[n].len = own;
                CHECK(arcfour_apply(theirs[n], theirs_in[n] + from,
                                    what & 1 ? theirs_in[n] + from : theirs_out[n] + to, own) == ARCFOUR_OK);
                compared += own;
            }
            arcfour1_xor5(jobs);
        }
        CHECK(memcmp(ours_in, theirs_in, sizeof ours_in) == 0 && memcmp(ours_out, theirs_out, sizeof ours_out) == 0);
    }
    for (int l = 0; l < 5; l++) arcfour_free(theirs[l]);
    return 0;
}

#ifndef LIBFUZZER
int main(int argc, char **argv) {
    static uint8_t data[600];
    arcfour1 dice;
    long rounds = argc > 1 ? atol(argv[1]) : 3000;
    CHECK(arcfour1_key(&dice, "single", 6, 0) == 0);
    for (long n = 0; n < rounds; n++) {
        memset(data, 0, sizeof data);
        arcfour1_xor(&dice, data, data, sizeof data);
        LLVMFuzzerTestOneInput(data, 100 + data[0] + data[1]);
    }
    printf("%ld scripts, %lu bytes compared: %s in C and the library agree\n", rounds, compared, arcfour1_kernel());
    return rounds <= 0;
}
#endif
