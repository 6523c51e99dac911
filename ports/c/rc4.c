/*
 * rc4: encrypt or decrypt a text with RC4. The program of Galvane & Uzel (2012) in C.
 *
 *     gcc -O3 -o rc4 rc4.c
 *     printf Baptiste | ./rc4 --out-hexa Quentin
 *
 * RC4 is broken: use it to read old data and to study it, never to protect anything new.
 *
 * Unlike the paper's, this program reads and writes a block at a time. It starts at once and its
 * memory does not grow with the input. `--paper-version=V0` … `V4` chooses one of the five
 * versions of the paper's section 5; ../README.md has their figures.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { N = 256, KEY_MAX = 256, BLOCK = 65536 };

static const char USAGE[] =
    "Usage: rc4 [OPTION]... KEY\n"
    "Encrypt or decrypt a plain/cipher text using the RC4 algorithm\n"
    "The input text will be read from stdin and en/decrypted using the key KEY\n"
    "  --bench=N        benchmark mode, encrypts N random bytes\n"
    "  --bench-loop=M   the encryption will be run M times, default is 1\n"
    "  --in-hexa        input text will be interpreted as hexa, default is raw\n"
    "  --out-hexa       output text will be written in hexa, default is raw\n";

/* ---- The cipher ---------------------------------------------------------------------------- */

/* The state of one stream: the permutation and the two indexes. */
typedef struct {
    unsigned char S[N];
    unsigned char i, j;
} State;

static State state;

#define SWAP(T, a, b) do { T t = (a); (a) = (b); (b) = t; } while (0)

/* The key-scheduling algorithm. */
static void ksa(State *s, const unsigned char *key, unsigned keylength)
{
    unsigned i, j;

    for (i = 0; i < N; i++)
        s->S[i] = i;
    for (i = 0, j = 0; i < N; i++) {
        j = (j + s->S[i] + key[i % keylength]) & 0xFF;
        SWAP(unsigned char, s->S[i], s->S[j]);
    }
    s->i = s->j = 0;
}

/* The pseudo-random generation algorithm: `length` bytes of keystream. */
static void prga(State *s, unsigned char *out, size_t length)
{
    unsigned char *S = s->S;
    unsigned i = s->i, j = s->j;

    for (; length > 0; out++, length--) {
        i = (i + 1) & 0xFF;
        j = (j + S[i]) & 0xFF;
        SWAP(unsigned char, S[i], S[j]);
        *out = S[(S[i] + S[j]) & 0xFF];
    }
    s->i = i;
    s->j = j;
}

static _Noreturn void fail(int status, const char *format, ...);

/* Returns `length` bytes of keystream in new memory, for V0 and V1. */
static unsigned char *keystream(State *s, size_t length)
{
    unsigned char *stream = malloc(length);

    if (stream == NULL && length > 0)
        fail(1, "no memory for %zu bytes of keystream", length);
    prga(s, stream, length);
    return stream;
}

/*
 * V0, the initial design: the whole keystream first, then the xor. Each byte of keystream is
 * written to memory and read back.
 */
static void crypt_v0(State *s, unsigned char *text, size_t length)
{
    unsigned char *stream = keystream(s, length), *ptr;

    for (ptr = stream; length > 0; text++, ptr++, length--)
        *text ^= *ptr;
    free(stream);
}

/*
 * V1: V0 with the xor in 64-bit words: an eighth of its loads and stores. With -O3 gcc makes even
 * wider words of V0's loop by itself.
 */
static void crypt_v1(State *s, unsigned char *text, size_t length)
{
    unsigned char *stream = keystream(s, length), *ptr = stream;
    unsigned long long quad, mask;

    /* memcpy becomes one 8-byte load or store. C forbids the paper's cast to a 64-bit pointer. */
    for (; length >= 8; text += 8, ptr += 8, length -= 8) {
        memcpy(&quad, text, 8);
        memcpy(&mask, ptr, 8);
        quad ^= mask;
        memcpy(text, &quad, 8);
    }
    for (; length > 0; text++, ptr++, length--)
        *text ^= *ptr;
    free(stream);
}

/* V2: the PRGA makes the output. The keystream byte stays in a register. */
static void crypt_v2(State *s, unsigned char *text, size_t length)
{
    unsigned char *S = s->S;
    unsigned i = s->i, j = s->j;

    for (; length > 0; text++, length--) {
        i = (i + 1) & 0xFF;
        j = (j + S[i]) & 0xFF;
        SWAP(unsigned char, S[i], S[j]);
        *text ^= S[(S[i] + S[j]) & 0xFF];
    }
    s->i = i;
    s->j = j;
}

