/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * RC4 and RC4-40 as a provider of OpenSSL 3, on ../single/arcfour.c: see provider-cipher(7) for the interface.
 *
 * RC4 is broken. Do not use it for anything new. */
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <stdlib.h>
#include <string.h>

#include "../single/arcfour.h"

enum { RC4_KEY_LEN = 16, RC4_40_KEY_LEN = 5 };

/* A cipher context. Allocated on a multiple of 256, where the kernels like the table best. */
typedef struct {
    arcfour1 stream;
    size_t key_len;
    int keyed;
} context;

static context *allocate(void) {
    void *room;
    return posix_memalign(&room, 256, sizeof(context)) == 0 ? (context *)room : NULL;
}

static void *new_context(size_t key_len) {
    context *c = allocate();
    if (!c) {
        ERR_raise(ERR_LIB_PROV, ERR_R_MALLOC_FAILURE);
        return NULL;
    }
    memset(c, 0, sizeof *c);
    c->key_len = key_len;
    return c;
}

static void *rc4_newctx(void *provider) {
    (void)provider;
    return new_context(RC4_KEY_LEN);
}

static void *rc4_40_newctx(void *provider) {
    (void)provider;
    return new_context(RC4_40_KEY_LEN);
}

static void freectx(void *ctx) {
    if (ctx) OPENSSL_cleanse(ctx, sizeof(context));
    free(ctx);
}

static void *dupctx(void *ctx) {
    context *copy = (context *)new_context(0);
    if (copy) *copy = *(context *)ctx;
    return copy;
}

static int update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                  size_t len) {
    context *c = (context *)ctx;
    if (!c->keyed) {
        ERR_raise(ERR_LIB_PROV, PROV_R_NO_KEY_SET);
        return 0;
    }
    if (out_size < len) {
        ERR_raise(ERR_LIB_PROV, PROV_R_OUTPUT_BUFFER_TOO_SMALL);
        return 0;
    }
    if (in != out && len > 0 && (uintptr_t)in < (uintptr_t)out + len && (uintptr_t)out < (uintptr_t)in + len) {
        ERR_raise_data(ERR_LIB_PROV, ERR_R_PASSED_INVALID_ARGUMENT, "input and output overlap");
        return 0;
    }
    arcfour1_xor(&c->stream, in, out, len);
    *out_len = len;
    return 1;
}

static int final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size) {
    (void)ctx, (void)out, (void)out_size;
    *out_len = 0;
    return 1;
}

static int set(OSSL_PARAM params[], const char *name, size_t value) {
    OSSL_PARAM *param = OSSL_PARAM_locate(params, name);
    if (!param || OSSL_PARAM_set_size_t(param, value)) return 1;
    ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_SET_PARAMETER);
    return 0;
}

static int get_params(OSSL_PARAM params[], size_t key_len) {
    return set(params, OSSL_CIPHER_PARAM_MODE, EVP_CIPH_STREAM_CIPHER) &&
           set(params, OSSL_CIPHER_PARAM_KEYLEN, key_len) && set(params, OSSL_CIPHER_PARAM_IVLEN, 0) &&
           set(params, OSSL_CIPHER_PARAM_BLOCK_SIZE, 1);
}

static int rc4_get_params(OSSL_PARAM params[]) { return get_params(params, RC4_KEY_LEN); }
static int rc4_40_get_params(OSSL_PARAM params[]) { return get_params(params, RC4_40_KEY_LEN); }

static const OSSL_PARAM *gettable_params(void *provider) {
    static const OSSL_PARAM known[] = {
        OSSL_PARAM_uint(OSSL_CIPHER_PARAM_MODE, NULL), OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
        OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL), OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, NULL),
        OSSL_PARAM_END};
    (void)provider;
    return known;
}

static int get_ctx_params(void *ctx, OSSL_PARAM params[]) {
    return set(params, OSSL_CIPHER_PARAM_KEYLEN, ((context *)ctx)->key_len) &&
           set(params, OSSL_CIPHER_PARAM_IVLEN, 0);
}

static const OSSL_PARAM *gettable_ctx_params(void *ctx, void *provider) {
    static const OSSL_PARAM known[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
                                       OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL), OSSL_PARAM_END};
    (void)ctx, (void)provider;
    return known;
}

static int set_ctx_params(void *ctx, const OSSL_PARAM params[]) {
    context *c = (context *)ctx;
    const OSSL_PARAM *param = params ? OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_KEYLEN) : NULL;
    size_t key_len;
    if (!param) return 1;
    if (!OSSL_PARAM_get_size_t(param, &key_len)) {
        ERR_raise(ERR_LIB_PROV, PROV_R_FAILED_TO_GET_PARAMETER);
        return 0;
    }
    if (key_len < 1 || key_len > 256) {
        ERR_raise_data(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH, "%zu bytes; RC4 takes 1 to 256", key_len);
        return 0;
    }
    if (key_len != c->key_len) c->keyed = 0;
    c->key_len = key_len;
    return 1;
}

