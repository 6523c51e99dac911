/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * RC4 and RC4-40 as a provider of OpenSSL 3 and 4, on ../single/arcfour.c: see provider-cipher(7) for the interface.
 *
 * The module is not linked to libcrypto. A program may have an OpenSSL of its own, and the system's would come into it
 * beside that. What the module needs of OpenSSL, the program's hands over in OSSL_provider_init.
 *
 * RC4 is broken. Do not use it for anything new. */
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../single/arcfour.h"

enum { RC4_KEY_LEN = 16, RC4_40_KEY_LEN = 5 };

/* One for each library context that loaded the module. Two contexts may belong to different copies of OpenSSL. */
typedef struct {
    const OSSL_CORE_HANDLE *handle;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_vset_error_fn *vset_error;
} core;

/* Puts an error on the error queue of the calling OpenSSL, and returns 0. */
__attribute__((format(printf, 3, 4))) static int fail(const core *to, int reason, const char *format, ...) {
    if (to->new_error && to->vset_error) {
        va_list arguments;
        va_start(arguments, format);
        to->new_error(to->handle);
        to->vset_error(to->handle, (uint32_t)ERR_PACK(ERR_LIB_PROV, 0, reason), format, arguments);
        va_end(arguments);
    }
    return 0;
}

/* A cipher context. Its address is a multiple of 256, where the kernels work in place. */
typedef struct {
    arcfour1 stream;
    size_t key_len;
    const core *provider;
    int keyed;
} context;

static void *new_context(void *provider, size_t key_len) {
    void *room;
    context *c;
    if (posix_memalign(&room, 256, sizeof(context)) != 0) {
        fail((const core *)provider, ERR_R_MALLOC_FAILURE, "%zu bytes", sizeof(context));
        return NULL;
    }
    c = (context *)room;
    memset(c, 0, sizeof *c);
    c->key_len = key_len;
    c->provider = (const core *)provider;
    return c;
}

static void *rc4_newctx(void *provider) { return new_context(provider, RC4_KEY_LEN); }
static void *rc4_40_newctx(void *provider) { return new_context(provider, RC4_40_KEY_LEN); }

static void freectx(void *ctx) {
    if (ctx) arcfour1_wipe(&((context *)ctx)->stream);
    free(ctx);
}

static void *dupctx(void *ctx) {
    const context *c = (const context *)ctx;
    context *copy = (context *)new_context((void *)c->provider, 0);
    if (copy) *copy = *c;
    return copy;
}

static int update(void *ctx, unsigned char *out, size_t *out_len, size_t out_size, const unsigned char *in,
                  size_t len) {
    context *c = (context *)ctx;
    if (!c->keyed) return fail(c->provider, PROV_R_NO_KEY_SET, "RC4 has no key yet");
    if (out_size < len)
        return fail(c->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL, "%zu bytes for %zu", out_size, len);
    if (in != out && len > 0 && (uintptr_t)in < (uintptr_t)out + len && (uintptr_t)out < (uintptr_t)in + len)
        return fail(c->provider, ERR_R_PASSED_INVALID_ARGUMENT, "input and output overlap");
    arcfour1_xor(&c->stream, in, out, len);
    *out_len = len;
    return 1;
}

static int final(void *ctx, unsigned char *out, size_t *out_len, size_t out_size) {
    (void)ctx, (void)out, (void)out_size;
    *out_len = 0;
    return 1;
}

/* ---- Parameters. OSSL_PARAM_locate and the like belong to libcrypto, which this module is not linked to ---- */

/* Returns the parameter with this name, or NULL. */
static OSSL_PARAM *locate(const OSSL_PARAM params[], const char *name) {
    for (; params && params->key; params++)
        if (strcmp(params->key, name) == 0) return (OSSL_PARAM *)params;
    return NULL;
}

/* Writes a number if `params` asks for it, as an integer of 4 or 8 bytes. With `data` NULL the caller asks for the width. */
static int set(OSSL_PARAM params[], const char *name, uint32_t value) {
    OSSL_PARAM *param = locate(params, name);
    uint64_t wide = value;
    if (!param) return 1;
    if (param->data_type != OSSL_PARAM_INTEGER && param->data_type != OSSL_PARAM_UNSIGNED_INTEGER) return 0;
    param->return_size = sizeof(size_t);
    if (!param->data) return 1;
    param->return_size = param->data_size;
    if (param->data_size == sizeof value) return memcpy(param->data, &value, sizeof value), 1;
    if (param->data_size == sizeof wide) return memcpy(param->data, &wide, sizeof wide), 1;
    return 0;
}