/* V3: V2 with 8-bit indexes, which wrap by themselves, so there is no modulus. */
static void crypt_v3(State *s, unsigned char *text, size_t length)
{
    unsigned char *S = s->S;
    unsigned char i = s->i, j = s->j;

    for (; length > 0; text++, length--) {
        i++;
        j += S[i];
        SWAP(unsigned char, S[i], S[j]);
        *text ^= S[(unsigned char)(S[i] + S[j])];
    }
    s->i = i;
    s->j = j;
}

/*
 * V4, V1 and V3 together: eight bytes of keystream, then one 64-bit xor. The paper's was slower:
 * the eight bytes went through memory. With gcc -O2 they still do. With -O3 gcc unrolls the
 * eight steps and joins the bytes in registers, which makes V4 the fastest.
 */
static void crypt_v4(State *s, unsigned char *text, size_t length)
{
    unsigned char *S = s->S, eight[8];
    unsigned char i = s->i, j = s->j;
    unsigned long long quad, mask;

    for (; length >= 8; text += 8, length -= 8) {
        for (unsigned k = 0; k < 8; k++) {
            i++;
            j += S[i];
            SWAP(unsigned char, S[i], S[j]);
            eight[k] = S[(unsigned char)(S[i] + S[j])];
        }
        memcpy(&quad, text, 8);
        memcpy(&mask, eight, 8);
        quad ^= mask;
        memcpy(text, &quad, 8);
    }
    s->i = i;
    s->j = j;
    crypt_v3(s, text, length);
}

/* The versions by name; the last is the fastest, and the default. */
static const struct version {
    const char *name;
    void (*crypt)(State *s, unsigned char *text, size_t length);
} VERSIONS[] = {
    { "V0", crypt_v0 }, { "V1", crypt_v1 }, { "V2", crypt_v2 }, { "V3", crypt_v3 }, { "V4", crypt_v4 },
};

static const struct version *version = &VERSIONS[4];

/* ---- The end of the program ---------------------------------------------------------------- */

/* Overwrites the state and ends the program. */
static _Noreturn void leave(int status)
{
    explicit_bzero(&state, sizeof state);
    _exit(status);
}

/* Prints a line on stderr, for status 2 also the usage text, and ends the program. */
static _Noreturn void fail(int status, const char *format, ...)
{
    va_list args;

    fputs("rc4: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\n", stderr);
    if (status == 2)
        fputs(USAGE, stderr);
    leave(status);
}

/* ---- Input and output ---------------------------------------------------------------------- */

/* Reads at most `size` bytes. Returns 0 at the end of the input. */
static size_t read_some(unsigned char *buffer, size_t size)
{
    ssize_t got;

    do
        got = read(STDIN_FILENO, buffer, size);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        fail(1, "cannot read standard input: %s", strerror(errno));
    return got;
}

/* Writes all bytes. If the reader has closed the pipe, the program ends with status 0. */
static void write_all(const unsigned char *bytes, size_t length)
{
    ssize_t put;

    for (; length > 0; bytes += put, length -= put) {
        put = write(STDOUT_FILENO, bytes, length);
        if (put < 0) {
            if (errno == EPIPE)
                leave(0);
            if (errno != EINTR)
                fail(1, "cannot write standard output: %s", strerror(errno));
            put = 0;
        }
    }
}

/* The state of the hexadecimal reader between two blocks. */
static struct {
    unsigned long long offset; /* of the next character of the input */
    unsigned long long digits; /* digits read: if odd, the last one is in `high` */
    unsigned char high;
    unsigned char line_end;    /* '\r' or '\n', if that was the last character */
    char error[120];
} hex;

/* The error for an invalid character at `offset`. */
static const char *hex_error(unsigned long long offset, unsigned char c, const char *what)
{
    char shown[10];

    snprintf(shown, sizeof shown, c >= ' ' && c <= '~' ? "'%c'" : "byte 0x%02x", c);
    snprintf(hex.error, sizeof hex.error, "offset %llu: %s %s", offset, shown, what);
    return hex.error;
}

static const char NO_DIGIT[] = "is not a hexadecimal digit; allowed are 0-9, a-f and A-F";
static const char BEHIND[] = "comes after a line end; one is allowed, as the last of the input";

