/* arcfour.h: RC4 for C, by libarcfour.
 *
 * RC4 is broken. Do not use RC4 for anything new. Only sealed files detect a wrong key or changed
 * data.
 *
 * A pointer must lead to at least as many bytes or elements as its length says. An object must come
 * from the function that makes it, and must not be used after it is freed. One object belongs to
 * one thread at a time. Different objects need no lock. */

#ifndef ARCFOUR_H
#define ARCFOUR_H

/* Made from capi/src by `make capi-header`; not to be edited. */

#include <stddef.h>
#include <stdint.h>

/* The version of this header. The library says its own: arcfour_version(). */
#define ARCFOUR_VERSION_MAJOR 1
#define ARCFOUR_VERSION_MINOR 0
#define ARCFOUR_VERSION_PATCH 0

/*
 The result of a function: 0, or an error.
 */
typedef enum {
  /*
   Done.
   */
  ARCFOUR_OK = 0,
  /*
   A pointer that must not be NULL is NULL.
   */
  ARCFOUR_NULL = 1,
  /*
   A key is empty or has more than 256 bytes.
   */
  ARCFOUR_KEY_LENGTH = 2,
  /*
   A length or count exceeds PTRDIFF_MAX bytes.
   */
  ARCFOUR_LENGTH = 3,
  /*
   Two buffers that must not overlap do.
   */
  ARCFOUR_OVERLAP = 4,
  /*
   There is not enough memory.
   */
  ARCFOUR_MEMORY = 5,
  /*
   There is no family of this number.
   */
  ARCFOUR_FAMILY = 6,
  /*
   An IV does not have 1 to 256 bytes, or is given to a family that takes none.
   */
  ARCFOUR_IV_LENGTH = 7,
  /*
   A secret is no key file, is an empty or too long passphrase, or has an unknown kind.
   */
  ARCFOUR_SECRET = 8,
  /*
   The system has no random bytes.
   */
  ARCFOUR_RANDOM = 9,
  /*
   The callback could not read the input.
   */
  ARCFOUR_READ = 10,
  /*
   A sealed file was changed, or the secret is wrong.
   */
  ARCFOUR_SEALED = 11,
  /*
   The plaintext of a sealed file has no such range.
   */
  ARCFOUR_RANGE = 12,
  /*
   An option of a file of `openssl enc` has a value that it cannot have.
   */
  ARCFOUR_OPTION = 13,
  /*
   A file is no valid base64 text.
   */
  ARCFOUR_TEXT = 14,
  /*
   A file does not begin with the header that carries its salt.
   */
  ARCFOUR_HEADER = 15,
  /*
   A file is pushed or finished after its end, or after an error in it.
   */
  ARCFOUR_ENDED = 16
} arcfour_error;

/*
 The hash function between passphrase and key: `-md` of `openssl enc`.
 */
typedef enum {
  /*
   The default of OpenSSL since 1.1.0.
   */
  ARCFOUR_SHA256 = 0,
  /*
   The default of OpenSSL up to 1.0.2.
   */
  ARCFOUR_MD5 = 1,
  /*
   Never a default.
   */
  ARCFOUR_SHA1 = 2,
  /*
   Never a default.
   */
  ARCFOUR_SHA512 = 3
} arcfour_enc_hash;

/*
 Where the salt is.
 */
typedef enum {
  /*
   In the header of the file, chosen at random for each: what `openssl enc` does.
   */
  ARCFOUR_SALT_HEADER = 0,
  /*
   In `salt_bytes`, and the file has no header: `-S` of OpenSSL 3.0 and later.
   */
  ARCFOUR_SALT_GIVEN = 1,
  /*
   There is no salt and no header: `-nosalt`.
   */
  ARCFOUR_SALT_NONE = 2
} arcfour_enc_salt;

/*
 The outer form of a file.
 */
typedef enum {
  /*
   Bytes.
   */
  ARCFOUR_RAW = 0,
  /*
   Base64 in lines of 64 digits: `-a`. Any lines are read, and spaces and tabs.
   */
  ARCFOUR_BASE64_LINES = 1,
  /*
   Base64 in one line without a line end: `-a -A`. Any lines are read, and spaces and tabs.
   */
  ARCFOUR_BASE64 = 2
} arcfour_enc_text;

