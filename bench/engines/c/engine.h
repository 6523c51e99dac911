/* What every RC4 in C is to the benchmark: a key schedule and an xor in place, one stream at a time. */
#ifndef ENGINE_H
#define ENGINE_H

#include <stddef.h>

struct engine {
    const char *name;
    /* Version and, where the library says so, the code path: one line, no tabs. */
    const char *(*version)(void);
    void (*schedule)(const unsigned char *key, size_t key_bytes);
    void (*apply)(unsigned char *data, size_t bytes);
};

/* Those of this program; NULL ends them. */
extern const struct engine *const engines[];

/* Ends the process with a message if a library refused its work. */
void check(int done, const char *what);

#endif
