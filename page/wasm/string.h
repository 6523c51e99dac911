/* The two functions of the standard's string.h that capi/single/arcfour.c takes, for a build without a library. */
#include <stddef.h>
void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *memset(void *at, int byte, size_t len);
