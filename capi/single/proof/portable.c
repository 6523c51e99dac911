/* What Frama-C's Eva runs: every function of the portable build, on any table, any i and j, any key and any data up to
 * the bounds below, with input and output in one buffer or in two. It proves that no access is out of bounds, no
 * shift too long, nothing read before it is written. */
#include "../arcfour.h"

#ifndef LONGEST
#define LONGEST 4096
#endif

extern int Frama_C_interval(int min, int max);
extern void Frama_C_make_unknown(char *at, unsigned long len);

static uint8_t key[256], in[5][LONGEST], out[5][LONGEST];
static arcfour1 streams[5];

static void any(void *at, unsigned long len) { Frama_C_make_unknown((char *)at, len); }

int main(void) {
    arcfour1_job jobs[5];
    int n, in_place = Frama_C_interval(0, 1);
    any(key, sizeof key);
    any(in, sizeof in);
    any(out, sizeof out);
    any(streams, sizeof streams);
    arcfour1_xor(&streams[0], in[0], in_place ? in[0] : out[0], (size_t)Frama_C_interval(0, LONGEST));
    arcfour1_skip(&streams[0], (uint64_t)Frama_C_interval(0, LONGEST));
    for (n = 0; n < 5; n++) {
        jobs[n].stream = &streams[n];
        jobs[n].in = in[n];
        jobs[n].out = in_place ? in[n] : out[n];
        jobs[n].len = (size_t)Frama_C_interval(0, LONGEST);
    }
    arcfour1_xor5(jobs);
    n = arcfour1_key(&streams[1], key, (size_t)Frama_C_interval(0, 256), (uint64_t)Frama_C_interval(0, 3072));
    arcfour1_wipe(&streams[1]);
    return n;
}
