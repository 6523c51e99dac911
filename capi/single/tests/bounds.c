/* For Frama-C's Eva, by `make -C capi/single proof`: the functions of the portable code on every table and every j, and
 * the lengths below. Eva follows each length step by step, takes every byte of tables, keys and data for unknown, and
 * reports each access that it cannot show to be inside its object, and all else that C leaves undefined. What is read
 * and written ends where its buffer ends. With SHORT it is a byte longer: then there must be alarms. */
#include <__fc_builtin.h>

#include "../arcfour.c"

#ifdef SHORT
enum { MORE = 1 };
#else
enum { MORE = 0 };
#endif

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
            arcfour1_xor(&stream, in + LONGEST - len, out + LONGEST - len, len + MORE);
            any(&stream, i);
            arcfour1_xor(&stream, in + LONGEST - len, in + LONGEST - len, len + MORE);
        }
    }
}

/* Every length of the key, and two that are refused. */
void prove_key(void) {
    uint8_t key[256];
    size_t len;
    Frama_C_make_unknown((char *)key, sizeof key);
    for (len = 1; len <= 256; len++) {
        arcfour1 stream;
        if (arcfour1_key(&stream, key + 256 - len, len, 0) != 0) return;
        arcfour1_wipe(&stream);
    }
    /*@ assert refused: len == 257; */
    (void)arcfour1_key((arcfour1 *)0, key, 0, 0);
    (void)arcfour1_key((arcfour1 *)0, key, 257, 0);
}

/* Every i: nothing, a piece, a whole piece and one byte. */
void prove_skip(void) {
    static const uint64_t lengths[] = {0, 20, 1025};
    unsigned i, n;
    for (n = 0; n < 3; n++) {
        for (i = 0; i < BLOCK; i++) {
            arcfour1 stream;
            any(&stream, i);
            arcfour1_skip(&stream, lengths[n]);
        }
    }
}

/* Five streams from three places each: with too little for the loop of all five, and twice with enough. */
void prove_five(void) {
    uint8_t in[STREAMS][600], out[STREAMS][600];
    arcfour1 streams[STREAMS];
    arcfour1_job jobs[STREAMS];
    unsigned n, l;
    for (n = 0; n < 3; n++) {
        Frama_C_make_unknown((char *)in, sizeof in);
        for (l = 0; l < STREAMS; l++) {
            size_t len = (n ? 600 : 200) - n * 3 * l;
            Frama_C_make_unknown((char *)&streams[l], sizeof streams[l]);
            streams[l].i = (uint8_t)(n * (17 * l + 100));
            jobs[l].stream = &streams[l];
            jobs[l].in = in[l] + 600 - len;
            jobs[l].out = n == 1 ? in[l] + 600 - len : out[l] + 600 - len;
            jobs[l].len = len + (l == STREAMS - 1 ? MORE : 0);
        }
        arcfour1_xor5(jobs);
    }
}
