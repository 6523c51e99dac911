/* What rc4_test.c uses of LibTomCrypt, with our RC4 in the place of its own. */
#include <string.h>
#include <openssl/rc4.h>

#define LTC_RC4_STREAM
#define LTC_TEST
enum { CRYPT_OK, CRYPT_NOP, CRYPT_FAIL_TESTVECTOR };

typedef RC4_KEY rc4_state;

static inline int rc4_stream_setup(rc4_state *state, const unsigned char *key, unsigned long len)
{
    RC4_set_key(state, (int)len, key);
    return CRYPT_OK;
}

static inline int rc4_stream_crypt(rc4_state *state, const unsigned char *in, unsigned long len, unsigned char *out)
{
    RC4(state, len, in, out);
    return CRYPT_OK;
}

static inline int rc4_stream_done(rc4_state *state)
{
    memset(state, 0, sizeof *state);
    return CRYPT_OK;
}

static inline int compare_testvector(const void *is, unsigned long is_len, const void *should, unsigned long should_len,
    const char *what, int which)
{
    (void)what, (void)which;
    return is_len != should_len || memcmp(is, should, is_len) != 0;
}
