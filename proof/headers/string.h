/* What capi/single/arcfour.c takes from the C library, for a compiler that has none for its target. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);
