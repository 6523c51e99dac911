/* For Frama-C's Eva, by `make -C capi/single proof`: the functions of the portable code on every table and every j, and
 * the lengths below. Eva follows each length step by step, takes every byte of tables, keys and data for unknown, and
 * reports each access that it cannot show to be inside its object, and all else that C leaves undefined. What is read
 * and written ends where its buffer ends. */
#include <__fc_builtin.h>

#include "../arcfour.c"

/* A stream of any table and j, and of any i that is `i` mod BLOCK. */
static void any(arcfour1 *stream, unsigned i) {
    Frama_C_make_unknown((char *)stream, sizeof *stream);
    stream->i = (uint8_t)(BLOCK * Frama_C_interval(0, 256 / BLOCK - 1) + i);
}

enum { LONGEST = 3 * BLOCK - 1 };

/* Every i, and lengths 0 to 47: what comes before a block, two blocks, what comes after. In two places and in one. */
void prove_xor(void) {
    uint8_t in[LONGEST], out[LONGEST];
    unsigned i, len;
    for (len = 0; len <= LONGEST; len++) {
        for (i = 0; i < BLOCK; i++) {
            arcfour1 stream;
            any(&stream, i);
            Frama_C_make_unknown((char *)in, sizeof in);
            arcfour1_xor(&stream, in + LONGEST - len, out + LONGEST - len, len);
            any(&stream, i);
            arcfour1_xor(&stream, in + LONGEST - len, in + LONGEST - len, len);
        }
    }
}

/* Every length of the key, and two that are refused. */
void prove_key(void) {
    uint8_t key[256];
    size_t len;
    for (len = 0; len <= 257; len++) {
        arcfour1 stream;
        Frama_C_make_unknown((char *)key, sizeof key);
        Frama_C_make_unknown((char *)&stream, sizeof stream);
        (void)arcfour1_key(&stream, key + (len <= 256 ? 256 - len : 0), len, 0);
        arcfour1_wipe(&stream);
    }
}