/* Writes the address of a text if `params` asks for it. */
static int set_text(OSSL_PARAM params[], const char *name, const char *value) {
    OSSL_PARAM *param = locate(params, name);
    if (!param) return 1;
    if (param->data_type != OSSL_PARAM_UTF8_PTR) return 0;
    param->return_size = strlen(value);
    if (param->data) *(const char **)param->data = value;
    return 1;
}

/* Reads an integer of 4 or 8 bytes. A negative number becomes a length that is too large for a key. */
static int get_size(const OSSL_PARAM *param, size_t *value) {
    uint32_t narrow;
    uint64_t wide;
    if (!param->data || (param->data_type != OSSL_PARAM_INTEGER && param->data_type != OSSL_PARAM_UNSIGNED_INTEGER))
        return 0;
    if (param->data_size == sizeof narrow) {
        memcpy(&narrow, param->data, sizeof narrow);
        wide = narrow;
    } else if (param->data_size == sizeof wide) {
        memcpy(&wide, param->data, sizeof wide);
    } else {
        return 0;
    }
    *value = wide > SIZE_MAX ? SIZE_MAX : (size_t)wide;
    return 1;
}

static int get_params(OSSL_PARAM params[], uint32_t key_len) {
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
    return set(params, OSSL_CIPHER_PARAM_KEYLEN, (uint32_t)((context *)ctx)->key_len) &&
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
    const OSSL_PARAM *param = locate(params, OSSL_CIPHER_PARAM_KEYLEN);
    size_t key_len;
    if (!param) return 1;
    if (!get_size(param, &key_len))
        return fail(c->provider, PROV_R_FAILED_TO_GET_PARAMETER, "the key's length is no integer of 4 or 8 bytes");
    if (key_len < 1 || key_len > 256)
        return fail(c->provider, PROV_R_INVALID_KEY_LENGTH, "%zu bytes; RC4 takes 1 to 256", key_len);
    if (key_len != c->key_len) c->keyed = 0;
    c->key_len = key_len;
    return 1;
}

static const OSSL_PARAM *settable_ctx_params(void *ctx, void *provider) {
    static const OSSL_PARAM known[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL), OSSL_PARAM_END};
    (void)ctx, (void)provider;
    return known;
}

/* A call without a key continues the stream. */
static int init(void *ctx, const unsigned char *key, size_t key_len, const unsigned char *iv, size_t iv_len,
                const OSSL_PARAM params[]) {
    context *c = (context *)ctx;
    (void)iv, (void)iv_len;
    if (!set_ctx_params(ctx, params)) return 0;
    if (!key) return 1;
    if (key_len != c->key_len || arcfour1_key(&c->stream, key, key_len, 0) != 0)
        return fail(c->provider, PROV_R_INVALID_KEY_LENGTH, "%zu bytes, not %zu", key_len, c->key_len);
    c->keyed = 1;
    return 1;
}

/* The functions of one cipher. The ciphers differ in the default length of the key. */
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
    (void)provider;
    return set_text(params, OSSL_PROV_PARAM_NAME, "Arcfour: RC4, which is broken") &&
           set_text(params, OSSL_PROV_PARAM_VERSION, ARCFOUR_VERSION) &&
           set_text(params, OSSL_PROV_PARAM_BUILDINFO, arcfour1_kernel()) && set(params, OSSL_PROV_PARAM_STATUS, 1);
}

__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *given, const OSSL_DISPATCH **functions,
                       void **provider) {
    static const OSSL_DISPATCH own[] = {
        {OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))free},
        {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query},
        {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))provider_gettable_params},
        {OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))provider_get_params},
        {0, NULL}};
    core *c = (core *)calloc(1, sizeof *c);
    if (!c) return 0;
    c->handle = handle;
    for (; given->function_id; given++) {
        if (given->function_id == OSSL_FUNC_CORE_NEW_ERROR) c->new_error = OSSL_FUNC_core_new_error(given);
        if (given->function_id == OSSL_FUNC_CORE_VSET_ERROR) c->vset_error = OSSL_FUNC_core_vset_error(given);
    }
    *functions = own;
    *provider = c;
    return 1;
}
