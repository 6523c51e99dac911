/* Prints 16 bytes of keystream by EVP, as programs do that name no provider. */
#include <openssl/evp.h>
#include <stdio.h>

int main(void) {
    static const unsigned char key[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, zeros[16];
    unsigned char out[16];
    int len = 0, n;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!EVP_EncryptInit_ex(context, EVP_rc4(), NULL, key, NULL)) return 1;
    if (!EVP_EncryptUpdate(context, out, &len, zeros, sizeof zeros)) return 1;
    for (n = 0; n < len; n++) printf("%02x", out[n]);
    EVP_CIPHER_CTX_free(context);
    return 0;
}
