/* RC4A and PARC4-I in C with OpenMP, built with the paper's options: gcc -O3 -march=native -g0 -fopenmp.
 *
 *   parc4i time WORK TEXT BYTES THREADS   encrypts and decrypts in memory; prints the seconds of each
 *   parc4i keystream WORK KEY BYTES       writes the keystream of a key (of one long block), for comparison
 *
 * WORK is `rc4a` (one thread), `parc4i` (unrolled loop, four bytes without a jump) or `parc4i-rolled` (the
 * loop as written). Every block of 256 bytes begins with the scheduled state, since the paper gives no other
 * rule. This is a many-time pad. Before the program prints a time, it compares blocks from all parts of the
 * data with a second, plain implementation, byte by byte, and checks that all of the data decrypts. */
#include <err.h>
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 256, LANES = 4, BLOCK = 256, CHECKED = 8 };

struct state {
    unsigned char s[LANES][N], i, j[LANES];
};

static const int looked_up[LANES] = {1, 2, 3, 2}; /* algorithm 2: S2, S3, S4, S3 */
/* Equals LANES. `volatile` hides this from the compiler, which would unroll the rolled loop too. */
static volatile int lanes = LANES;

static void schedule(unsigned char *s, const unsigned char *key, size_t length) {
    unsigned char j = 0;
    for (int i = 0; i < N; i++) s[i] = i;
    for (int i = 0; i < N; i++) {
        unsigned char x = s[i];
        j += x + key[i % length];
        s[i] = s[j];
        s[j] = x;
    }
}

/* Algorithm 1: the same key for all four tables. RC4A: the key of the second table is keystream of the first,
 * as in the paper of its authors and in ../../../cipher. */
static struct state ksa(const char *key, int rc4a) {
    struct state state;
    size_t length = strlen(key);
    memset(&state, 0, sizeof state);
    for (int lane = 0; lane < LANES; lane++) schedule(state.s[lane], (const unsigned char *)key, length);
    if (rc4a) {
        unsigned char s[N], second[N], i = 0, j = 0;
        memcpy(s, state.s[0], N);
        for (size_t n = 0; n < length; n++) {
            unsigned char x = s[++i], y = s[j += x];
            s[i] = y;
            s[j] = x;
            second[n] = s[(unsigned char)(x + y)];
        }
        schedule(state.s[1], second, length);
    }
    return state;
}

static inline __attribute__((always_inline)) unsigned char step(struct state *state, int lane) {
    unsigned char *s = state->s[lane], x = s[state->i], y = s[state->j[lane] += x];
    s[state->i] = y;
    s[state->j[lane]] = x;
    return x + y;
}

static void unrolled(struct state state, unsigned char *data, size_t bytes) {
    size_t n = 0;
    for (; n + LANES <= bytes; n += LANES) {
        state.i++;
        data[n] ^= state.s[1][step(&state, 0)];
        data[n + 1] ^= state.s[2][step(&state, 1)];
        data[n + 2] ^= state.s[3][step(&state, 2)];
        data[n + 3] ^= state.s[2][step(&state, 3)];
    }
    state.i++;
    for (int lane = 0; n < bytes; n++, lane++) data[n] ^= state.s[looked_up[lane]][step(&state, lane)];
}

static void rolled(struct state state, unsigned char *data, size_t bytes) {
    int turns = lanes;
    for (size_t n = 0; n < bytes;) {
        state.i++;
#pragma GCC unroll 1
        for (int lane = 0; lane < turns && n < bytes; lane++, n++) data[n] ^= state.s[looked_up[lane]][step(&state, lane)];
    }
}

static void rc4a(struct state state, unsigned char *data, size_t bytes) {
    for (size_t n = 0; n < bytes; n++) {
        int lane = n & 1;
        if (lane == 0) state.i++;
        data[n] ^= state.s[1 - lane][step(&state, lane)];
    }
}

typedef void apply(struct state, unsigned char *, size_t);

static void encrypt(apply *work, const struct state *scheduled, unsigned char *data, size_t bytes, int threads) {
    if (work == rc4a) {
        rc4a(*scheduled, data, bytes);
        return;
    }
    long blocks = (bytes + BLOCK - 1) / BLOCK;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (long n = 0; n < blocks; n++) work(*scheduled, data + n * BLOCK, n + 1 < blocks ? BLOCK : bytes - n * BLOCK);
}