/*
 A family of ciphers. `arcfour families`, or the README of the crate `arcfour`, says what each is
 and what is known against it.
 */
typedef enum {
  /*
   RC4 itself.
   */
  ARCFOUR_RC4 = 0,
  /*
   RC4A (Paul & Preneel 2004).
   */
  ARCFOUR_RC4A = 1,
  /*
   VMPC (Zoltak 2004). Takes an IV.
   */
  ARCFOUR_VMPC = 2,
  /*
   VMPC with the key schedule KSA3. Takes an IV.
   */
  ARCFOUR_VMPC_KSA3 = 3,
  /*
   RC4+ (Maitra & Paul 2008).
   */
  ARCFOUR_RC4PLUS = 4,
  /*
   Spritz (Rivest & Schuldt 2014).
   */
  ARCFOUR_SPRITZ = 5,
  /*
   PARC4-I (Handa & Kapoor 2015) as its algorithm 2 is printed.
   */
  ARCFOUR_PARC4I = 6,
  /*
   PARC4-I as the text above describes it.
   */
  ARCFOUR_PARC4I_TEXT = 7,
  /*
   PARC4-R, our repair of PARC4-I.
   */
  ARCFOUR_PARC4R = 8
} arcfour_family;

/*
 The kind of a secret.
 */
typedef enum {
  /*
   The text of a key file, which `arcfour keygen` writes: 64 hexadecimal digits.
   */
  ARCFOUR_KEY_FILE = 0,
  /*
   A passphrase of 1 to 4096 bytes. Each file takes 64 MiB of memory for a moment.
   */
  ARCFOUR_PASSPHRASE = 1
} arcfour_secret_kind;

/*
 A file of `openssl enc` that is being encrypted or decrypted.
 */
typedef struct arcfour_enc arcfour_enc;

/*
 Many streams of RC4 that are advanced together.
 */
typedef struct arcfour_many arcfour_many;

/*
 A file that is being sealed or opened.
 */
typedef struct arcfour_sealed arcfour_sealed;

/*
 One stream: a family of ciphers, a key, and a position in its keystream.
 */
typedef struct arcfour arcfour;

/*
 How a file is made: what `openssl enc` is told on its command line. All zeros are
 `openssl enc -rc4` of OpenSSL 1.1.0 and later.
 */
typedef struct {
  /*
   Bits of the key: 128, or 0, for `-rc4`; 40 for `-rc4-40`.
   */
  int key_bits;
  /*
   An `arcfour_enc_hash`.
   */
  int hash;
  /*
   Iterations of PBKDF2, 1 to 2147483647: `-pbkdf2 -iter N`, which OpenSSL sets to 10000 if N is
   not given. 0 for one hash of passphrase and salt, which `openssl enc` takes by default.
   */
  uint32_t iterations;
  /*
   An `arcfour_enc_salt`.
   */
  int salt;
  /*
   The salt, if it is given.
   */
  uint8_t salt_bytes[8];
  /*
   An `arcfour_enc_text`.
   */
  int text;
} arcfour_enc_options;

/*
 Reads at most `len` bytes at `offset` of the input into `buffer`, as `pread` does. Returns how many
 were read, 0 at the end of the input, or -1 if it cannot be read. Offsets follow one another, so
 that a pipe needs no offset, but for `arcfour_open_range`.
 */
typedef ptrdiff_t (*arcfour_read)(void *context, uint64_t offset, uint8_t *buffer, size_t len);

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

/*
 Begins to encrypt a file as `openssl enc -rc4` does, and stores its address in `*enc`.

 The passphrase may have any bytes; `openssl` itself takes none with a zero byte.
 `arcfour_enc_free` releases the file.

 ARCFOUR_NULL: `enc`, `options`, or a `passphrase` that is not empty, is NULL. ARCFOUR_LENGTH.
 ARCFOUR_OPTION. ARCFOUR_RANDOM: the system has no random bytes for the salt. On an error `*enc` is
 NULL.
 */
arcfour_error arcfour_enc_encrypt(arcfour_enc **enc,
                                  const uint8_t *passphrase,
                                  size_t passphrase_len,
                                  const arcfour_enc_options *options);

