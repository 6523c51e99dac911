/* The protocol of bench/engines/README.md for the engines in C. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"

enum { KEY_BYTES = 16, KEYS = 4096, PAGE = 4096 };

static const char *path;
static unsigned char *keys, *data;
static size_t data_bytes, next_key;
static const struct engine *streaming; /* whose state is in the middle of the stream of key 0 */

void check(int done, const char *what) {
    if (done) return;
    fprintf(stderr, "engine: %s failed\n", what);
    exit(1);
}

static void load(void) {
    FILE *file = fopen(path, "rb");
    check(file != NULL, path);
    check(fread(keys, KEY_BYTES, KEYS, file) == KEYS, "reading the keys");
    check(fread(data, 1, data_bytes, file) == data_bytes, "reading the data");
    fclose(file);
    next_key = 0;
    streaming = NULL;
}

static const unsigned char *key(void) { return keys + KEY_BYTES * (next_key++ % KEYS); }

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static const struct engine *named(const char *name) {
    for (int n = 0; engines[n]; n++)
        if (strcmp(engines[n]->name, name) == 0) return engines[n];
    check(0, "finding the engine");
    return NULL;
}

static uint64_t run(const struct engine *e, const char *op, unsigned char *at, size_t bytes,
                    uint64_t iterations) {
    uint64_t start = 0, end = 0;
    if (strcmp(op, "stream") == 0) {
        if (streaming != e) e->schedule(keys, KEY_BYTES);
        streaming = e;
        start = now();
        for (uint64_t n = 0; n < iterations; n++) e->apply(at, bytes);
        end = now();
    } else if (strcmp(op, "setup") == 0) {
        start = now();
        for (uint64_t n = 0; n < iterations; n++) e->schedule(key(), KEY_BYTES);
        end = now();
        e->apply(at, bytes);
        streaming = NULL;
    } else if (strcmp(op, "message") == 0) {
        start = now();
        for (uint64_t n = 0; n < iterations; n++) {
            e->schedule(key(), KEY_BYTES);
            e->apply(at, bytes);
        }
        end = now();
        streaming = NULL;
    } else {
        check(0, op);
    }
    return end - start;
}

int main(int argc, char **argv) {
    check(argc == 3, "engine DATA_FILE DATA_BYTES: finding two arguments");
    path = argv[1];
    data_bytes = strtoull(argv[2], NULL, 10);
    keys = aligned_alloc(PAGE, KEYS * KEY_BYTES);
    data = aligned_alloc(PAGE, (data_bytes + PAGE - 1) / PAGE * PAGE);
    check(keys != NULL && data != NULL, "allocating");
    for (int n = 0; engines[n]; n++) printf("%s\t%s\n", engines[n]->name, engines[n]->version());
    printf("\n");
    fflush(stdout);

    char line[256], name[32], op[16];
    size_t offset, bytes;
    uint64_t iterations;
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "reset\n") == 0) {
            load();
            printf("0\n");
        } else if (sscanf(line, "dump %zu %zu", &offset, &bytes) == 2) {
            check(offset <= data_bytes && bytes <= data_bytes - offset, line);
            fwrite(data + offset, 1, bytes, stdout);
        } else if (sscanf(line, "run %31s %15s %zu %zu %lu", name, op, &offset, &bytes, &iterations) == 5) {
            check(offset <= data_bytes && bytes <= data_bytes - offset, line);
            printf("%lu\n", run(named(name), op, data + offset, bytes, iterations));
        } else {
            check(0, line);
        }
        fflush(stdout);
    }
    return 0;
}
