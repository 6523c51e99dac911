/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * arcfour.h, arcfour.c: RC4 for programs that carry their own. Two files, C99 or C++11, no allocation, no
 * dependency. README.md says how to embed them, how fast they are and where they were tested.
 *
 * RC4 is broken. Do not use it for anything new. Nothing here notices a wrong key or changed data.
 *
 * Every name begins with arcfour1_, so that a program may also link libarcfour (arcfour_), nettle or OpenSSL.
 */
#ifndef ARCFOUR1_H
#define ARCFOUR1_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One stream. It holds no pointer: it may be copied by assignment, and lie anywhere. On a multiple of 256
 * the x86-64 kernel works in place, from 16 bytes on; elsewhere from 128 bytes on, on a copy. It holds the key: wipe it
 * when done. */
typedef struct arcfour1 {
    uint8_t s[256];
    uint8_t i, j;
    uint8_t unused[6]; /* read ahead, never used */
} arcfour1;

/* Sets the key, of 1 to 256 bytes, and discards the first `drop` bytes of keystream (RC4-drop[n]; 0 for plain
 * RC4). Answers 0; or -1 if the key has another length, and the stream is as it was. */
int arcfour1_key(arcfour1 *stream, const void *key, size_t key_len, uint64_t drop);

/* Xors the next `len` bytes of keystream to `in` and writes them to `out`: encrypts and decrypts. `in` and `out`
 * are the same, or do not overlap. */
void arcfour1_xor(arcfour1 *stream, const void *in, void *out, size_t len);

/* Advances by `n` bytes. RC4 cannot jump: this takes as long as making them. */
void arcfour1_skip(arcfour1 *stream, uint64_t n);

/* Overwrites the stream with zeros, in a way no compiler leaves out. */
void arcfour1_wipe(arcfour1 *stream);

/* What arcfour1_xor takes, for five streams at once. */
typedef struct arcfour1_job {
    arcfour1 *stream;
    const void *in;
    void *out;
    size_t len;
} arcfour1_job;

enum { ARCFOUR1_STREAMS = 5 };

/* arcfour1_xor on five streams in one loop: faster together than one after the other, best with equal lengths
 * of some kilobytes. The streams are five different ones, and no job's output overlaps another's data. */
void arcfour1_xor5(const arcfour1_job jobs[ARCFOUR1_STREAMS]);

/* What this machine and build run: "x86-64", "aarch64" or "portable". ARCFOUR1_PORTABLE, defined when arcfour.c
 * is compiled, leaves the assembly out. */
const char *arcfour1_kernel(void);

#ifdef __cplusplus
}
#endif

#endif
