/* The peer of `arcfour bias`: the plain loop that everyone writes. Keystreams of 16-byte keys,
   counted in one array; the keys of shard 0 of a campaign as stats/FORMAT.md derives them.

   counts single|digraphs POSITIONS KEYSTREAMS SEED_HEX [FILE]

   prints the nanoseconds taken; the cells go to FILE, 64 bits each. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/evp.h>

enum { KEY_BYTES = 16, KEYS = 4096, MOST = 4096 };

static unsigned char zeros[KEYS * KEY_BYTES], keys[KEYS * KEY_BYTES];

static void check(int done, const char *what) {
    if (done) return;
    fprintf(stderr, "counts: %s failed\n", what);
    exit(1);
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void rc4(const unsigned char *key, unsigned char *out, size_t bytes) {
    unsigned char s[256], i = 0, j = 0, t;
    for (int n = 0; n < 256; n++) s[n] = (unsigned char)n;
    for (int n = 0; n < 256; n++) {
        j = (unsigned char)(j + s[n] + key[n % KEY_BYTES]);
        t = s[n], s[n] = s[j], s[j] = t;
    }
    j = 0;
    for (size_t n = 0; n < bytes; n++) {
        i++;
        j = (unsigned char)(j + s[i]);
        t = s[i], s[i] = s[j], s[j] = t;
        out[n] = s[(unsigned char)(s[i] + s[j])];
    }
}

int main(int argc, char **argv) {
    check(argc == 5 || argc == 6, "counts single|digraphs POSITIONS KEYSTREAMS SEED_HEX [FILE]");
    int digraphs = strcmp(argv[1], "digraphs") == 0;
    size_t positions = strtoull(argv[2], NULL, 10), cells = digraphs ? 1 << 16 : 1 << 8;
    uint64_t keystreams = strtoull(argv[3], NULL, 10);
    check(positions >= 1 && positions < MOST, "positions in range");
    unsigned char seed[32], nonce[16] = {0};
    for (int n = 0; n < 32; n++) check(sscanf(argv[4] + 2 * n, "%2hhx", &seed[n]) == 1, "reading the seed");
    EVP_CIPHER_CTX *chacha = EVP_CIPHER_CTX_new();
    check(chacha && EVP_EncryptInit_ex(chacha, EVP_chacha20(), NULL, seed, nonce), "ChaCha20");
    uint32_t *counts = calloc(positions * cells, sizeof *counts);
    check(counts != NULL, "allocating");
    memset(counts, 0, positions * cells * sizeof *counts);

    unsigned char z[MOST + 1];
    uint64_t start = now();
    for (uint64_t k = 0; k < keystreams; k++) {
        int made;
        if (k % KEYS == 0) check(EVP_EncryptUpdate(chacha, keys, &made, zeros, sizeof keys), "ChaCha20");
        rc4(keys + k % KEYS * KEY_BYTES, z, positions + (size_t)digraphs);
        if (digraphs)
            for (size_t r = 0; r < positions; r++) counts[r << 16 | (size_t)z[r] << 8 | z[r + 1]]++;
        else
            for (size_t r = 0; r < positions; r++) counts[r << 8 | z[r]]++;
    }
    printf("%" PRIu64 "\n", now() - start);

    if (argc == 6) {
        FILE *file = fopen(argv[5], "wb");
        check(file != NULL, argv[5]);
        for (size_t n = 0; n < positions * cells; n++) {
            uint64_t count = counts[n];
            check(fwrite(&count, sizeof count, 1, file) == 1, argv[5]);
        }
        check(fclose(file) == 0, argv[5]);
    }
    return 0;
}
