/* rc4check: runs files of RC4 test vectors through OpenSSL's low-level interface.
 *
 * Written as programs of other people are: it knows <openssl/rc4.h> and nothing of the library under
 * it. Keys live on the stack, are copied by assignment and memcpy, and are never freed. */
#include <openssl/rc4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FARTHEST = 1 << 16 }; /* rows that start after this are left to others */

static int hex(const char *text, unsigned char *out) {
    int len = 0;
    unsigned byte;
    for (; sscanf(text, "%2x", &byte) == 1; text += 2) out[len++] = (unsigned char)byte;
    return len;
}

/* The keystream from `offset`, in pieces of 1, 2, 3 ... bytes, each by another copy of the key. */
static void keystream(const unsigned char *key, int key_len, long offset, unsigned char *out, int len) {
    static unsigned char zeros[FARTHEST], unused[FARTHEST];
    unsigned char stack[sizeof(RC4_KEY) + 256];
    RC4_KEY state, copy;
    RC4_set_key(&state, key_len, key);
    RC4(&state, (size_t)offset, zeros, unused);
    for (int done = 0, piece = 1; done < len; done += piece, piece++) {
        if (piece > len - done) piece = len - done;
        copy = state;
        memcpy(stack + piece * (int)sizeof(RC4_INT) % 256, &copy, sizeof copy);
        memset(&state, 0xaa, sizeof state);
        memcpy(&state, stack + piece * (int)sizeof(RC4_INT) % 256, sizeof state);
        memset(out + done, 0, (size_t)piece);
        RC4(&state, (size_t)piece, out + done, out + done);
        memset(unused, 0x55, (size_t)piece); /* the copy goes its own way, out of place */
        RC4(&copy, (size_t)piece, zeros, unused);
        if (memcmp(unused, out + done, (size_t)piece) != 0) memset(out, 0, (size_t)len);
    }
}

static int check(const char *path) {
    static char line[8192], key_hex[2048], middle[2048], last[4096];
    unsigned char key[1024], expected[2048], found[2048], plain[1024];
    int rows = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    int messages = 0;
    while (fgets(line, sizeof line, file)) {
        if (strstr(line, "PLAINTEXT")) messages = 1;
        if (line[0] == '#' || sscanf(line, "%2047s %2047s %4095s", key_hex, middle, last) != 3) continue;
        int key_len = hex(key_hex, key), len = hex(last, expected);
        if (messages) {
            RC4_KEY state;
            hex(middle, plain);
            RC4_set_key(&state, key_len, key);
            RC4(&state, (size_t)len, plain, found);
        } else {
            long offset = atol(middle);
            if (offset > FARTHEST) continue;
            keystream(key, key_len, offset, found, len);
        }
        if (memcmp(found, expected, (size_t)len) != 0) {
            fprintf(stderr, "%s: wrong: %s", path, line);
            exit(1);
        }
        rows++;
    }
    fclose(file);
    return rows;
}

int main(int argc, char **argv) {
    int rows = 0;
    for (int n = 1; n < argc; n++) rows += check(argv[n]);
    printf("%d vectors, %s\n", rows, RC4_options());
    return rows == 0;
}