/*
 Begins to decrypt a file of `openssl enc -rc4`: as `arcfour_enc_encrypt` otherwise.

 Nothing in a file tells whether passphrase, hash and cipher are right: wrong ones give other bytes,
 and no error.
 */
arcfour_error arcfour_enc_decrypt(arcfour_enc **enc,
                                  const uint8_t *passphrase,
                                  size_t passphrase_len,
                                  const arcfour_enc_options *options);

/*
 Converts the next `len` bytes, and stores in `*out` and `*out_len` where the result is. It stays
 there until the next call with this `enc`, and must not be the next input. The input may be
 split anywhere.

 ARCFOUR_NULL, ARCFOUR_LENGTH, ARCFOUR_MEMORY: nothing was converted. ARCFOUR_OVERLAP: `in` has bytes
 of the last result, and nothing was converted. ARCFOUR_TEXT: the base64 text is invalid.
 ARCFOUR_HEADER: the header that carries the salt is missing or cut off. After ARCFOUR_TEXT and
 ARCFOUR_HEADER, `*out` holds the result before the fault, and the file has ended. ARCFOUR_ENDED: the
 file had ended before this call.
 */
arcfour_error arcfour_enc_push(arcfour_enc *enc,
                               const uint8_t *in,
                               size_t len,
                               const uint8_t **out,
                               size_t *out_len);

/*
 Ends the input, and stores in `*out` and `*out_len` where the last of the result is: as
 `arcfour_enc_push` otherwise.
 */
arcfour_error arcfour_enc_finish(arcfour_enc *enc, const uint8_t **out, size_t *out_len);

/*
 Wipes the passphrase and the key, and releases a file. NULL is allowed.
 */
void arcfour_enc_free(arcfour_enc *enc);

/*
 Returns a message for an error: one line of English, without a line end. It is never NULL, whatever
 the number, and must not be freed.
 */
const char *arcfour_strerror(int error);

/*
 Returns the version of the library, such as "1.0.0". It must not be freed.
 */
const char *arcfour_version(void);

/*
 Returns how many streams run fastest together on this machine: pass a multiple of it to
 `arcfour_many_new`. Other numbers work too, only slower.
 */
size_t arcfour_lanes(void);

/*
 Makes `count` streams, each with a key of 1 to 256 bytes: `keys[n]` has `key_lens[n]` bytes.
 Stores their address in `*many`; `arcfour_many_free` releases them.

 ARCFOUR_NULL: `many`, `keys`, `key_lens` or a key is NULL. ARCFOUR_KEY_LENGTH. ARCFOUR_LENGTH or
 ARCFOUR_MEMORY: `count` is too large. On an error `*many` is NULL.
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

 ARCFOUR_NULL, ARCFOUR_KEY_LENGTH, ARCFOUR_MEMORY: all streams are left as they were.
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
 Begins to seal what `read` reads, so that every later change is detected, and stores the address of
 the file in `*sealed`. Nothing is read yet.

 `secret_kind` is an `arcfour_secret_kind`, `secret` its `secret_len` bytes. `context` is handed to
 `read`. `arcfour_sealed_next` returns the sealed file, `arcfour_sealed_free` releases it.

 ARCFOUR_NULL: `sealed`, `read` or `secret` is NULL. ARCFOUR_SECRET: the secret is none of its kind. On
 an error `*sealed` is NULL.
 */
arcfour_error arcfour_seal(arcfour_sealed **sealed,
                           arcfour_read read,
                           void *context,
                           int secret_kind,
                           const uint8_t *secret,
                           size_t secret_len);

/*
 Begins to open the sealed file that `read` reads: as `arcfour_seal` otherwise. `arcfour_sealed_next`
 returns the plaintext.
 */
arcfour_error arcfour_open(arcfour_sealed **sealed,
                           arcfour_read read,
                           void *context,
                           int secret_kind,
                           const uint8_t *secret,
                           size_t secret_len);

/*
 Begins to open `len` bytes of the plaintext from `start` on: as `arcfour_open` otherwise. The sealed file
 has `size` bytes. Only the header and the chunks with these bytes are read and verified.
 */
