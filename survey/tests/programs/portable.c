/* The same without assembly. */
#define ARCFOUR1_PORTABLE
#include "single.c"
