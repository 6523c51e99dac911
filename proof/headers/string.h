/* The C library's functions in capi/single/arcfour.c, for a target without a C library. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);
