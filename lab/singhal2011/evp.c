/* Encrypts and decrypts a file in memory, by OpenSSL's EVP or by libarcfour. Prints JSON.
 *
 *   evp measure CIPHER KEY FILE REPEATS   times both directions, after a check of the round trip
 *   evp aligned CIPHER KEY FILE REPEATS   the same, with all that OpenSSL allocates at the start of a page
 *   evp pieces  CIPHER KEY FILE BYTES     a round trip of the file, at most BYTES bytes at a time
 *   evp write   CIPHER KEY FILE OUTPUT    writes the ciphertext to OUTPUT
 *   evp state   CIPHER KEY FILE 1         the memory of a keyed cipher; ignores the file
 *
 * CIPHER is `arcfour` or OpenSSL's name of a cipher. KEY is hexadecimal and is used for one message, so
 * the initialisation vector is zero. A time covers a whole message: context, key schedule, data, tag.
 * Both directions work in place, so that neither moves more memory than the other. */
#include <arcfour.h>
#include <err.h>
#include <malloc.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ENCRYPT = 1, DECRYPT = 0, TAG = 16, SPARE = EVP_MAX_BLOCK_LENGTH };

static const EVP_CIPHER *evp; /* NULL for libarcfour */
static unsigned char key[EVP_MAX_KEY_LENGTH], tag[TAG];
static long key_bytes;

struct stream {
    arcfour *ours;
    EVP_CIPHER_CTX *theirs;
    int direction;
};

static void must(int done, const char *what) {
    if (!done) errx(1, "%s failed", what);
}

static int authenticated(void) { return (EVP_CIPHER_get_flags(evp) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0; }

static struct stream begin(int direction) {
    static const unsigned char zero[EVP_MAX_IV_LENGTH];
    struct stream stream = {NULL, NULL, direction};
    if (!evp) {
        must(arcfour_new(&stream.ours, key, key_bytes, 0) == ARCFOUR_OK, "arcfour_new");
        return stream;
    }
    must((stream.theirs = EVP_CIPHER_CTX_new()) != NULL, "EVP_CIPHER_CTX_new");
    must(EVP_CipherInit_ex2(stream.theirs, evp, NULL, NULL, direction, NULL), "choosing the cipher");
    must(EVP_CIPHER_CTX_set_key_length(stream.theirs, key_bytes), "EVP_CIPHER_CTX_set_key_length");
    must(EVP_CipherInit_ex2(stream.theirs, NULL, key, zero, direction, NULL), "EVP_CipherInit_ex2");
    return stream;
}

static int advance(struct stream *stream, const unsigned char *in, unsigned char *out, int bytes) {
    int done = bytes;
    if (stream->ours)
        must(arcfour_apply(stream->ours, in, out, bytes) == ARCFOUR_OK, "arcfour_apply");
    else
        must(EVP_CipherUpdate(stream->theirs, out, &done, in, bytes), "EVP_CipherUpdate");
    return done;
}

static int end(struct stream *stream, unsigned char *rest) {
    int done = 0;
    if (stream->ours) {
        arcfour_free(stream->ours);
        return 0;
    }
    EVP_CIPHER_CTX *context = stream->theirs;
    if (authenticated() && stream->direction == DECRYPT)
        must(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, tag), "setting the tag");
    must(EVP_CipherFinal_ex(context, rest, &done), "EVP_CipherFinal_ex");
    if (authenticated() && stream->direction == ENCRYPT)
        must(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, tag), "getting the tag");
    EVP_CIPHER_CTX_free(context);
    return done;
}

/* Encrypts or decrypts a whole message. Returns the new number of bytes. */
static int message(int direction, unsigned char *data, int bytes) {
    struct stream stream = begin(direction);
    int done = advance(&stream, data, data, bytes);
    return done + end(&stream, data + done);
}

