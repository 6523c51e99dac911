/* Prints one line: how fast arcfour.c is on this machine, beside the plain loop.
 *
 * Cycles are counted by a chain of dependent multiplies, at 3 cycles each on 64-bit x86 and Arm cores, timed before
 * and after every sample; a sample counts if both agree within 2 %. Elsewhere, and where fewer than a third of the
 * samples count, the line says so. A figure is the median. Streams and data lie on multiples of 4096. */
#define _POSIX_C_SOURCE 200809L
#include "portable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 1 << 16, SAMPLES = 101, KEYS = 4096, KEYS_A_SAMPLE = 256, PAGE = 4096 };

typedef struct {
    int (*key)(arcfour1 *, const void *, size_t, uint64_t);
    void (*xor)(arcfour1 *, const void *, void *, size_t);
    void (*xor5)(const arcfour1_job *);
} kernel;

static unsigned char *memory;
static uint8_t keys[KEYS][16];
static volatile uint64_t sink;
static int noisy;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds a cycle. */
static double cycle(void) {
    enum { MULTIPLIES = 30000 };
    uint64_t x = sink | 1, n;
    double start = now();
    for (n = 0; n < MULTIPLIES / 10; n++) {
        x *= x, x *= x, x *= x, x *= x, x *= x;
        x *= x, x *= x, x *= x, x *= x, x *= x;
#ifdef __GNUC__
        __asm__ volatile("" : "+r"(x));
#endif
    }
    start = now() - start;
    sink = x;
    return start / (3.0 * MULTIPLIES);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static arcfour1 *stream(int n) { return (arcfour1 *)(void *)(memory + n * PAGE); }
static unsigned char *data(int n) { return memory + (ARCFOUR1_STREAMS + n * (BYTES / PAGE)) * PAGE; }

static void one(const kernel *k) { k->xor(stream(0), data(0), data(0), BYTES); }

static void five(const kernel *k) {
    arcfour1_job jobs[ARCFOUR1_STREAMS];
    int n;
    for (n = 0; n < ARCFOUR1_STREAMS; n++) {
        jobs[n].stream = stream(n);
        jobs[n].in = jobs[n].out = data(n);
        jobs[n].len = BYTES;
    }
    k->xor5(jobs);
}

static void key(const kernel *k) {
    static unsigned next;
    int n;
    for (n = 0; n < KEYS_A_SAMPLE; n++) k->key(stream(0), keys[next++ % KEYS], 16, 0);
}

static void plain(const kernel *k) {
    static uint8_t s[256], i, j;
    unsigned char *at = data(0), *end = at + BYTES;
    (void)k;
    if (s[0] == s[1]) memcpy(s, stream(0)->s, 256);
    for (; at < end; at++) {
        uint8_t x = s[++i], y;
        j = (uint8_t)(j + x);
        y = s[j];
        s[i] = y, s[j] = x;
        *at ^= s[(uint8_t)(x + y)];
    }
}

/* Cycles for a unit of work. */
static double measure(void (*work)(const kernel *), const kernel *k, double units) {
    double all[SAMPLES], good[SAMPLES];
    int n, accepted = 0;
    work(k);
    for (n = 0; n < SAMPLES; n++) {
        double before = cycle(), start = now(), time, after;
        work(k);
        time = now() - start;
        after = cycle();
        all[n] = time / (before + after) * 2 / units;
        if (before < after * 1.02 && after < before * 1.02) good[accepted++] = all[n];
    }
    if (accepted < SAMPLES / 3) {
        noisy = 1;
        memcpy(good, all, sizeof good);
        accepted = SAMPLES;
    }
    qsort(good, (size_t)accepted, sizeof *good, by_size);
    return good[accepted / 2];
}

/* The processor by its own name, where Linux knows it. */
static void processor(char *name, size_t size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (colon && (!strncmp(line, "model name", 10) || !strncmp(line, "CPU part", 8))) {
            line[strcspn(line, "\n")] = 0;
            snprintf(name, size, "%s%s", line[0] == 'C' ? "CPU part" : "", colon + (line[0] == 'C' ? 1 : 2));
            break;
        }
    }
    if (file) fclose(file);
}

int main(void) {
    static const kernel best = {arcfour1_key, arcfour1_xor, arcfour1_xor5};
    static const kernel portable = {portable_key, portable_xor, portable_xor5};
    unsigned char *room = (unsigned char *)calloc(1, (ARCFOUR1_STREAMS + 1) * (BYTES + 2 * PAGE));
    char name[128];
    int n;
    double hz;
    if (!room) return perror("bench"), 1;
    memory = room + (0 - (size_t)(uintptr_t)room) % PAGE;
    arcfour1_key(stream(0), "keys of the bench", 17, 0);
    arcfour1_xor(stream(0), keys, keys, sizeof keys);
    for (n = 0; n < ARCFOUR1_STREAMS; n++) arcfour1_key(stream(n), keys[n], 16, 0);
    processor(name, sizeof name);
    hz = 1 / cycle();
    printf("%s; %.2f GHz; %s; cycles per byte: %s one stream %.2f, five %.2f;", name, hz,
#if defined(__clang__)
           __VERSION__,
#elif defined(__GNUC__)
           "gcc " __VERSION__,
#else
           "unknown compiler",
#endif
           arcfour1_kernel(), measure(one, &best, BYTES), measure(five, &best, 5.0 * BYTES));
    printf(" portable one stream %.2f, five %.2f;", measure(one, &portable, BYTES), measure(five, &portable, 5.0 * BYTES));
    printf(" plain loop %.2f; cycles per key: %.0f, portable %.0f%s\n", measure(plain, NULL, BYTES),
           measure(key, &best, KEYS_A_SAMPLE), measure(key, &portable, KEYS_A_SAMPLE),
           noisy ? "; NOISY: the clock did not hold still" : "");
    free(room);
    return 0;
}
