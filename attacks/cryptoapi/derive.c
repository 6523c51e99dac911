/* Derives keys of RC4 with CryptDeriveKey and exports them, a line of standard output each. derive.py explains the columns.
 *
 *     derive.exe PRIVATEKEYBLOB
 *
 * The argument is the exponent-one key, in hexadecimal digits. */

#include <windows.h>
#include <wincrypt.h>

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *name, *provider;
    DWORD type;
} providers[] = {
    {"base", MS_DEF_PROV_A, PROV_RSA_FULL},
    {"enhanced", MS_ENHANCED_PROV_A, PROV_RSA_FULL},
    {"aes", MS_ENH_RSA_AES_PROV_A, PROV_RSA_AES},
};

static const struct {
    const char *name;
    ALG_ID id;
} hashes[] = {
    {"md2", CALG_MD2},       {"md4", CALG_MD4},       {"md5", CALG_MD5},       {"sha1", CALG_SHA1},
    {"sha256", CALG_SHA_256}, {"sha384", CALG_SHA_384}, {"sha512", CALG_SHA_512},
};

static const struct {
    const char *name;
    DWORD flags;
} salts[] = {{"default", 0}, {"none", CRYPT_NO_SALT}, {"create", CRYPT_CREATE_SALT}};

static const char password[] = "password";

static void digits(const BYTE *bytes, DWORD len)
{
    putchar(' ');
    for (DWORD n = 0; n < len; n++)
        printf("%02x", bytes[n]);
    if (len == 0)
        putchar('-');
}

/* The key's blob, or - where it is not exported. */
static void blob(HCRYPTKEY key, HCRYPTKEY exchange, DWORD type)
{
    BYTE bytes[1024];
    DWORD len = sizeof bytes;
    if (!CryptExportKey(key, exchange, type, 0, bytes, &len))
        len = 0;
    digits(bytes, len);
}

static void derive(HCRYPTPROV provider, HCRYPTKEY exchange, ALG_ID hash_id, DWORD bits, DWORD flags)
{
    HCRYPTHASH hash = 0;
    HCRYPTKEY key = 0;
    BYTE stream[16] = {0};
    DWORD len = sizeof stream;
    if (!CryptCreateHash(provider, hash_id, 0, 0, &hash) || !CryptHashData(hash, (const BYTE *)password, strlen(password), 0) ||
        !CryptDeriveKey(provider, CALG_RC4, hash, bits << 16 | flags | CRYPT_EXPORTABLE, &key)) {
        printf(" refused 0x%08lx", (unsigned long)GetLastError());
    } else {
        blob(key, 0, PLAINTEXTKEYBLOB);
        blob(key, exchange, SIMPLEBLOB);
        if (!CryptEncrypt(key, 0, TRUE, 0, stream, &len, sizeof stream)) {
            fprintf(stderr, "CryptEncrypt: 0x%08lx\n", (unsigned long)GetLastError());
            ExitProcess(1);
        }
        digits(stream, len);
    }
    if (key)
        CryptDestroyKey(key);
    if (hash)
        CryptDestroyHash(hash);
}

int main(int count, char **arguments)
{
    BYTE private_key[1024];
    DWORD len = 0;
    if (count != 2 || strlen(arguments[1]) % 2 || strlen(arguments[1]) > 2 * sizeof private_key) {
        fprintf(stderr, "usage: derive.exe PRIVATEKEYBLOB\n");
        return 2;
    }
    for (const char *at = arguments[1]; *at; at += 2)
        if (sscanf(at, "%2hhx", &private_key[len++]) != 1)
            return 2;
    for (size_t p = 0; p < COUNT(providers); p++) {
        HCRYPTPROV provider;
        HCRYPTKEY exchange;
        if (!CryptAcquireContextA(&provider, NULL, providers[p].provider, providers[p].type, CRYPT_VERIFYCONTEXT) ||
            !CryptImportKey(provider, private_key, len, 0, 0, &exchange)) {
            fprintf(stderr, "%s: 0x%08lx\n", providers[p].name, (unsigned long)GetLastError());
            return 1;
        }
        for (size_t h = 0; h < COUNT(hashes); h++)
            for (DWORD bits = 40; bits <= 128; bits += 8)
                for (size_t s = 0; s < COUNT(salts); s++) {
                    printf("%s %s %lu %s", providers[p].name, hashes[h].name, (unsigned long)bits, salts[s].name);
                    derive(provider, exchange, hashes[h].id, bits, salts[s].flags);
                    putchar('\n');
                }
        CryptDestroyKey(exchange);
        CryptReleaseContext(provider, 0);
    }
    return 0;
}
