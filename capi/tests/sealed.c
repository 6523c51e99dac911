/* Sealed files through arcfour.h: sealed FOLDER, the container's test kit. */
#include <arcfour.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), exit(1)))

enum { MOST = 1 << 20 };

/* An input in memory that is read in small and odd pieces, and can fail. */
typedef struct {
    const uint8_t *bytes;
    size_t len, fails_at;
    uint64_t farthest;
} input;

static ptrdiff_t read_input(void *context, uint64_t offset, uint8_t *buffer, size_t len) {
    input *in = context;
    if (offset >= in->fails_at) return -1;
    if (offset >= in->len) return 0;
    if (len > 1000 + offset % 7) len = 1000 + offset % 7;
    if (len > in->len - offset) len = in->len - (size_t)offset;
    memcpy(buffer, in->bytes + offset, len);
    if (offset + len > in->farthest) in->farthest = offset + len;
    return (ptrdiff_t)len;
}

static ptrdiff_t lies(void *context, uint64_t offset, uint8_t *buffer, size_t len) {
    (void)context, (void)offset, (void)buffer;
    return (ptrdiff_t)len + 1;
}

/* All that comes until the end or an error; `*len` bytes of it. */
static arcfour_error take(arcfour_sealed *sealed, uint8_t *out, size_t *len) {
    arcfour_error error;
    const uint8_t *piece;
    size_t more;
    *len = 0;
    while ((error = arcfour_sealed_next(sealed, &piece, &more)) == ARCFOUR_OK && more > 0) {
        CHECK(*len + more <= MOST);
        memcpy(out + *len, piece, more);
        *len += more;
    }
    CHECK((*arcfour_sealed_fault(sealed) != 0) == (error != ARCFOUR_OK));
    if (error != ARCFOUR_OK)
        CHECK(arcfour_sealed_next(sealed, &piece, &more) == ARCFOUR_OK && more == 0);
    arcfour_sealed_free(sealed);
    return error;
}

static size_t load(const char *folder, const char *name, const char *ending, uint8_t *bytes) {
    char path[4096];
    CHECK(snprintf(path, sizeof path, "%s/%s%s", folder, name, ending) < (int)sizeof path);
    FILE *file = fopen(path, "rb");
    CHECK(file);
    size_t len = fread(bytes, 1, MOST, file);
    CHECK(len < MOST);
    fclose(file);
    return len;
}

static uint8_t plain[MOST], sealed_bytes[MOST], out[MOST], secrets[2][MOST];
static size_t secret_lens[2];

/* What `expected.txt` says of each file. */
static void test_kit(const char *folder) {
    char path[4096], line[256], name[128], key[32], verdict[64];
    unsigned long released;
    int files = 0;
    CHECK(snprintf(path, sizeof path, "%s/expected.txt", folder) < (int)sizeof path);
    FILE *file = fopen(path, "r");
    CHECK(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || sscanf(line, "%127s %31s %63s %lu", name, key, verdict, &released) != 4) continue;
        static uint8_t secret[MOST];
        int kind = strstr(key, "key") ? ARCFOUR_KEY_FILE : ARCFOUR_PASSPHRASE;
        size_t secret_len = load(folder, key, "", secret);
        input in = {sealed_bytes, load(folder, name, ".sealed", sealed_bytes), SIZE_MAX, 0};
        arcfour_sealed *sealed;
        size_t len;
        CHECK(arcfour_open(&sealed, read_input, &in, kind, secret, secret_len) == ARCFOUR_OK);
        arcfour_error error = take(sealed, out, &len);
        CHECK(error == (strcmp(verdict, "ok") == 0 ? ARCFOUR_OK : ARCFOUR_SEALED));
        CHECK(len == released && memcmp(out, plain, len) == 0);
        files++;
    }
    fclose(file);
    CHECK(files > 80);
}

