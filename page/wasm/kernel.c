/* The kernel of capi/single for WebAssembly: one stream, and room for its key and its data, which the page writes
 * into the module's memory. */
#include "../../capi/single/arcfour.c"

#define EXPORT(name) __attribute__((export_name(name)))

static arcfour1 stream;
static uint8_t key[256];
static uint8_t data[1 << 20];

/* With bulk memory these are one instruction each. */
void *memcpy(void *restrict to, const void *restrict from, size_t len) { return __builtin_memcpy(to, from, len); }
void *memset(void *at, int byte, size_t len) { return __builtin_memset(at, byte, len); }

EXPORT("key") uint8_t *key_at(void) { return key; }
EXPORT("data") uint8_t *data_at(void) { return data; }
EXPORT("room") size_t room(void) { return sizeof data; }

/* Starts a stream with the first `len` bytes of the key. Returns nonzero for an invalid length. */
EXPORT("start") int start(size_t len) { return arcfour1_key(&stream, key, len, 0); }

/* Xors the first `len` bytes of the data with the next bytes of the stream. */
EXPORT("apply") void apply(size_t len) { arcfour1_xor(&stream, data, data, len); }
