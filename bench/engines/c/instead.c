/* What to use instead of RC4, by OpenSSL's EVP, as a line to compare with: AES-128 in counter mode
 * and ChaCha20. One context, nonce 0; long messages only, so that neither pays for a set-up. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

#include "engine.h"

static EVP_CIPHER_CTX *aes, *chacha20;

static const char *version(void) { return OpenSSL_version(OPENSSL_VERSION_STRING); }

static void start(EVP_CIPHER_CTX **context, const EVP_CIPHER *cipher, const unsigned char *key) {
    static const unsigned char nonce[16];
    if (*context == NULL) *context = EVP_CIPHER_CTX_new();
    check(*context != NULL && EVP_EncryptInit_ex(*context, cipher, NULL, key, nonce) == 1,
          "OpenSSL: EVP_EncryptInit_ex");
}

static void update(EVP_CIPHER_CTX *context, unsigned char *data, size_t bytes) {
    int made = 0;
    check(EVP_EncryptUpdate(context, data, &made, data, (int)bytes) == 1 && made == (int)bytes,
          "OpenSSL: EVP_EncryptUpdate");
}

static void schedule_aes(const unsigned char *key, size_t key_bytes) {
    check(key_bytes == 16, "OpenSSL: a key of 16 bytes");
    start(&aes, EVP_aes_128_ctr(), key);
}

static void apply_aes(unsigned char *data, size_t bytes) { update(aes, data, bytes); }

/* Its key is the same 16 bytes twice. */
static void schedule_chacha20(const unsigned char *key, size_t key_bytes) {
    unsigned char twice[32];
    check(key_bytes == 16, "OpenSSL: a key of 16 bytes");
    memcpy(twice, key, 16);
    memcpy(twice + 16, key, 16);
    start(&chacha20, EVP_chacha20(), twice);
}

static void apply_chacha20(unsigned char *data, size_t bytes) { update(chacha20, data, bytes); }

const struct engine aes_128_ctr = {"aes-128-ctr", version, schedule_aes, apply_aes};
const struct engine chacha20_evp = {"chacha20", version, schedule_chacha20, apply_chacha20};
