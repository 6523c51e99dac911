/* The engines of engine-c. */
#include "engine.h"

extern const struct engine openssl, libtomcrypt, nettle, libgcrypt, textbook;

const struct engine *const engines[] = {&openssl, &libtomcrypt, &nettle, &libgcrypt, &textbook, NULL};