arcfour_error arcfour_open_range(arcfour_sealed **sealed,
                                 arcfour_read read,
                                 void *context,
                                 uint64_t size,
                                 int secret_kind,
                                 const uint8_t *secret,
                                 size_t secret_len,
                                 uint64_t start,
                                 uint64_t len);

/*
 Stores in `*piece` and `*len` where the next piece of the result is, and its length: 0 at the end. It
 stays there until the next call with this `sealed`. Plaintext is verified before it is returned. The
 bytes before an error are genuine, but incomplete.

 ARCFOUR_NULL. ARCFOUR_READ: the callback failed. ARCFOUR_SEALED: the file was changed, or the secret is
 wrong. ARCFOUR_RANGE: the plaintext has no such range. ARCFOUR_RANDOM, ARCFOUR_MEMORY. After any error
 except ARCFOUR_NULL, `arcfour_sealed_fault` says more, and the next call returns the end.
 */
arcfour_error arcfour_sealed_next(arcfour_sealed *sealed,
                                  const uint8_t **piece,
                                  size_t *len);

/*
 Returns the message of the error that ended the file: one line of English, which names the faulty
 chunk. The message is empty if there was no error, and for NULL. It stays valid until
 `arcfour_sealed_free`.
 */
const char *arcfour_sealed_fault(const arcfour_sealed *sealed);

/*
 Wipes the secret, and releases a file. NULL is allowed.
 */
void arcfour_sealed_free(arcfour_sealed *sealed);

/*
 Makes a stream of RC4 of a key of 1 to 256 bytes, and stores its address in `*stream`.

 The first `drop` bytes of keystream are discarded, as RC4-drop[n] does; 0 for plain RC4.
 `arcfour_free` releases the stream.

 ARCFOUR_NULL: `stream` or `key` is NULL. ARCFOUR_KEY_LENGTH. On an error `*stream` is NULL.
 */
arcfour_error arcfour_new(arcfour **stream, const uint8_t *key, size_t key_len, uint64_t drop);

/*
 Makes a stream of any family of ciphers: as `arcfour_new` otherwise.

 `family` is an `arcfour_family`. ARCFOUR_VMPC and ARCFOUR_VMPC_KSA3 take an IV of 1 to 256
 bytes; for all others `iv_len` is 0, and `iv` may be NULL. All but ARCFOUR_RC4, ARCFOUR_RC4A and
 ARCFOUR_PARC4R are computed by their definition, a byte at a time.

 ARCFOUR_NULL: `stream`, `key` or `iv` is NULL. ARCFOUR_FAMILY. ARCFOUR_KEY_LENGTH.
 ARCFOUR_IV_LENGTH. On an error `*stream` is NULL.
 */
arcfour_error arcfour_new_family(arcfour **stream,
                                 int family,
                                 const uint8_t *key,
                                 size_t key_len,
                                 const uint8_t *iv,
                                 size_t iv_len,
                                 uint64_t drop);

/*
 Makes a copy of a stream, which goes on from the same place by itself, and stores its address in
 `*copy`. `arcfour_free` releases it.

 ARCFOUR_NULL: `copy` or `stream` is NULL. On an error `*copy` is NULL.
 */
arcfour_error arcfour_copy(arcfour **copy, const arcfour *stream);

/*
 Wipes and releases a stream. NULL is allowed.
 */
void arcfour_free(arcfour *stream);

/*
 Starts the stream over with another key, at position 0 after `drop` discarded bytes. This is
 what to use for many short messages by RC4, which then needs no allocation.

 ARCFOUR_NULL, ARCFOUR_KEY_LENGTH, ARCFOUR_IV_LENGTH: the stream is left as it was. The last is
 for the families that take an IV: make a new stream.
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
 Advances by `n` bytes. Only ARCFOUR_PARC4R can jump; else this takes as long as making the bytes.

 ARCFOUR_NULL.
 */
arcfour_error arcfour_skip(arcfour *stream, uint64_t n);

/*
 Returns how many bytes of keystream have been used or skipped since the key (modulo 2^64), without those
 dropped with the key. 0 for NULL.
 */
uint64_t arcfour_position(const arcfour *stream);

#ifdef __cplusplus
}  /* extern "C" */
#endif  /* __cplusplus */

#endif  /* ARCFOUR_H */
