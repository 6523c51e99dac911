/* RC4 by EVP, by this provider and by OpenSSL's legacy provider in turn: how fast (MB/s by the size of a call, the
 * fastest of ROUNDS rounds, as `openssl speed` prints it, and the ratio). FOLDER holds arcfour-provider.so. Ends with 1
 * if the legacy provider is faster in calls of 16 bytes or more. With a provider, a size and a number, it makes that
 * many calls, for a profiler to count.
 *
 *   speed FOLDER [arcfour-provider|legacy SIZE CALLS] */
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 1000, BYTES = 1 << 16, LARGEST = 16384 };
static const char *const names[] = {"arcfour-provider", "legacy"};
static const int sizes[] = {8, 16, 64, 256, 1024, 8192, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };
static unsigned char data[LARGEST];

static EVP_CIPHER_CTX *start(const char *folder, const char *name) {
    static const unsigned char key[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (name == names[0]) OSSL_PROVIDER_set_default_search_path(library, folder);
    if (!OSSL_PROVIDER_load(library, name) ||
        !EVP_EncryptInit_ex(context, EVP_CIPHER_fetch(library, "RC4", NULL), NULL, key, NULL)) {
        fprintf(stderr, "speed: no RC4 by the provider %s\n", name);
        exit(1);
    }
    return context;
}

static void run(EVP_CIPHER_CTX *context, int size, int calls) {
    int len;
    while (calls--)
        if (!EVP_EncryptUpdate(context, data, &len, data, size)) exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    double best[2][SIZES];
    EVP_CIPHER_CTX *contexts[2];
    int provider, size, round, slower = 0;
    if (argc == 5) {
        int calls = atoi(argv[4]);
        size = atoi(argv[3]);
        if (size < 0 || size > LARGEST || calls < 1) return 2;
        run(start(argv[1], strcmp(argv[2], names[0]) == 0 ? names[0] : names[1]), size, calls);
        return 0;
    }
    if (argc != 2) return 2;
    for (provider = 0; provider < 2; provider++) contexts[provider] = start(argv[1], names[provider]);
    for (size = 0; size < SIZES; size++) {
        int calls = BYTES / sizes[size];
        best[0][size] = best[1][size] = 1e9;
        for (round = 0; round < ROUNDS; round++)
            for (provider = 0; provider < 2; provider++) {
                double took = now();
                run(contexts[provider], sizes[size], calls);
                took = (now() - took) / calls;
                if (took < best[provider][size]) best[provider][size] = took;
            }
    }
    for (provider = 0; provider < 2; provider++) {
        printf("%s\n%-13s", names[provider], "type");
        for (size = 0; size < SIZES; size++) printf("%7d bytes", sizes[size]);
        printf("\n%-13s", "RC4");
        for (size = 0; size < SIZES; size++) printf(" %11.2fk", sizes[size] / best[provider][size] / 1000);
        printf("\n");
    }
    printf("ratio\n%-13s", "");
    for (size = 0; size < SIZES; size++) {
        double ratio = best[1][size] / best[0][size];
        printf(" %12.2f", ratio);
        if (sizes[size] >= 16 && ratio < 1) slower = 1;
    }
    printf("\n");
    return slower;
}
