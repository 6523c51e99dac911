/* What portable.c makes of arcfour.h. */
#ifndef PORTABLE_H
#define PORTABLE_H

#include "../arcfour.h"

int portable_key(arcfour1 *stream, const void *key, size_t key_len, uint64_t drop);
void portable_xor(arcfour1 *stream, const void *in, void *out, size_t len);
void portable_xor5(const arcfour1_job jobs[ARCFOUR1_STREAMS]);
void portable_skip(arcfour1 *stream, uint64_t n);
void portable_wipe(arcfour1 *stream);
const char *portable_kernel(void);

#endif