static long nanoseconds(clockid_t clock) {
    struct timespec now;
    must(clock_gettime(clock, &now) == 0, "clock_gettime");
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

struct times {
    long wall, cpu;
};

static struct times timed(int direction, unsigned char *data, int *bytes) {
    long cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID), wall = nanoseconds(CLOCK_MONOTONIC);
    *bytes = message(direction, data, *bytes);
    wall = nanoseconds(CLOCK_MONOTONIC) - wall;
    return (struct times){wall, nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

/* Prints the memory of a keyed cipher, as the allocator counts it. An earlier cipher fills OpenSSL's caches.
 * The allocator must not cache freed pieces: GLIBC_TUNABLES=glibc.malloc.tcache_count=0. */
static void state(void) {
    begin(ENCRYPT);
    size_t before = mallinfo2().uordblks;
    begin(ENCRYPT);
    printf("{\"state_bytes\": %zu}\n", mallinfo2().uordblks - before);
}

/* Reads VmHWM. getrusage would keep the peak of the parent program over execve. */
static long peak_kib(void) {
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    must(status != NULL, "opening /proc/self/status");
    while (fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &kib);
    fclose(status);
    return kib;
}

static void print(const char *name, const struct times *times, int count) {
    printf(", \"%s_ns\": [", name);
    for (int n = 0; n < count; n++) printf("%s%ld", n ? ", " : "", times[n].wall);
    printf("], \"%s_cpu_ns\": [", name);
    for (int n = 0; n < count; n++) printf("%s%ld", n ? ", " : "", times[n].cpu);
    printf("]");
}

static int size_of(FILE *file, const char *path) {
    if (fseek(file, 0, SEEK_END) != 0) err(1, "%s", path);
    long bytes = ftell(file);
    rewind(file);
    if (bytes < 1 || bytes > 1L << 30) errx(1, "%s: %ld bytes; 1 to 2^30 can be measured", path, bytes);
    return (int)bytes;
}

static void measure(FILE *file, const char *path, int count) {
    int bytes = size_of(file, path);
    unsigned char *plain = malloc(bytes), *work = malloc(bytes + SPARE);
    struct times *encrypt = calloc(count + 1, sizeof *encrypt), *decrypt = calloc(count + 1, sizeof *decrypt);
    must(plain && work && encrypt && decrypt, "allocating memory");
    must(fread(plain, 1, bytes, file) == (size_t)bytes, "reading the file");
    for (int n = 0; n <= count; n++) { /* the first run warms up */
        int length = bytes;
        memcpy(work, plain, bytes);
        encrypt[n] = timed(ENCRYPT, work, &length);
        if (memcmp(work, plain, bytes) == 0) errx(1, "the ciphertext is the plaintext");
        decrypt[n] = timed(DECRYPT, work, &length);
        if (length != bytes || memcmp(work, plain, bytes) != 0) errx(1, "what came back is not what went in");
    }
    printf("{\"bytes\": %d, \"peak_kib\": %ld", bytes, peak_kib());
    print("encrypt", encrypt + 1, count);
    print("decrypt", decrypt + 1, count);
    printf("}\n");
}

static void pieces(FILE *file, const char *path, int size) {
    int total = size_of(file, path), opened;
    unsigned char *plain = malloc(size + SPARE), *sealed = malloc(size + SPARE), *back = malloc(size + SPARE);
    must(plain && sealed && back, "allocating memory");
    struct stream there = begin(ENCRYPT), home = begin(DECRYPT);
    FILE *again = fopen(path, "rb");
    must(again != NULL, "opening the file again");
    for (int bytes; (bytes = fread(plain, 1, size, file)) > 0;) {
        int done = advance(&there, plain, sealed, bytes);
        opened = advance(&home, sealed, back, done);
        must(fread(plain, 1, opened, again) == (size_t)opened, "reading the file again");
        if (memcmp(back, plain, opened) != 0) errx(1, "what came back is not what went in");
    }
    int done = end(&there, sealed);
    opened = advance(&home, sealed, back, done);
    opened += end(&home, back + opened);
    must(fread(plain, 1, opened, again) == (size_t)opened && fgetc(again) == EOF, "the last piece");
    if (memcmp(back, plain, opened) != 0) errx(1, "what came back is not what went in");
    printf("{\"bytes\": %d, \"peak_kib\": %ld}\n", total, peak_kib());
}

static void write_to(FILE *file, const char *path, const char *output) {
    int bytes = size_of(file, path);
    unsigned char *data = malloc(bytes + SPARE);
    must(data != NULL, "allocating memory");
    must(fread(data, 1, bytes, file) == (size_t)bytes, "reading the file");
    bytes = message(ENCRYPT, data, bytes);
    FILE *sink = fopen(output, "wb");
    if (!sink || fwrite(data, 1, bytes, sink) != (size_t)bytes || fclose(sink) != 0) err(1, "%s", output);
    printf("{\"bytes\": %d}\n", bytes);
}

enum { PAGE = 4096 };

static void *at_page(size_t bytes, const char *file, int line) {
    (void)file, (void)line;
    return aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
}

static void *moved(void *old, size_t bytes, const char *file, int line) {
    size_t kept = malloc_usable_size(old);
    void *new = at_page(bytes, file, line);
    if (new && old) memcpy(new, old, kept < bytes ? kept : bytes);
    if (new || bytes == 0) free(old);
    return new;
}

static void released(void *old, const char *file, int line) {
    (void)file, (void)line;
    free(old);
}

int main(int argc, char **argv) {
    if (argc != 6) errx(2, "usage: evp measure|aligned|pieces|write|state CIPHER KEY FILE REPEATS|BYTES|OUTPUT|1");
    const char *action = argv[1], *cipher = argv[2], *path = argv[4];
    int aligned = strcmp(action, "aligned") == 0;
    if (aligned) must(CRYPTO_set_mem_functions(at_page, moved, released), "CRYPTO_set_mem_functions");
    unsigned char *given = OPENSSL_hexstr2buf(argv[3], &key_bytes);
    if (!given || key_bytes < 1 || key_bytes > EVP_MAX_KEY_LENGTH)
        errx(2, "key %s: 1 to %d bytes in hexadecimal", argv[3], EVP_MAX_KEY_LENGTH);
    memcpy(key, given, key_bytes);
    if (strcmp(cipher, "arcfour") != 0) {
        must(OSSL_PROVIDER_load(NULL, "default") && OSSL_PROVIDER_load(NULL, "legacy"), "loading the providers");
        evp = EVP_CIPHER_fetch(NULL, cipher, NULL);
        if (!evp) errx(2, "OpenSSL has no cipher %s", cipher);
    }
    FILE *file = fopen(path, "rb");
    if (!file) err(1, "%s", path);
    int number = atoi(argv[5]);
    if (strcmp(action, "write") == 0)
        write_to(file, path, argv[5]);
    else if (number < 1)
        errx(2, "%s: a number from 1 is needed", argv[5]);
    else if (aligned || strcmp(action, "measure") == 0)
        measure(file, path, number);
    else if (strcmp(action, "pieces") == 0)
        pieces(file, path, number);
    else if (strcmp(action, "state") == 0)
        state();
    else
        errx(2, "%s: measure, aligned, pieces, write or state", action);
    return 0;
}
