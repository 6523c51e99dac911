/* Every function of arcfour.h, and every error it names: api VECTORS-FOLDER FILE-OF-RC4... */
#include <arcfour.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), exit(1)))

enum { STREAMS = 11, LONG = 5000 };

static const uint8_t key[] = {1, 2, 3, 4, 5};
static const uint8_t start[] = {0xb2, 0x39, 0x63, 0x05, 0xf0, 0x3d, 0xc0, 0x27};

/* KEY OFFSET KEYSTREAM, or with an IV after the key, of the family that the file is named after. */
static void family_vectors(const char *path, int family, int with_iv) {
    static char line[8192], hex[3][4096];
    static uint8_t bytes[3][2048], found[2048], zeros[2048];
    uint64_t offset;
    int rows = 0;
    FILE *file = fopen(path, "r");
    CHECK(file);
    while (fgets(line, sizeof line, file)) {
        size_t len[3] = {0};
        unsigned byte;
        int fields = with_iv ? sscanf(line, "%4095s %4095s %" SCNu64 " %4095s", hex[0], hex[1], &offset, hex[2])
                             : sscanf(line, "%4095s %" SCNu64 " %4095s", hex[0], &offset, hex[2]);
        if (line[0] == '#' || fields != 3 + with_iv || offset > 1 << 16) continue;
        for (int n = 0; n < 3; n++)
            if (n != 1 || with_iv)
                for (char *at = hex[n]; sscanf(at, "%2x", &byte) == 1; at += 2) bytes[n][len[n]++] = (uint8_t)byte;
        arcfour *stream;
        CHECK(arcfour_new_family(&stream, family, bytes[0], len[0], bytes[1], len[1], offset) == ARCFOUR_OK);
        CHECK(arcfour_apply(stream, zeros, found, len[2]) == ARCFOUR_OK && !memcmp(found, bytes[2], len[2]));
        CHECK(arcfour_position(stream) == len[2]);
        arcfour_error error = arcfour_key(stream, bytes[0], len[0], 0);
        CHECK(error == (with_iv ? ARCFOUR_IV_LENGTH : ARCFOUR_OK));
        if (!with_iv) {
            memset(found, 0, len[2]);
            CHECK(arcfour_skip(stream, offset) == ARCFOUR_OK && arcfour_position(stream) == offset);
            CHECK(arcfour_apply(stream, found, found, len[2]) == ARCFOUR_OK && !memcmp(found, bytes[2], len[2]));
        }
        arcfour_free(stream);
        rows++;
    }
    fclose(file);
    CHECK(rows > 0);
}

static void families(const char *folder) {
    static const struct { const char *file; int family, with_iv; } all[] = {
        {"rc4-keys.txt", ARCFOUR_RC4, 0},      {"rc4a.txt", ARCFOUR_RC4A, 0},
        {"vmpc.txt", ARCFOUR_VMPC, 1},         {"vmpc-ksa3.txt", ARCFOUR_VMPC_KSA3, 1},
        {"rc4plus.txt", ARCFOUR_RC4PLUS, 0},   {"spritz.txt", ARCFOUR_SPRITZ, 0},
        {"parc4i.txt", ARCFOUR_PARC4I, 0},     {"parc4i-text.txt", ARCFOUR_PARC4I_TEXT, 0},
        {"parc4r.txt", ARCFOUR_PARC4R, 0},
    };
    char path[4096];
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        CHECK(snprintf(path, sizeof path, "%s/%s", folder, all[n].file) < (int)sizeof path);
        family_vectors(path, all[n].family, all[n].with_iv);
    }
    arcfour *stream = (arcfour *)(void *)path;
    CHECK(arcfour_new_family(NULL, ARCFOUR_RC4A, key, 5, NULL, 0, 0) == ARCFOUR_NULL);
    CHECK(arcfour_new_family(&stream, ARCFOUR_RC4A, NULL, 5, NULL, 0, 0) == ARCFOUR_NULL);
    CHECK(arcfour_new_family(&stream, ARCFOUR_VMPC, key, 5, NULL, 5, 0) == ARCFOUR_NULL);
    CHECK(arcfour_new_family(&stream, ARCFOUR_VMPC, key, 5, NULL, 0, 0) == ARCFOUR_IV_LENGTH);
    CHECK(arcfour_new_family(&stream, ARCFOUR_RC4, key, 5, key, 5, 0) == ARCFOUR_IV_LENGTH);
    CHECK(arcfour_new_family(&stream, ARCFOUR_RC4PLUS, key, 0, NULL, 0, 0) == ARCFOUR_KEY_LENGTH);
    CHECK(arcfour_new_family(&stream, -1, key, 5, NULL, 0, 0) == ARCFOUR_FAMILY);
    CHECK(arcfour_new_family(&stream, ARCFOUR_PARC4R + 1, key, 5, NULL, 0, 0) == ARCFOUR_FAMILY);
    CHECK(stream == NULL);

    /* Overlapping buffers, by a family that works in place. */
    uint8_t text[16], expected[8];
    for (int n = 0; n < 16; n++) text[n] = (uint8_t)n;
    CHECK(arcfour_new_family(&stream, ARCFOUR_SPRITZ, key, 5, NULL, 0, 0) == ARCFOUR_OK);
    CHECK(arcfour_apply(stream, text, expected, 8) == ARCFOUR_OK);
    CHECK(arcfour_key(stream, key, 5, 0) == ARCFOUR_OK);
    CHECK(arcfour_apply(stream, NULL, text, 8) == ARCFOUR_NULL);
    CHECK(arcfour_apply(stream, text, NULL, 8) == ARCFOUR_NULL);
    CHECK(arcfour_apply(stream, text, text + 3, 8) == ARCFOUR_OK && !memcmp(text + 3, expected, 8));
    arcfour_free(stream);
}