static void there_and_back(void) {
    static const size_t lens[] = {0, 1, 1000, 600000};
    arcfour_sealed *sealed;
    const uint8_t *key = secrets[ARCFOUR_KEY_FILE];
    size_t key_len = secret_lens[ARCFOUR_KEY_FILE], len, found;
    for (size_t n = 0; n < sizeof lens / sizeof *lens; n++) {
        input in = {plain, lens[n], SIZE_MAX, 0};
        CHECK(arcfour_seal(&sealed, read_input, &in, ARCFOUR_KEY_FILE, key, key_len) == ARCFOUR_OK);
        CHECK(take(sealed, sealed_bytes, &len) == ARCFOUR_OK && len > lens[n]);
        input back = {sealed_bytes, len, SIZE_MAX, 0};
        CHECK(arcfour_open(&sealed, read_input, &back, ARCFOUR_KEY_FILE, key, key_len) == ARCFOUR_OK);
        CHECK(take(sealed, out, &found) == ARCFOUR_OK && found == lens[n] && !memcmp(out, plain, found));
        CHECK(arcfour_open(&sealed, read_input, &back, ARCFOUR_PASSPHRASE, key, key_len) == ARCFOUR_OK);
        CHECK(take(sealed, out, &found) == ARCFOUR_SEALED && found == 0);
    }
    /* A range: the bytes, and no more of the file than they need. */
    input in = {sealed_bytes, len, SIZE_MAX, 0};
    CHECK(arcfour_open_range(&sealed, read_input, &in, len, ARCFOUR_KEY_FILE, key, key_len, 1000, 5000) == ARCFOUR_OK);
    CHECK(take(sealed, out, &found) == ARCFOUR_OK && found == 5000 && !memcmp(out, plain + 1000, found));
    CHECK(in.farthest < 300000);
    CHECK(arcfour_open_range(&sealed, read_input, &in, len, ARCFOUR_KEY_FILE, key, key_len, 599999, 2) == ARCFOUR_OK);
    CHECK(take(sealed, out, &found) == ARCFOUR_RANGE && found == 0);
    /* An input that fails at once, or in the middle. */
    for (size_t at = 0; at < len; at += 150000) {
        input fails = {sealed_bytes, len, at, 0};
        CHECK(arcfour_open(&sealed, read_input, &fails, ARCFOUR_KEY_FILE, key, key_len) == ARCFOUR_OK);
        CHECK(take(sealed, out, &found) == ARCFOUR_READ && found <= at && !memcmp(out, plain, found));
    }
    CHECK(arcfour_seal(&sealed, lies, NULL, ARCFOUR_KEY_FILE, key, key_len) == ARCFOUR_OK);
    CHECK(take(sealed, out, &found) == ARCFOUR_READ && found == 0);
}

static void refusals(void) {
    const uint8_t *piece = plain, *key = secrets[ARCFOUR_KEY_FILE];
    size_t len = 7, key_len = secret_lens[ARCFOUR_KEY_FILE];
    input in = {plain, 1, SIZE_MAX, 0};
    arcfour_sealed *const no_value = (arcfour_sealed *)(void *)out, *sealed = no_value;
    CHECK(arcfour_seal(NULL, read_input, &in, ARCFOUR_KEY_FILE, key, key_len) == ARCFOUR_NULL);
    CHECK(arcfour_seal(&sealed, NULL, &in, ARCFOUR_KEY_FILE, key, key_len) == ARCFOUR_NULL && sealed == NULL);
    sealed = no_value;
    CHECK(arcfour_open(&sealed, read_input, &in, ARCFOUR_KEY_FILE, NULL, key_len) == ARCFOUR_NULL && sealed == NULL);
    CHECK(arcfour_open(&sealed, read_input, &in, ARCFOUR_KEY_FILE, key, 63) == ARCFOUR_SECRET);
    CHECK(arcfour_open(&sealed, read_input, &in, ARCFOUR_PASSPHRASE, key, 0) == ARCFOUR_SECRET);
    CHECK(arcfour_open(&sealed, read_input, &in, ARCFOUR_PASSPHRASE, plain, 4097) == ARCFOUR_SECRET);
    sealed = no_value;
    CHECK(arcfour_open_range(&sealed, read_input, &in, 1, 2, key, key_len, 0, 0) == ARCFOUR_SECRET);
    CHECK(sealed == NULL);
    CHECK(arcfour_sealed_next(NULL, &piece, &len) == ARCFOUR_NULL && len == 7);
    CHECK(arcfour_seal(&sealed, read_input, &in, ARCFOUR_KEY_FILE, key, key_len) == ARCFOUR_OK);
    CHECK(arcfour_sealed_next(sealed, NULL, &len) == ARCFOUR_NULL);
    CHECK(arcfour_sealed_next(sealed, &piece, NULL) == ARCFOUR_NULL);
    CHECK(*arcfour_sealed_fault(sealed) == 0 && *arcfour_sealed_fault(NULL) == 0);
    arcfour_sealed_free(sealed);
    arcfour_sealed_free(NULL);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    for (size_t n = 0; n < MOST; n++) plain[n] = (uint8_t)(n % 251);
    secret_lens[ARCFOUR_KEY_FILE] = load(argv[1], "key", "", secrets[ARCFOUR_KEY_FILE]);
    secret_lens[ARCFOUR_PASSPHRASE] = load(argv[1], "passphrase", "", secrets[ARCFOUR_PASSPHRASE]);
    test_kit(argv[1]);
    there_and_back();
    refusals();
    puts("sealed files: done");
    return 0;
}