/* The second, plain implementation, as the paper writes it. */
static void definition(struct state state, unsigned char *data, size_t bytes, int is_rc4a) {
    int count = is_rc4a ? 2 : LANES;
    for (size_t n = 0; n < bytes; n++) {
        int lane = n % count, other = is_rc4a ? 1 - lane : looked_up[lane];
        if (lane == 0) state.i = (state.i + 1) % N;
        int i = state.i, j = state.j[lane] = (state.j[lane] + state.s[lane][i]) % N;
        unsigned char kept = state.s[lane][i];
        state.s[lane][i] = state.s[lane][j];
        state.s[lane][j] = kept;
        data[n] ^= state.s[other][(state.s[lane][i] + state.s[lane][j]) % N];
    }
}

static void check(apply *work, const struct state *scheduled, const unsigned char *data, const unsigned char *text, size_t bytes) {
    size_t unit = work == rc4a ? bytes : BLOCK, units = (bytes + unit - 1) / unit;
    for (int at = 0; at < CHECKED; at++) {
        size_t number = at == CHECKED - 1 ? units - 1 : at * units / CHECKED, from = number * unit;
        size_t length = bytes - from < unit ? bytes - from : unit;
        if (length > 1 << 24) length = 1 << 24;
        unsigned char *part = malloc(length);
        if (!part) err(1, "memory");
        memcpy(part, data + from, length);
        definition(*scheduled, part, length, work == rc4a);
        if (memcmp(part, text + from, length) != 0) errx(1, "block %zu is not the definition's", number);
        free(part);
    }
}

static double timed(apply *work, const struct state *scheduled, unsigned char *data, size_t bytes, int threads) {
    double start = omp_get_wtime();
    encrypt(work, scheduled, data, bytes, threads);
    return omp_get_wtime() - start;
}

// As many bytes are encrypted and decrypted before anything is timed, as in the Rust program.
static const size_t WARM_UP = 1 << 26;

static void time_both(apply *work, const char *path, size_t bytes, int threads) {
    FILE *file = fopen(path, "rb");
    unsigned char *text = malloc(bytes), *data = malloc(bytes);
    if (!file) err(1, "%s", path);
    if (!text || !data) err(1, "memory");
    size_t length = fread(text, 1, bytes, file);
    if (length == 0) errx(1, "%s is empty: there is nothing to encrypt", path);
    fclose(file);
    for (size_t n = length; n < bytes; n += length) memcpy(text + n, text, bytes - n < length ? bytes - n : length);
    memcpy(data, text, bytes);
    const struct state scheduled = ksa("Handa & Kapoor", work == rc4a);
    for (int pass = 0; pass < 2; pass++) encrypt(work, &scheduled, data, bytes < WARM_UP ? bytes : WARM_UP, threads);
    double encryption = timed(work, &scheduled, data, bytes, threads);
    check(work, &scheduled, data, text, bytes);
    double decryption = timed(work, &scheduled, data, bytes, threads);
    if (memcmp(data, text, bytes) != 0) errx(1, "what came back is not what went in");
    printf("encryption_s,decryption_s\n%.9f,%.9f\n", encryption, decryption);
}

static size_t number(const char *word, size_t most) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(word, &end, 10);
    if (*word < '0' || *word > '9' || *end || errno || value < 1 || value > most) errx(2, "%s: a number from 1 to %zu is needed", word, most);
    return value;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        apply *work;
    } works[] = {{"rc4a", rc4a}, {"parc4i", unrolled}, {"parc4i-rolled", rolled}};
    apply *work = NULL;
    int timing = argc == 6 && strcmp(argv[1], "time") == 0;
    if (!timing && !(argc == 5 && strcmp(argv[1], "keystream") == 0)) errx(2, "usage: parc4i time WORK TEXT BYTES THREADS | keystream WORK KEY BYTES");
    for (size_t n = 0; n < sizeof works / sizeof *works; n++)
        if (strcmp(argv[2], works[n].name) == 0) work = works[n].work;
    if (!work) errx(2, "%s: rc4a, parc4i or parc4i-rolled", argv[2]);
    size_t bytes = number(argv[4], (size_t)1 << 33);
    if (timing) {
        size_t threads = number(argv[5], 1024);
        if (work == rc4a && threads > 1) errx(2, "RC4A is a serial chain: %zu threads must be 1", threads);
        time_both(work, argv[3], bytes, threads);
        return 0;
    }
    if (strlen(argv[3]) < 1 || strlen(argv[3]) > N) errx(2, "a key has 1 to %d bytes", N);
    unsigned char *stream = calloc(bytes, 1);
    if (!stream) err(1, "memory");
    work(ksa(argv[3], work == rc4a), stream, bytes);
    if (fwrite(stream, 1, bytes, stdout) != bytes || fflush(stdout) != 0) err(1, "standard output");
    return 0;
}
