/* As textbooks have it: a global table, indices in int, the remainder of a division, one byte a call. */
#include <stddef.h>

static unsigned char S[256];
static unsigned int si, sj;

void schedule(const unsigned char *key, int len) {
    int i, j = 0;
    for (i = 0; i < 256; i++) S[i] = i;
    for (i = 0; i < 256; i++) {
        j = (j + S[i] + key[i % len]) % 256;
        unsigned char t = S[i];
        S[i] = S[j];
        S[j] = t;
    }
    si = sj = 0;
}

unsigned char next(void) {
    si = (si + 1) % 256;
    sj = (sj + S[si]) % 256;
    unsigned char t = S[si];
    S[si] = S[sj];
    S[sj] = t;
    return S[(S[si] + S[sj]) % 256];
}

int main(int count, char **texts) {
    schedule((unsigned char *)texts[0], count);
    for (int k = 0; k < count; k++) texts[0][k] ^= next();
    return S[count];
}