static const OSSL_PARAM *settable_ctx_params(void *ctx, void *provider) {
    static const OSSL_PARAM known[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL), OSSL_PARAM_END};
    (void)ctx, (void)provider;
    return known;
}

/* Without a key the stream goes on. */
static int init(void *ctx, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
                const OSSL_PARAM params[]) {
    context *c = (context *)ctx;
    (void)iv, (void)iv_len;
    if (!set_ctx_params(ctx, params)) return 0;
    if (!key) return 1;
    if (key_len != c->key_len || arcfour1_key(&c->stream, key, key_len, 0) != 0) {
        ERR_raise_data(ERR_LIB_PROV, PROV_R_INVALID_KEY_LENGTH, "%zu bytes, not %zu", key_len, c->key_len);
        return 0;
    }
    c->keyed = 1;
    return 1;
}

/* The functions of one cipher, which differ in their key's usual length. */
#define FUNCTIONS(name)                                                                    \
    static const OSSL_DISPATCH name##_functions[] = {                                      \
        {OSSL_FUNC_CIPHER_NEWCTX, (void (*)(void))name##_newctx},                          \
        {OSSL_FUNC_CIPHER_FREECTX, (void (*)(void))freectx},                               \
        {OSSL_FUNC_CIPHER_DUPCTX, (void (*)(void))dupctx},                                 \
        {OSSL_FUNC_CIPHER_ENCRYPT_INIT, (void (*)(void))init},                             \
        {OSSL_FUNC_CIPHER_DECRYPT_INIT, (void (*)(void))init},                             \
        {OSSL_FUNC_CIPHER_UPDATE, (void (*)(void))update},                                 \
        {OSSL_FUNC_CIPHER_FINAL, (void (*)(void))final},                                   \
        {OSSL_FUNC_CIPHER_CIPHER, (void (*)(void))update},                                 \
        {OSSL_FUNC_CIPHER_GET_PARAMS, (void (*)(void))name##_get_params},                  \
        {OSSL_FUNC_CIPHER_GETTABLE_PARAMS, (void (*)(void))gettable_params},               \
        {OSSL_FUNC_CIPHER_GET_CTX_PARAMS, (void (*)(void))get_ctx_params},                 \
        {OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, (void (*)(void))gettable_ctx_params},       \
        {OSSL_FUNC_CIPHER_SET_CTX_PARAMS, (void (*)(void))set_ctx_params},                 \
        {OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, (void (*)(void))settable_ctx_params},       \
        {0, NULL}};
FUNCTIONS(rc4)
FUNCTIONS(rc4_40)

static const OSSL_ALGORITHM *query(void *provider, int operation, int *no_cache) {
    static const OSSL_ALGORITHM ciphers[] = {
        {"RC4:1.2.840.113549.3.4", "provider=arcfour", rc4_functions, "RC4, by Arcfour"},
        {"RC4-40", "provider=arcfour", rc4_40_functions, "RC4 with keys of 40 bits, by Arcfour"},
        {NULL, NULL, NULL, NULL}};
    (void)provider;
    *no_cache = 0;
    return operation == OSSL_OP_CIPHER ? ciphers : NULL;
}

static const OSSL_PARAM *provider_gettable_params(void *provider) {
    static const OSSL_PARAM known[] = {OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),
                                       OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0),
                                       OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, NULL, 0),
                                       OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL), OSSL_PARAM_END};
    (void)provider;
    return known;
}

static int provider_get_params(void *provider, OSSL_PARAM params[]) {
    OSSL_PARAM *param;
    (void)provider;
    return (!(param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_NAME)) ||
            OSSL_PARAM_set_utf8_ptr(param, "Arcfour: RC4, which is broken")) &&
           (!(param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_VERSION)) ||
            OSSL_PARAM_set_utf8_ptr(param, ARCFOUR_VERSION)) &&
           (!(param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_BUILDINFO)) ||
            OSSL_PARAM_set_utf8_ptr(param, arcfour1_kernel())) &&
           (!(param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS)) || OSSL_PARAM_set_int(param, 1));
}

/* There is nothing to keep, so the handle serves as what a provider must answer. */
__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *core, const OSSL_DISPATCH **functions,
                       void **provider) {
    static const OSSL_DISPATCH own[] = {
        {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query},
        {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))provider_gettable_params},
        {OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))provider_get_params},
        {0, NULL}};
    (void)core;
    *functions = own;
    *provider = (void *)handle;
    return 1;
}
