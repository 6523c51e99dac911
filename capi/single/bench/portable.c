/* arcfour.c once more, without its assembly and with its names changed, so that one program can measure both. */
#include "portable.h"

#define ARCFOUR1_PORTABLE
#define arcfour1_key portable_key
#define arcfour1_xor portable_xor
#define arcfour1_xor5 portable_xor5
#define arcfour1_skip portable_skip
#define arcfour1_wipe portable_wipe
#define arcfour1_kernel portable_kernel

#include "../arcfour.c"
