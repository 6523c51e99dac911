/* The examples of the README, which the Makefile extracts into readme.h:
   readme stream KEY TEXT; readme sealed FILE PASSPHRASE; readme enc FILE PASSPHRASE. */
#define _POSIX_C_SOURCE 200809L
#include "readme.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), exit(2)))

int main(int argc, char **argv) {
    static uint8_t data[1 << 16];
    CHECK(argc == 4);
    uint8_t *word = (uint8_t *)argv[3];
    size_t len = strlen(argv[3]);
    if (strcmp(argv[1], "stream") == 0) {
        encrypt_in_place((const uint8_t *)argv[2], strlen(argv[2]), word, len);
        fwrite(word, 1, len, stdout);
        return 0;
    }
    int file = open(argv[2], O_RDONLY);
    CHECK(file >= 0);
    if (strcmp(argv[1], "sealed") == 0) {
        print_sealed(file, word, len);
        return 0;
    }
    CHECK(strcmp(argv[1], "enc") == 0);
    ssize_t size = read(file, data, sizeof data);
    CHECK(size >= 0);
    /* No other passphrase is refused. */
    if (len == 0) print_decrypted(data, (size_t)size, NULL, 1);
    print_decrypted(data, (size_t)size, word, len);
    return 0;
}
