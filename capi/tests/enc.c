/* Files of openssl enc: enc e|d KEY-BITS HASH ITERATIONS SALT TEXT PASSPHRASE < in > out, the options as numbers;
   without arguments, every error that the functions name. */
#include <arcfour.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), exit(1)))

static const uint8_t salt[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void convert(arcfour_enc *enc) {
    static uint8_t piece[5000];
    const uint8_t *out;
    size_t len, out_len;
    arcfour_error error = ARCFOUR_OK;
    /* Pieces of many lengths, 0 among them. */
    for (size_t next = 0; !error && !feof(stdin); next = (next * 7 + 1) % sizeof piece) {
        len = fread(piece, 1, next, stdin);
        error = arcfour_enc_push(enc, piece, len, &out, &out_len);
        CHECK(fwrite(out, 1, out_len, stdout) == out_len);
    }
    if (!error) {
        error = arcfour_enc_finish(enc, &out, &out_len);
        CHECK(fwrite(out, 1, out_len, stdout) == out_len);
    }
    CHECK(fflush(stdout) == 0 && !ferror(stdin));
    if (error) fprintf(stderr, "%s\n", arcfour_strerror(error)), exit(1);
}

static void errors(void) {
    const uint8_t *word = (const uint8_t *)"secret", *out = word;
    arcfour_enc_options plain = {0}, options;
    static uint8_t long_text[5000];
    arcfour_enc *const no_value = (arcfour_enc *)(void *)long_text, *enc = no_value;
    size_t len = 7;
    CHECK(arcfour_enc_encrypt(NULL, word, 6, &plain) == ARCFOUR_NULL);
    CHECK(arcfour_enc_encrypt(&enc, NULL, 6, &plain) == ARCFOUR_NULL && enc == NULL);
    CHECK(arcfour_enc_encrypt(&enc, word, 6, NULL) == ARCFOUR_NULL);
    CHECK(arcfour_enc_decrypt(NULL, word, 6, &plain) == ARCFOUR_NULL);
    enc = no_value;
    CHECK(arcfour_enc_decrypt(&enc, NULL, 6, &plain) == ARCFOUR_NULL);
    CHECK(arcfour_enc_decrypt(&enc, word, 6, NULL) == ARCFOUR_NULL);
    CHECK(arcfour_enc_decrypt(&enc, word, SIZE_MAX, &plain) == ARCFOUR_LENGTH && enc == NULL);
#define REFUSED(member, value) \
    (options = plain, options.member = (value), enc = no_value, arcfour_enc_encrypt(&enc, word, 6, &options) == ARCFOUR_OPTION && \
     arcfour_enc_decrypt(&enc, word, 6, &options) == ARCFOUR_OPTION)
    CHECK(REFUSED(key_bits, 64) && REFUSED(key_bits, -1));
    CHECK(REFUSED(hash, -1) && REFUSED(hash, ARCFOUR_SHA512 + 1));
    CHECK(REFUSED(iterations, 0x80000000u));
    CHECK(REFUSED(salt, -1) && REFUSED(salt, ARCFOUR_SALT_NONE + 1));
    CHECK(REFUSED(text, -1) && REFUSED(text, ARCFOUR_BASE64 + 1));
    CHECK(enc == NULL);

    CHECK(arcfour_enc_encrypt(&enc, word, 6, &plain) == ARCFOUR_OK);
    CHECK(arcfour_enc_push(NULL, word, 6, &out, &len) == ARCFOUR_NULL);
    CHECK(arcfour_enc_push(enc, NULL, 6, &out, &len) == ARCFOUR_NULL);
    CHECK(arcfour_enc_push(enc, word, 6, NULL, &len) == ARCFOUR_NULL);
    CHECK(arcfour_enc_push(enc, word, 6, &out, NULL) == ARCFOUR_NULL);
    CHECK(arcfour_enc_push(enc, word, SIZE_MAX, &out, &len) == ARCFOUR_LENGTH);
    CHECK(arcfour_enc_finish(NULL, &out, &len) == ARCFOUR_NULL);
    CHECK(out == word && len == 7);
    CHECK(arcfour_enc_push(enc, NULL, 0, &out, &len) == ARCFOUR_OK);
    CHECK(arcfour_enc_push(enc, word, 6, &out, &len) == ARCFOUR_OK);
    /* The last result is no input, be it the whole, its end, or room that an earlier result had. */
    CHECK(arcfour_enc_push(enc, long_text, sizeof long_text, &out, &len) == ARCFOUR_OK && len == sizeof long_text);
    const uint8_t *result = out;
    CHECK(arcfour_enc_push(enc, result, len, &out, &len) == ARCFOUR_OVERLAP);
    CHECK(arcfour_enc_push(enc, result + len - 1, 1, &out, &len) == ARCFOUR_OVERLAP);
    CHECK(out == result && len == sizeof long_text);
    CHECK(arcfour_enc_push(enc, word, 6, &out, &len) == ARCFOUR_OK && len == 6);
    CHECK(arcfour_enc_push(enc, result + sizeof long_text - 1, 1, &out, &len) == ARCFOUR_OVERLAP);
    CHECK(arcfour_enc_finish(enc, &out, &len) == ARCFOUR_OK);
    CHECK(arcfour_enc_push(enc, word, 6, &out, &len) == ARCFOUR_ENDED && out == NULL && len == 0);
    CHECK(arcfour_enc_finish(enc, &out, &len) == ARCFOUR_ENDED);
    arcfour_enc_free(enc);
    arcfour_enc_free(NULL);

    CHECK(arcfour_enc_decrypt(&enc, word, 6, &plain) == ARCFOUR_OK);
    CHECK(arcfour_enc_push(enc, (const uint8_t *)"Saltless, and long enough", 25, &out, &len) == ARCFOUR_HEADER);
    CHECK(arcfour_enc_push(enc, word, 6, &out, &len) == ARCFOUR_ENDED);
    arcfour_enc_free(enc);
    CHECK(arcfour_enc_decrypt(&enc, word, 6, &plain) == ARCFOUR_OK);
    CHECK(arcfour_enc_push(enc, (const uint8_t *)"Salted__123", 11, &out, &len) == ARCFOUR_OK && len == 0);
    CHECK(arcfour_enc_finish(enc, &out, &len) == ARCFOUR_HEADER);
    arcfour_enc_free(enc);

    /* What comes before the fault is there. */
    options = plain;
    options.salt = ARCFOUR_SALT_NONE;
    options.text = ARCFOUR_BASE64_LINES;
    CHECK(arcfour_enc_decrypt(&enc, word, 6, &options) == ARCFOUR_OK);
    CHECK(arcfour_enc_push(enc, (const uint8_t *)"AAAAAAAA!", 9, &out, &len) == ARCFOUR_TEXT && len == 6);
    arcfour_enc_free(enc);
}

int main(int argc, char **argv) {
    if (argc == 1) {
        errors();
        return 0;
    }
    CHECK(argc == 8);
    arcfour_enc_options options = {
        .key_bits = atoi(argv[2]), .hash = atoi(argv[3]), .iterations = (uint32_t)atol(argv[4]),
        .salt = atoi(argv[5]), .text = atoi(argv[6]),
    };
    memcpy(options.salt_bytes, salt, 8);
    arcfour_enc *enc;
    const uint8_t *passphrase = (const uint8_t *)argv[7];
    CHECK((*argv[1] == 'e' ? arcfour_enc_encrypt : arcfour_enc_decrypt)(&enc, passphrase, strlen(argv[7]), &options) == 0);
    convert(enc);
    arcfour_enc_free(enc);
    return 0;
}