static void vectors(const char *path) {
    static char line[8192], key_hex[2048], keystream_hex[4096];
    uint8_t bytes[2][2048];
    uint64_t offset;
    int rows = 0;
    FILE *file = fopen(path, "r");
    CHECK(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || sscanf(line, "%2047s %" SCNu64 " %4095s", key_hex, &offset, keystream_hex) != 3) continue;
        if (offset > 1 << 16) continue;
        size_t len[2] = {0, 0};
        const char *hex[2] = {key_hex, keystream_hex};
        unsigned byte;
        for (int n = 0; n < 2; n++)
            for (; sscanf(hex[n], "%2x", &byte) == 1; hex[n] += 2) bytes[n][len[n]++] = (uint8_t)byte;
        uint8_t found[2048];
        arcfour *by_skip, *by_drop;
        CHECK(arcfour_new(&by_skip, bytes[0], len[0], 0) == ARCFOUR_OK);
        CHECK(arcfour_new(&by_drop, bytes[0], len[0], offset) == ARCFOUR_OK);
        CHECK(arcfour_skip(by_skip, offset) == ARCFOUR_OK);
        CHECK(arcfour_position(by_skip) == offset && arcfour_position(by_drop) == 0);
        CHECK(arcfour_fill(by_skip, found, len[1]) == ARCFOUR_OK && !memcmp(found, bytes[1], len[1]));
        memset(found, 0, len[1]);
        CHECK(arcfour_apply(by_drop, found, found, len[1]) == ARCFOUR_OK && !memcmp(found, bytes[1], len[1]));
        CHECK(arcfour_position(by_drop) == len[1]);
        CHECK(arcfour_key(by_drop, bytes[0], len[0], offset) == ARCFOUR_OK && arcfour_position(by_drop) == 0);
        CHECK(arcfour_fill(by_drop, found, len[1]) == ARCFOUR_OK && !memcmp(found, bytes[1], len[1]));
        arcfour_free(by_skip);
        arcfour_free(by_drop);
        rows++;
    }
    fclose(file);
    CHECK(rows > 0);
}

