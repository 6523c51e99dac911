/* arcfour.h: RC4 for C, by libarcfour. */

#ifndef ARCFOUR_H
#define ARCFOUR_H

/* Made from capi/src by `make capi-header`; not to be edited. */

#include <stddef.h>
#include <stdint.h>

/*
 What a function answers: 0, or why it changed nothing.
 */
typedef enum {
  /*
   Done.
   */
  ARCFOUR_OK = 0,
  /*
   A pointer is NULL that must not be.
   */
  ARCFOUR_NULL = 1,
  /*
   A key is empty or has more than 256 bytes.
   */
  ARCFOUR_KEY_LENGTH = 2,
  /*
   A length or count is more than PTRDIFF_MAX bytes or objects take.
   */
  ARCFOUR_LENGTH = 3,
  /*
   Two buffers overlap that must not.
   */
  ARCFOUR_OVERLAP = 4,
  /*
   There is not enough memory.
   */
  ARCFOUR_MEMORY = 5,
} arcfour_error;

/*
 Many streams of RC4 that are advanced together.
 */
typedef struct arcfour_many arcfour_many;

/*
 One stream of RC4: a key, and a position in its keystream.
 */
typedef struct arcfour arcfour;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 A message for an answer: English, one line, without an end. It is never NULL, not for any
 number, and is not to be freed.
 */
const char *arcfour_strerror(int error);

/*
 How many streams run fastest together on this machine: give `arcfour_many_new` a multiple of it.
 Other numbers are right too, only slower.
 */
size_t arcfour_lanes(void);

/*
 Makes `count` streams of as many keys of 1 to 256 bytes: `keys[n]` has `key_lens[n]` bytes.
 Stores their address in `*many`; `arcfour_many_free` releases them.

 ARCFOUR_NULL: `many`, `keys`, `key_lens` or a key is NULL. ARCFOUR_KEY_LENGTH. ARCFOUR_LENGTH or
 ARCFOUR_MEMORY: `count` is too large. On an error `*many` is left as it was.
 */
arcfour_error arcfour_many_new(arcfour_many **many,
                               const uint8_t *const *keys,
                               const size_t *key_lens,
                               size_t count);

/*
 Wipes and releases streams. NULL is allowed.
 */
void arcfour_many_free(arcfour_many *many);

/*
 Starts every stream over with another key, at position 0: `keys[n]` has `key_lens[n]` bytes.

 ARCFOUR_NULL, ARCFOUR_KEY_LENGTH, ARCFOUR_MEMORY: all streams go on as they were.
 */
arcfour_error arcfour_many_key(arcfour_many *many,
                               const uint8_t *const *keys,
                               const size_t *key_lens);

/*
 Xors the next bytes of each stream to its data in place: `data[n]` has `lens[n]` bytes.

 Fastest when all lengths are the same. The data must not overlap; where a length is 0, the
 pointer may be NULL.

 ARCFOUR_NULL, ARCFOUR_LENGTH, ARCFOUR_OVERLAP, ARCFOUR_MEMORY: nothing was written, and all
 streams are where they were.
 */
arcfour_error arcfour_apply_many(arcfour_many *many, uint8_t *const *data, const size_t *lens);

/*
 Writes the next bytes of each stream to its buffer: `outs[n]` has `lens[n]` bytes.

 As `arcfour_apply_many` otherwise.
 */
arcfour_error arcfour_fill_many(arcfour_many *many, uint8_t *const *outs, const size_t *lens);

/*
 Makes a stream of a key of 1 to 256 bytes, and stores its address in `*stream`.

 The first `drop` bytes of keystream are discarded, as RC4-drop[n] does; 0 for plain RC4.
 `arcfour_free` releases the stream.

 ARCFOUR_NULL: `stream` or `key` is NULL. ARCFOUR_KEY_LENGTH. On an error `*stream` is left as it
 was.
 */
arcfour_error arcfour_new(arcfour **stream, const uint8_t *key, size_t key_len, uint64_t drop);

/*
 Wipes and releases a stream. NULL is allowed.
 */
void arcfour_free(arcfour *stream);

/*
 Starts the stream over with another key, at position 0 behind `drop` discarded bytes. This is
 what to use for many short messages.

 ARCFOUR_NULL, ARCFOUR_KEY_LENGTH: the stream goes on as it was.
 */
arcfour_error arcfour_key(arcfour *stream, const uint8_t *key, size_t key_len, uint64_t drop);

/*
 Xors the next `len` bytes of keystream to `in` and writes them to `out`: encrypts and decrypts.

 `in` and `out` may be the same, or overlap in any way: the result is as if `in` had been read
 first. With a `len` of 0 they may be NULL.

 ARCFOUR_NULL, ARCFOUR_LENGTH: nothing was written, and the stream is where it was.
 */
arcfour_error arcfour_apply(arcfour *stream, const uint8_t *in, uint8_t *out, size_t len);

/*
 Writes the next `len` bytes of keystream to `out`.

 ARCFOUR_NULL, ARCFOUR_LENGTH: nothing was written, and the stream is where it was.
 */
arcfour_error arcfour_fill(arcfour *stream, uint8_t *out, size_t len);

/*
 Goes on by `n` bytes. RC4 cannot jump: this takes as long as making the bytes.

 ARCFOUR_NULL.
 */
arcfour_error arcfour_skip(arcfour *stream, uint64_t n);

/*
 How many bytes of keystream have been used or skipped since the key (modulo 2^64), without those
 dropped with the key. 0 for NULL.
 */
uint64_t arcfour_position(const arcfour *stream);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ARCFOUR_H */
