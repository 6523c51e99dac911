/* A table in a structure, a function that swaps, indices in one byte. */
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t i, j, s[256];
} rc4;

static void swap(uint8_t *a, uint8_t *b) {
    uint8_t t = *a;
    *a = *b;
    *b = t;
}

void rc4_init(rc4 *c, const uint8_t *key, size_t n) {
    for (unsigned k = 0; k < 256; k++) c->s[k] = (uint8_t)k;
    uint8_t j = 0;
    for (unsigned k = 0; k < 256; k++) {
        j += c->s[k] + key[k % n];
        swap(&c->s[k], &c->s[j]);
    }
    c->i = c->j = 0;
}

void rc4_run(rc4 *c, const uint8_t *in, uint8_t *out, size_t n) {
    for (size_t k = 0; k < n; k++) {
        c->i++;
        c->j += c->s[c->i];
        swap(&c->s[c->i], &c->s[c->j]);
        out[k] = in[k] ^ c->s[(uint8_t)(c->s[c->i] + c->s[c->j])];
    }
}

int main(int count, char **texts) {
    rc4 c;
    rc4_init(&c, (uint8_t *)texts[0], count);
    rc4_run(&c, (uint8_t *)texts[0], (uint8_t *)texts[0], count);
    return texts[0][0];
}