/* Returns the value of a hexadecimal digit, or -1. */
static int digit(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/*
 * Decodes `*length` characters in place and stores the number of bytes they make in `*length`.
 * One line end, LF or CR LF, may close the input. Returns NULL, or the error that stopped it early.
 */
static const char *hex_decode(unsigned char *text, size_t *length)
{
    const char *error = NULL;
    unsigned char *out = text;

    for (size_t k = 0; k < *length; k++, hex.offset++) {
        unsigned char c = text[k];
        int value = digit(c);

        if (hex.line_end == '\n')
            error = hex_error(hex.offset, c, BEHIND);
        else if (hex.line_end == '\r' && c != '\n')
            error = hex_error(hex.offset - 1, '\r', NO_DIGIT);
        else if (c == '\n' || c == '\r')
            hex.line_end = c;
        else if (value < 0)
            error = hex_error(hex.offset, c, NO_DIGIT);
        else if (hex.digits++ % 2 == 0)
            hex.high = value << 4;
        else
            *out++ = hex.high | value;
        if (error != NULL)
            break;
    }
    *length = out - text;
    return error;
}

/* Returns the error in an input that has ended, or NULL. */
static const char *hex_end(void)
{
    if (hex.line_end == '\r')
        return hex_error(hex.offset - 1, '\r', NO_DIGIT);
    if (hex.digits % 2 == 0)
        return NULL;
    snprintf(hex.error, sizeof hex.error,
             "offset %llu: the digits end in the middle of a byte; each byte has two", hex.digits);
    return hex.error;
}

/* Encodes `length` bytes as lower-case digits. */
static void hex_encode(const unsigned char *bytes, size_t length, unsigned char *out)
{
    for (; length > 0; bytes++, length--) {
        *out++ = "0123456789abcdef"[*bytes >> 4];
        *out++ = "0123456789abcdef"[*bytes & 15];
    }
}

/* ---- The two modes ------------------------------------------------------------------------- */

/* Standard mode: stdin to stdout, block by block, until the input ends. */
static void filter(int in_hexa, int out_hexa)
{
    static unsigned char text[BLOCK], digits[2 * BLOCK];
    struct stat in, out;
    const char *error;
    size_t length;

    /* If a program reads a file and appends to it, it never reaches the end. */
    if (fstat(STDIN_FILENO, &in) == 0 && fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(in.st_mode)
        && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
        fail(2, "the output standard output is the input standard input; choose another output");

    while ((length = read_some(text, BLOCK)) > 0) {
        error = in_hexa ? hex_decode(text, &length) : NULL;
        version->crypt(&state, text, length);
        if (out_hexa) {
            hex_encode(text, length, digits);
            write_all(digits, 2 * length);
        } else {
            write_all(text, length);
        }
        if (error != NULL)
            fail(1, "cannot decode the input: %s", error);
    }
    if ((error = hex_end()) != NULL)
        fail(1, "cannot decode the input: %s", error);
    if (out_hexa && isatty(STDOUT_FILENO))
        write_all((const unsigned char *)"\n", 1);
}

/* Nanoseconds of a monotonic clock. */
static long long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Benchmark mode: `length` random bytes, key schedule and encryption, `loop` times. */
static void bench(const unsigned char *key, unsigned keylength, size_t length,
                  unsigned long long loop)
{
    static unsigned char plain[BLOCK], stream[BLOCK];
    unsigned char *text = malloc(length);
    size_t head = length < BLOCK ? length : BLOCK;
    unsigned long long m;
    long long elapsed;
    char line[100];

    if (text == NULL)
        fail(1, "--bench=%zu: not enough memory for this many bytes", length);
    for (size_t filled = 0; filled < length;) {
        ssize_t got = getrandom(text + filled, length - filled, 0);
        if (got < 0 && errno != EINTR)
            fail(1, "cannot read random bytes: %s", strerror(errno));
        filled += got < 0 ? 0 : got;
    }
    memcpy(plain, text, head);

    elapsed = now();
    for (m = 0; m < loop; m++) {
        ksa(&state, key, keylength);
        version->crypt(&state, text, length);
    }
    elapsed = now() - elapsed;

    /* Checks the result first: an odd number of encryptions equals one encryption. */
    if (loop % 2 == 0) {
        ksa(&state, key, keylength);
        version->crypt(&state, text, length);
    }
    ksa(&state, key, keylength);
    prga(&state, stream, head);
    for (size_t k = 0; k < head; k++)
        if (text[k] != (plain[k] ^ stream[k]))
            fail(1, "the benchmark's output is wrong at byte %zu", k);

    if (elapsed == 0)
        elapsed = 1;
    snprintf(line, sizeof line, "encryption time = %.3f us\nthroughput      = %.1f MB/s\n",
             elapsed / 1e3 / loop, length * 1e3 * loop / elapsed);
    write_all((const unsigned char *)line, strlen(line));
    free(text);
}

/* ---- The command line ---------------------------------------------------------------------- */

/* The values of the arguments. */
static struct {
    int in_hexa, out_hexa;
    unsigned long long bench, bench_loop; /* 0: not given */
    char *key;
} args;

/* Notes that an option without a value was given. */
static void flag(const char *name, const char *value, int *given)
{
    if (value != NULL)
        fail(2, "unexpected value '%s' for '%s' found; no more were expected", value, name);
    if (*given)
        fail(2, "the argument '%s' cannot be used multiple times", name);
    *given = 1;
}

/* Stores the number of an option. `letter` is the name of the number in the usage text. */
static void number(const char *name, char letter, const char *value, unsigned long long min,
                   unsigned long long max, unsigned long long *given)
{
    unsigned long long n = 0;
    const char *digits;

    if (value == NULL)
        fail(2, "equal sign is needed when assigning values to '%s=<%c>'", name, letter);
    if (*given)
        fail(2, "the argument '%s=<%c>' cannot be used multiple times", name, letter);
    for (digits = value + (*value == '+'); *digits >= '0' && *digits <= '9'; digits++) {
        unsigned digit = *digits - '0';
        if (n > (max - digit) / 10)
            break;
        n = 10 * n + digit;
    }
    if (*digits != '\0' || n < min)
        fail(2, "invalid value '%s' for '%s=<%c>': %c is a whole number from %llu to %llu", value,
             name, letter, letter, min, max);
    *given = n;
}

/* Returns the version with this name. */
static const struct version *find_version(const char *name)
{
    for (size_t k = 0; k < sizeof VERSIONS / sizeof *VERSIONS; k++)
        if (name != NULL && strcmp(name, VERSIONS[k].name) == 0)
            return &VERSIONS[k];
    fail(2, "--paper-version is one of V0, V1, V2, V3 and V4");
}

/* Takes an option: its name, and its value after the equal sign if there is one. */
static void option(char *name)
{
    char *value = strchr(name, '=');

    if (value != NULL)
        *value++ = '\0';
    if (args.key != NULL)
        fail(2, "the option %s comes after the KEY; the KEY goes last", name);
    if (strcmp(name, "--bench") == 0)
        number(name, 'N', value, 2, LLONG_MAX, &args.bench);
    else if (strcmp(name, "--bench-loop") == 0)
        number(name, 'M', value, 1, ULLONG_MAX, &args.bench_loop);
    else if (strcmp(name, "--in-hexa") == 0)
        flag(name, value, &args.in_hexa);
    else if (strcmp(name, "--out-hexa") == 0)
        flag(name, value, &args.out_hexa);
    else if (strcmp(name, "--paper-version") == 0)
        version = find_version(value);
    else
        fail(2, "unknown option '%s'; there are --bench=N, --bench-loop=M, --in-hexa and --out-hexa",
             name);
}

/* Takes the key, the only argument that is not an option. */
static void take_key(char *argument)
{
    size_t length = strlen(argument), offset = 0;

    if (args.key != NULL)
        fail(2, "unexpected '%s' after the KEY; there is one KEY, given last, and the input is read "
                "from stdin", argument);
    while ((signed char)argument[offset] > 0)
        offset++;
    if (offset < length)
        fail(2, "the key has a byte that is not ASCII at offset %zu; `arcfour crypt` takes keys of "
                "any bytes", offset);
    if (length < 1 || length > KEY_MAX)
        fail(2, "the key has %zu bytes; it must have 1 to 256", length);
    args.key = argument;
}

int main(int argc, char **argv)
{
    int options = 1;
    unsigned char *key;
    size_t keylength;

    signal(SIGPIPE, SIG_IGN);
    for (int k = 1; k < argc; k++)
        if (options && strcmp(argv[k], "--") == 0)
            options = 0;
        else if (options && argv[k][0] == '-' && argv[k][1] != '\0')
            option(argv[k]);
        else
            take_key(argv[k]);
    if (args.key == NULL)
        fail(2, "no KEY; it is 1 to 256 ASCII characters, given last");
    if (args.bench_loop > 0 && args.bench == 0)
        fail(2, "--bench-loop=M needs --bench=N, the number of bytes to encrypt");

    key = (unsigned char *)args.key;
    keylength = strlen(args.key);
    if (args.bench > 0) {
        bench(key, keylength, args.bench, args.bench_loop > 0 ? args.bench_loop : 1);
    } else {
        ksa(&state, key, keylength);
        explicit_bzero(key, keylength); /* removes the key from the list of processes */
        filter(args.in_hexa, args.out_hexa);
    }
    explicit_bzero(key, keylength);
    leave(0);
}