static void one_stream(void) {
    uint8_t text[64], expected[64], zeros[64] = {0};
    arcfour *stream = (arcfour *)(void *)text, *other = stream;
    CHECK(arcfour_new(NULL, key, sizeof key, 0) == ARCFOUR_NULL);
    CHECK(arcfour_new(&stream, NULL, 5, 0) == ARCFOUR_NULL && stream == NULL);
    CHECK(arcfour_new(&stream, NULL, 0, 0) == ARCFOUR_KEY_LENGTH);
    CHECK(arcfour_new(&stream, expected, 257, 0) == ARCFOUR_KEY_LENGTH && stream == NULL);
    CHECK(arcfour_new(&stream, key, (size_t)-1, 0) == ARCFOUR_LENGTH && stream == NULL);
    CHECK(arcfour_new(&stream, key, sizeof key, 0) == ARCFOUR_OK);

    CHECK(arcfour_fill(NULL, text, 1) == ARCFOUR_NULL);
    CHECK(arcfour_fill(stream, NULL, 1) == ARCFOUR_NULL);
    CHECK(arcfour_fill(stream, text, (size_t)-1) == ARCFOUR_LENGTH);
    CHECK(arcfour_fill(stream, NULL, 0) == ARCFOUR_OK);
    CHECK(arcfour_apply(NULL, text, text, 1) == ARCFOUR_NULL);
    CHECK(arcfour_apply(stream, NULL, text, 1) == ARCFOUR_NULL);
    CHECK(arcfour_apply(stream, zeros, NULL, 1) == ARCFOUR_NULL);
    CHECK(arcfour_apply(stream, zeros, text, (size_t)-1) == ARCFOUR_LENGTH);
    CHECK(arcfour_apply(stream, NULL, NULL, 0) == ARCFOUR_OK);
    CHECK(arcfour_skip(NULL, 1) == ARCFOUR_NULL);
    CHECK(arcfour_key(NULL, key, 5, 0) == ARCFOUR_NULL);
    CHECK(arcfour_key(stream, NULL, 5, 0) == ARCFOUR_NULL);
    CHECK(arcfour_key(stream, key, 0, 0) == ARCFOUR_KEY_LENGTH);
    CHECK(arcfour_position(NULL) == 0 && arcfour_position(stream) == 0);
    CHECK(arcfour_copy(NULL, stream) == ARCFOUR_NULL);
    CHECK(arcfour_copy(&other, NULL) == ARCFOUR_NULL && other == NULL);
    arcfour_free(NULL);

    /* After all these errors it is where it was. */
    CHECK(arcfour_fill(stream, text, sizeof start) == ARCFOUR_OK && !memcmp(text, start, sizeof start));

    /* A copy goes on by itself, and outlives what it was copied from; so of every family. */
    for (int family = ARCFOUR_RC4; family <= ARCFOUR_PARC4R; family++) {
        int with_iv = family == ARCFOUR_VMPC || family == ARCFOUR_VMPC_KSA3;
        arcfour *one;
        CHECK(arcfour_new_family(&one, family, key, sizeof key, key, with_iv ? 5 : 0, 7) == ARCFOUR_OK);
        CHECK(arcfour_skip(one, 100) == ARCFOUR_OK && arcfour_copy(&other, one) == ARCFOUR_OK);
        CHECK(arcfour_fill(one, expected, 64) == ARCFOUR_OK && arcfour_position(other) == 100);
        arcfour_free(one);
        CHECK(arcfour_fill(other, text, 64) == ARCFOUR_OK && !memcmp(text, expected, 64));
        CHECK(arcfour_position(other) == 164);
        arcfour_free(other);
    }

    /* From one buffer to another, in place, and overlapping either way. */
    for (int from = 0; from <= 8; from++)
        for (int to = 0; to <= 8; to++) {
            for (int n = 0; n < 64; n++) text[n] = (uint8_t)n;
            CHECK(arcfour_new(&other, key, sizeof key, 0) == ARCFOUR_OK);
            CHECK(arcfour_apply(other, text + from, expected, 40) == ARCFOUR_OK);
            CHECK(arcfour_key(stream, key, sizeof key, 0) == ARCFOUR_OK);
            CHECK(arcfour_apply(stream, text + from, text + to, 40) == ARCFOUR_OK);
            CHECK(!memcmp(text + to, expected, 40));
            arcfour_free(other);
        }
    arcfour_free(stream);
}

static uint8_t data[STREAMS][LONG], expected[LONG];

/* Leave the data alone, and the streams where they were, as the caller sees next. */
static void refusals(arcfour_many *many, const uint8_t **key_at, size_t *key_lens, uint8_t **data_at,
                     size_t *lens) {
    static uint8_t before[STREAMS][LONG];
    memcpy(before, data, sizeof data);
    CHECK(arcfour_apply_many(NULL, data_at, lens) == ARCFOUR_NULL);
    CHECK(arcfour_apply_many(many, NULL, lens) == ARCFOUR_NULL);
    CHECK(arcfour_apply_many(many, data_at, NULL) == ARCFOUR_NULL);
    data_at[9] = data[8] + lens[8] - 1;
    CHECK(arcfour_fill_many(many, data_at, lens) == ARCFOUR_OVERLAP);
    data_at[9] = NULL;
    CHECK(arcfour_apply_many(many, data_at, lens) == ARCFOUR_NULL);
    data_at[9] = data[9];
    size_t len = lens[10];
    lens[10] = (size_t)-1;
    CHECK(arcfour_apply_many(many, data_at, lens) == ARCFOUR_LENGTH);
    lens[10] = len;
    CHECK(arcfour_many_key(NULL, key_at, key_lens) == ARCFOUR_NULL);
    CHECK(arcfour_many_key(many, NULL, key_lens) == ARCFOUR_NULL);
    key_lens[10] = 257;
    CHECK(arcfour_many_key(many, key_at, key_lens) == ARCFOUR_KEY_LENGTH);
    key_lens[10] = 11;
    CHECK(memcmp(before, data, sizeof data) == 0);
}

