/* The mechanism of the paper in C on Linux, its third future work. Threads read chunks of 10,000 bytes, encrypt
 * each with RC4 under the same key, and write each to a new file. Then the program merges these files.
 *
 *   parallel INPUT FOLDER RUNS pool THREADS   a pool of THREADS threads; each takes the next chunk
 *   parallel INPUT FOLDER RUNS each 0         a thread for each chunk
 *   parallel INPUT FOLDER RUNS memory THREADS a pool, but the chunks stay in memory: there are no chunk files
 *
 * Prints for each run, in nanoseconds from the start: submitted (all threads are started), encrypted (all have
 * ended), merged (the file is whole), then the number of threads and the number of tasks. With memory the input is
 * read before the start, and to write the output is all that is left to merge. It compares the output with
 * libarcfour's before it prints a line. One key for all chunks gives every chunk the same keystream, as in
 * the paper: do not encrypt files in this way. */
#include <arcfour.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 10000, KEY = 16, PATH = 4096, MOST = 1 << 20 };

static const char *input, *folder;
static unsigned char key[KEY];
static long size, tasks;
static atomic_long next;
static unsigned char *whole; /* the input and then the output, if the chunks stay in memory */

struct rc4 {
    unsigned char s[256], i, j;
};

/* RC4 as in section 2 of the paper. */
static void ksa(struct rc4 *rc4) {
    unsigned char j = 0;
    for (int i = 0; i < 256; i++) rc4->s[i] = i;
    for (int i = 0; i < 256; i++) {
        unsigned char x = rc4->s[i];
        j += x + key[i % KEY];
        rc4->s[i] = rc4->s[j];
        rc4->s[j] = x;
    }
    rc4->i = rc4->j = 0;
}

static void prga(struct rc4 *rc4, unsigned char *data, long length) {
    for (long n = 0; n < length; n++) {
        unsigned char x = rc4->s[++rc4->i], y = rc4->s[rc4->j += x];
        rc4->s[rc4->i] = y;
        rc4->s[rc4->j] = x;
        data[n] ^= rc4->s[(unsigned char)(x + y)];
    }
}

static void name_of(char *path, long task) { snprintf(path, PATH, "%s/chunk-%ld", folder, task); }

static void encrypt(long task) {
    unsigned char data[CHUNK];
    char path[PATH];
    struct rc4 rc4;
    if (whole) {
        ksa(&rc4);
        prga(&rc4, whole + task * CHUNK, size - task * CHUNK < CHUNK ? size - task * CHUNK : CHUNK);
        return;
    }
    int in = open(input, O_RDONLY);
    if (in < 0) err(1, "%s", input);
    long length = 0;
    for (long got; length < CHUNK && (got = pread(in, data + length, CHUNK - length, task * CHUNK + length)) != 0; length += got)
        if (got < 0) err(1, "%s", input);
    close(in);
    ksa(&rc4);
    prga(&rc4, data, length);
    name_of(path, task);
    int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out < 0) err(1, "%s", path);
    for (long done = 0, put; done < length; done += put)
        if ((put = write(out, data + done, length - done)) < 0) err(1, "%s", path);
    if (close(out) != 0) err(1, "%s", path);
}

static void *work(void *unused) {
    (void)unused;
    for (long task; (task = atomic_fetch_add(&next, 1)) < tasks;) encrypt(task);
    return NULL;
}

static void *one(void *task) {
    encrypt((long)task);
    return NULL;
}

/* Reads the input into memory, before a clock runs. */
static void fill(void) {
    FILE *in = fopen(input, "rb");
    if (!in || fread(whole, 1, size, in) != (size_t)size) err(1, "%s", input);
    fclose(in);
}

/* Writes the output from memory: there is nothing to merge. */
static void drain(const char *output) {
    FILE *out = fopen(output, "wb");
    if (!out || fwrite(whole, 1, size, out) != (size_t)size || fclose(out) != 0) err(1, "%s", output);
}

