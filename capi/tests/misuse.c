/* What <openssl/rc4.h> has no way to refuse ends the process, with a message, and writes nothing. */
#include <openssl/rc4.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static RC4_KEY key;
static unsigned char text[8];

static void no_key(void) { RC4_set_key(NULL, 1, text); }
static void no_data(void) { RC4_set_key(&key, 1, NULL); }
static void empty_key(void) { RC4_set_key(&key, 0, text); }
static void negative_key(void) { RC4_set_key(&key, -1, text); }
static void null_stream(void) { RC4(NULL, 1, text, text); }
static void zero_stream(void) {
    memset(&key, 0, sizeof key);
    RC4(&key, 8, text, text);
}
static void no_input(void) {
    RC4_set_key(&key, 8, text);
    RC4(&key, 1, NULL, text);
}
static void no_output(void) {
    RC4_set_key(&key, 8, text);
    RC4(&key, 1, text, NULL);
}
static void nothing(void) {
    RC4_set_key(&key, 8, text);
    RC4(&key, 0, NULL, NULL);
    _exit(0);
}
static void long_key(void) {
    unsigned char bytes[300] = {7}, other[sizeof text] = {0};
    RC4_set_key(&key, 300, bytes);
    RC4(&key, sizeof text, text, text);
    RC4_set_key(&key, 256, bytes);
    RC4(&key, sizeof other, other, other);
    _exit(memcmp(text, other, sizeof text) != 0);
}

/* How `misuse` ends, and how much it says. */
static int run(void (*misuse)(void), ssize_t *said) {
    char message[256];
    int pipes[2], status;
    if (pipe(pipes) != 0) abort();
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        misuse();
        _exit(1);
    }
    close(pipes[1]);
    *said = read(pipes[0], message, sizeof message);
    close(pipes[0]);
    waitpid(child, &status, 0);
    return status;
}

int main(void) {
    void (*const refused[])(void) = {no_key,      no_data,     empty_key, negative_key,
                                     null_stream, zero_stream, no_input,  no_output};
    void (*const taken[])(void) = {nothing, long_key};
    ssize_t said;
    for (size_t n = 0; n < sizeof refused / sizeof *refused; n++) {
        int status = run(refused[n], &said);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || said <= 0) {
            printf("misuse %zu was not refused\n", n);
            return 1;
        }
    }
    for (size_t n = 0; n < sizeof taken / sizeof *taken; n++) {
        int status = run(taken[n], &said);
        if (status != 0 || said != 0) {
            printf("use %zu was refused\n", n);
            return 1;
        }
    }
    puts("misuse: refused");
    return 0;
}