static void many_streams(void) {
    uint8_t keys[STREAMS][257];
    const uint8_t *key_at[STREAMS];
    uint8_t *data_at[STREAMS];
    size_t key_lens[STREAMS], lens[STREAMS];
    for (int n = 0; n < STREAMS; n++) {
        memset(keys[n], 'A' + n, sizeof keys[n]);
        key_at[n] = keys[n], key_lens[n] = (size_t)n + 1;
        data_at[n] = n == 3 ? NULL : data[n], lens[n] = n == 3 ? 0 : LONG - 7 * (size_t)n;
    }
    CHECK(arcfour_lanes() >= 1);
    arcfour_many *many = (arcfour_many *)(void *)keys;
    CHECK(arcfour_many_new(NULL, key_at, key_lens, STREAMS) == ARCFOUR_NULL);
    CHECK(arcfour_many_new(&many, NULL, key_lens, STREAMS) == ARCFOUR_NULL && many == NULL);
    CHECK(arcfour_many_new(&many, key_at, NULL, STREAMS) == ARCFOUR_NULL);
    CHECK(arcfour_many_new(&many, key_at, key_lens, (size_t)-1 / 4) == ARCFOUR_LENGTH);
    key_lens[4] = 0;
    CHECK(arcfour_many_new(&many, key_at, key_lens, STREAMS) == ARCFOUR_KEY_LENGTH && many == NULL);
    key_lens[4] = 5;
    CHECK(arcfour_many_new(&many, key_at, key_lens, STREAMS) == ARCFOUR_OK);

    for (int round = 0; round < 3; round++) {
        refusals(many, key_at, key_lens, data_at, lens);
        memset(data, round, sizeof data);
        if (round == 1)
            CHECK(arcfour_fill_many(many, data_at, lens) == ARCFOUR_OK);
        else
            CHECK(arcfour_apply_many(many, data_at, lens) == ARCFOUR_OK);
        for (int n = 0; n < STREAMS; n++) {
            arcfour *one;
            memset(expected, round == 1 ? 0 : round, sizeof expected);
            CHECK(arcfour_new(&one, key_at[n], key_lens[n], 0) == ARCFOUR_OK);
            CHECK(arcfour_skip(one, lens[n] * (uint64_t)round) == ARCFOUR_OK);
            CHECK(arcfour_apply(one, expected, expected, lens[n]) == ARCFOUR_OK);
            CHECK(!memcmp(data[n], expected, lens[n]));
            for (size_t at = lens[n]; at < LONG; at++) CHECK(data[n][at] == round);
            arcfour_free(one);
        }
    }

    for (int n = 0; n < STREAMS; n++) key_at[n] = key, key_lens[n] = sizeof key, data_at[n] = data[n], lens[n] = sizeof start;
    CHECK(arcfour_many_key(many, key_at, key_lens) == ARCFOUR_OK);
    CHECK(arcfour_fill_many(many, data_at, lens) == ARCFOUR_OK);
    for (int n = 0; n < STREAMS; n++) CHECK(!memcmp(data[n], start, sizeof start));
    arcfour_many_free(many);
    arcfour_many_free(NULL);
    CHECK(arcfour_many_new(&many, NULL, NULL, 0) == ARCFOUR_OK);
    CHECK(arcfour_apply_many(many, NULL, NULL) == ARCFOUR_OK);
    arcfour_many_free(many);
}

int main(int argc, char **argv) {
    CHECK(argc > 2);
    families(argv[1]);
    for (int n = 2; n < argc; n++) vectors(argv[n]);
    one_stream();
    many_streams();
    for (int error = -1; error <= ARCFOUR_ENDED + 1; error++) {
        const char *text = arcfour_strerror(error);
        int known = error >= 0 && error <= ARCFOUR_ENDED;
        CHECK(text && *text && (strcmp(text, "no such error") != 0) == known);
    }
    char header[32];
    snprintf(header, sizeof header, "%d.%d.%d", ARCFOUR_VERSION_MAJOR, ARCFOUR_VERSION_MINOR, ARCFOUR_VERSION_PATCH);
    CHECK(!strcmp(arcfour_version(), header));
    puts("arcfour.h: done");
    return 0;
}