static void merge(const char *output) {
    char path[PATH];
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out < 0) err(1, "%s", output);
    for (long task = 0; task < tasks; task++) {
        name_of(path, task);
        int in = open(path, O_RDONLY);
        if (in < 0) err(1, "%s", path);
        for (ssize_t sent; (sent = sendfile(out, in, NULL, CHUNK)) != 0;)
            if (sent < 0) err(1, "%s", path);
        close(in);
        if (unlink(path) != 0) err(1, "%s", path);
    }
    if (close(out) != 0) err(1, "%s", output);
}

/* Compares each chunk of the output with libarcfour's. */
static void check(const char *output) {
    static unsigned char plain[CHUNK], sealed[CHUNK];
    FILE *in = fopen(input, "rb"), *out = fopen(output, "rb");
    if (!in || !out) err(1, "%s or %s", input, output);
    for (long left = size; left > 0; left -= CHUNK) {
        size_t length = left < CHUNK ? left : CHUNK;
        arcfour *stream;
        if (fread(plain, 1, length, in) != length || fread(sealed, 1, length, out) != length) errx(1, "%s is too short", output);
        if (arcfour_new(&stream, key, KEY, 0) != ARCFOUR_OK || arcfour_apply(stream, plain, plain, length) != ARCFOUR_OK) errx(1, "libarcfour failed");
        arcfour_free(stream);
        if (memcmp(plain, sealed, length) != 0) errx(1, "%s is not the input encrypted", output);
    }
    if (fgetc(out) != EOF) errx(1, "%s is too long", output);
    fclose(in);
    fclose(out);
}

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void measure(const char *output, int each, long threads) {
    pthread_t *thread = calloc(threads, sizeof *thread);
    if (!thread || getrandom(key, KEY, 0) != KEY) err(1, "memory or random bytes");
    atomic_store(&next, 0);
    if (whole) fill();
    long start = now();
    for (long n = 0; n < threads; n++) {
        int failed = pthread_create(&thread[n], NULL, each ? one : work, (void *)n);
        if (failed) errx(1, "thread %ld: %s", n, strerror(failed));
    }
    long submitted = now();
    for (long n = 0; n < threads; n++) pthread_join(thread[n], NULL);
    long encrypted = now();
    if (whole) drain(output);
    else merge(output);
    long merged = now();
    free(thread);
    check(output);
    printf("%ld,%ld,%ld,%ld,%ld\n", submitted - start, encrypted - start, merged - start, threads, tasks);
}

static long number(const char *word, long least, long most) {
    char *end;
    long value = strtol(word, &end, 10);
    if (*word == 0 || *end != 0 || value < least || value > most) errx(2, "%s: a number from %ld to %ld is needed", word, least, most);
    return value;
}

int main(int argc, char **argv) {
    struct stat status;
    char output[PATH];
    if (argc != 6) errx(2, "usage: parallel INPUT FOLDER RUNS pool|each|memory THREADS");
    input = argv[1];
    folder = argv[2];
    long runs = number(argv[3], 1, MOST);
    int each = strcmp(argv[4], "each") == 0;
    int memory = strcmp(argv[4], "memory") == 0;
    if (!each && !memory && strcmp(argv[4], "pool") != 0) errx(2, "%s: pool, each or memory", argv[4]);
    long threads = number(argv[5], each ? 0 : 1, 1024);
    if (stat(input, &status) != 0) err(1, "%s", input);
    size = status.st_size;
    tasks = size / CHUNK + 1; /* i <= size in the listing: one task gets no bytes if CHUNK divides the size */
    if (memory && !(whole = malloc(size + 1))) err(1, "%ld bytes", size);
    snprintf(output, PATH, "%s/encrypted", folder);
    puts("submitted,encrypted,merged,threads,tasks");
    for (long run = 0; run < runs; run++) measure(output, each, each ? tasks : threads);
    unlink(output);
    free(whole);
    return 0;
}
