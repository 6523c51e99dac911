/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * RC4 in one file. arcfour.h describes the functions, README.md embedding, speed and tested platforms.
 *
 * Diary. Measured on an idle AMD Zen 5 (EPYC, family 26), -O2, November 2026. The figures are cycles per byte with
 * gcc 12 / clang 14. Each figure is the least of 300 samples of 64 KiB (five streams: 16 KiB each). README.md has the
 * medians, which are a little higher.
 *
 * The obstacle. A step of RC4 is i += 1, j += S[i], swap S[i] and S[j], output S[S[i] + S[j]]. The processor knows the
 * address of the next S[i] long before the addresses of older stores to S[j]. So it loads the next S[i] early, is
 * sometimes wrong, and starts the step again. Its predictor then learns to wait: the plain loop takes 5.35 / 5.17.
 *
 * One stream, portable: 2.99 / 3.07.
 * - S[i + 1] is loaded one step early, into a register. The store to S[j] hits S[i + 1] in 1 of 256 steps. A branch
 *   then loads it again. A select instead of the branch: 3.07 / 3.16. Two bytes ahead: 3.01 / 3.06. Three: 3.07 / 3.45.
 * - The early load must wait until the addresses of older stores are known. To this end a zero is masked by an older j
 *   and added to the address; the compiler does not know that it is zero. With the j of two or three steps ago: the
 *   figures above. Of one or two: 3.04 / 3.13. Of the step before: 3.79 / 3.87. Without: 3.45 / 3.49.
 * - gcc computes &S[j] once for the load and the store, by an addition that the processor can do without. So the store
 *   uses a second pointer to S, and the compiler does not know that both are equal. Without: 3.26 / 3.05.
 * - KEEP. Without KEEP, clang computes j twice and spills bytes of S, and gcc undoes part of the above: 3.28 / 3.35.
 * - 8, 16 or 32 steps unrolled take the same time. Indexes from i, not from a pointer to S[i], are a tenth slower.
 * - Output in a word is fastest, then bytes gathered in memory, then bytes xored one by one.
 *
 * Five streams, portable: 2.24 / 2.35. While one stream waits the others work. So no byte is loaded early, and no branch
 * is mispredicted.
 * - KEEP holds x, y, j and the keystream. The keystream alone: 2.38 / 2.51. None: 2.41 / 2.60. One pointer to S:
 *   2.49 / 2.62. Neither: 2.71 / 2.56. Without KEEP, clang stores each byte of output as a word and joins them at the end.
 * - 16 steps unrolled: 2.18 / 2.59. Output gathered in memory: 2.76 / 2.74.
 * - Two steps of a stream, then two of the next: 2.54 / 2.70. Four: 2.96 / 3.18. Eight: 3.22 / 3.31.
 * - Tables 512 bytes apart are a fifth slower. Three, four or six streams are slower than five, or equal.
 *
 * x86-64. The Rust library has the same technique and its diary: cipher/src/backends/x86_64/stream.rs and lanes.rs. Here
 * the assembly has one register less, since the compiler keeps rbp and rsp. Pointers that a turn needs once stay in
 * memory.
 *
 * The assembly must compile with -O0, sanitizers and frame pointers, which leave too few registers for operands in
 * memory. So it has no such operand: five streams find their data from their tables, xmm3 holds the end of the input, and
 * the key schedule ends at the end of the table. An `#if` could not do this. The preprocessor does not see a frame
 * pointer, and debug builds would lose the kernel.
 *
 * A turn has 16 steps, where the library has 32. So the kernel serves calls of 16 bytes and more on a table at a multiple
 * of 256. Instructions of one call there by callgrind, gcc 12, before (operands in memory, turns of 32) / now: 16 bytes
 * 406 / 312, 64 bytes 1225 / 885 (by C loops before), 128 bytes 1723 / 1649, 16 KiB 192666 / 195640.
 *
 * aarch64. Three S[i] are loaded ahead, without the wait. No such machine was there to measure on. The check of three
 * values is a `tst` of four: a match of the fourth only loads bytes again that were right.
 */
#include "arcfour.h"

#include <string.h>

#if !defined(ARCFOUR1_PORTABLE) && (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
#if defined(__x86_64__) && !defined(__ILP32__) && defined(__SSE2__) /* not under -mgeneral-regs-only */
#define X86_64 1
#elif defined(__aarch64__) && !defined(__ILP32__) && !defined(__AARCH64EB__)
#define AARCH64 1
#endif
#endif

#if defined(__GNUC__) || defined(__clang__)
#define RARELY(x) __builtin_expect(!!(x), 0)
#else
#define RARELY(x) (x)
#endif

enum { STREAMS = ARCFOUR1_STREAMS, BLOCK = 16 };

/* Collects bytes of keystream. */
typedef size_t word;
enum { WORD = sizeof(word) };

static void wipe(void *at, size_t len) {
#if defined(__GNUC__) && !defined(__TINYC__)
    memset(at, 0, len);
    __asm__ __volatile__("" : : "r"(at) : "memory"); /* the compiler must keep the zeros: it takes this for a reader */
#else
    volatile uint8_t *bytes = (volatile uint8_t *)at;
    while (len--) *bytes++ = 0;
#endif
}

/* ---- Portable ---- */

/* Returns the shift of byte n (mod WORD) in a word, in bits. The compiler computes it at compile time. */
static unsigned shift(unsigned n) {
    const union {
        uint16_t number;
        uint8_t bytes[2];
    } probe = {1};
    n %= WORD;
    return 8 * (probe.bytes[0] ? n : WORD - 1 - n);
}

static void xor_word(const uint8_t *in, uint8_t *out, word keystream) {
    word data;
    memcpy(&data, in, WORD);
    data ^= keystream;
    memcpy(out, &data, WORD);
}

static void schedule_portable(uint8_t *s, const uint8_t *key, size_t key_len) {
    unsigned i, j = 0;
    size_t k = 0;
    for (i = 0; i < 256; i++) s[i] = (uint8_t)i;
    for (i = 0; i < 256; i++) {
        uint8_t x = s[i];
        j = (j + x + key[k]) & 255;
        s[i] = s[j];
        s[j] = x;
        if (++k == key_len) k = 0;
    }
}

/* Puts `x` into a register. The compiler then takes x for an unknown number, and cannot compute it again another way. */
#if defined(__GNUC__) && !defined(__TINYC__) && !defined(__i386__)
#define KEEP(x) __asm__("" : "+r"(x))
#else
#define KEEP(x) (void)0
#endif

/* Takes any number of bytes. x1 is the next S[i]. It is loaded before the store to S[j], which may change it. */
static void bytes_portable(arcfour1 *stream, const uint8_t *in, uint8_t *out, size_t len) {
    uint8_t *s = stream->s;
    size_t i = stream->i, j = stream->j, n;
    uint8_t x, x1 = s[(uint8_t)(i + 1)], y;
    if (len == 0) return;
    for (n = 0; n < len; n++) {
        x = x1;
        i = (uint8_t)(i + 1);
        x1 = s[(uint8_t)(i + 1)];
        j = (uint8_t)(j + x);
        y = s[j];
        s[i] = y;
        s[j] = x;
        if (RARELY(j == (uint8_t)(i + 1))) {
            x1 = x;
            KEEP(x1); /* keeps the branch: with a select the next step would wait for j */
        }
        out[n] = (uint8_t)(in[n] ^ s[(uint8_t)(x + y)]);
    }
    stream->i = (uint8_t)i;
    stream->j = (uint8_t)j;
}

/* The compiler does not know that this is 0. */
static const volatile size_t zero = 0;

/* The place of S[i + k] of a block, for k from 1 to BLOCK + 1. */
#define AT(k) ((k) < BLOCK ? here + (k) : next + ((k) - BLOCK))

/* Step k. x is S[i + k]. x1 is S[i + k + 1], loaded before the store to S[j], which may change it. */
#define STEP(k, x, x1)                                          \
    x1 = AT((k) + 1)[wait];                                     \
    KEEP(x1);                                                   \
    if ((k) % 2 == 0) wait = j & none;                          \
    j += x;                                                     \
    KEEP(j);                                                    \
    y = s[(uint8_t)j];                                          \
    *AT(k) = (uint8_t)y;                                        \
    also_s[(uint8_t)j] = (uint8_t)x;                            \
    if (RARELY((uint8_t)(j + minus_i) == (k) + 1)) x1 = *AT((k) + 1); \
    keystream |= (word)s[(uint8_t)(x + y)] << shift((k) - 1);   \
    if ((k) % WORD == 0) {                                      \
        xor_word(in + (k) - WORD, out + (k) - WORD, keystream); \
        keystream = 0;                                          \
    }
#define FOUR_STEPS(k) STEP((k) + 1, a, b) STEP((k) + 2, b, a) STEP((k) + 3, a, b) STEP((k) + 4, b, a)

/* Takes any number of blocks. i must be a multiple of BLOCK. */
static void blocks_portable(arcfour1 *stream, const uint8_t *in, uint8_t *out, size_t blocks) {
    size_t minus_i = 0u - (size_t)stream->i, j = stream->j, none = zero, wait = 0, a, b, y;
    uint8_t *s = stream->s, *also_s = s + none, *here = s + stream->i, *next;
    word keystream = 0;
    for (a = here[1]; blocks; blocks--) {
        next = s + (uint8_t)(BLOCK - minus_i);
        FOUR_STEPS(0)
        FOUR_STEPS(4)
        FOUR_STEPS(8)
        FOUR_STEPS(12)
        in += BLOCK, out += BLOCK;
        minus_i -= BLOCK, here = next;
        KEEP(minus_i);
    }
    stream->i = (uint8_t)(0 - minus_i);
    stream->j = (uint8_t)j;
}

/* Takes any number of bytes, by blocks between the first and the last multiple of BLOCK. */
static void xor_portable(arcfour1 *stream, const uint8_t *in, uint8_t *out, size_t len) {
    size_t head = (0u - stream->i) % BLOCK, body;
    if (head > len) head = len;
    body = (len - head) & ~(size_t)(BLOCK - 1);
    bytes_portable(stream, in, out, head);
    if (body) blocks_portable(stream, in + head, out + head, body / BLOCK);
    bytes_portable(stream, in + head + body, out + head + body, len - head - body);
}

/* ---- Portable, five streams ---- */

enum { LANE_BLOCK = 8 };

/* S[i + k] of stream l, for k from 1 to LANE_BLOCK. */
#define LANE_AT(k, l) ((k) < LANE_BLOCK ? here + (k) : next + ((k) - LANE_BLOCK))[(l) * sizeof(arcfour1)]

/* Step k of stream l. */
#define LANE_STEP(k, l)                                                                      \
    x = LANE_AT(k, l);                                                                       \
    KEEP(x);                                                                                 \
    j##l += x;                                                                               \
    KEEP(j##l);                                                                              \
    y = s[(l) * sizeof(arcfour1) + (uint8_t)j##l];                                           \
    KEEP(y);                                                                                 \
    LANE_AT(k, l) = (uint8_t)y;                                                              \
    also_s[(l) * sizeof(arcfour1) + (uint8_t)j##l] = (uint8_t)x;                             \
    keystream##l |= (word)s[(l) * sizeof(arcfour1) + (uint8_t)(x + y)] << shift((k) - 1);    \
    KEEP(keystream##l);                                                                      \
    if ((k) % WORD == 0) {                                                                   \
        xor_word(jobs[l].in + at + (k) - WORD, jobs[l].out + at + (k) - WORD, keystream##l); \
        keystream##l = 0;                                                                    \
    }
#define LANE_STEPS(k) LANE_STEP(k, 0) LANE_STEP(k, 1) LANE_STEP(k, 2) LANE_STEP(k, 3) LANE_STEP(k, 4)

/* The part of a job that all five streams do together. */
typedef struct {
    arcfour1 *stream;
    const uint8_t *in;
    uint8_t *out;
} lane;

/* All streams must have the same i. i and `len` must be multiples of LANE_BLOCK. */
static void lanes_portable(const lane jobs[STREAMS], size_t len) {
    arcfour1 copies[STREAMS];
    uint8_t *s = (uint8_t *)copies, *also_s = s + zero, *here, *next;
    size_t i = jobs->stream->i, at, l, x, y;
    size_t j0 = jobs[0].stream->j, j1 = jobs[1].stream->j, j2 = jobs[2].stream->j, j3 = jobs[3].stream->j,
           j4 = jobs[4].stream->j;
    word keystream0 = 0, keystream1 = 0, keystream2 = 0, keystream3 = 0, keystream4 = 0;
    for (l = 0; l < STREAMS; l++) copies[l] = *jobs[l].stream;
    here = s + i;
    for (at = 0; at < len; at += LANE_BLOCK) {
        next = s + (uint8_t)(i + LANE_BLOCK);
        LANE_STEPS(1) LANE_STEPS(2) LANE_STEPS(3) LANE_STEPS(4)
        LANE_STEPS(5) LANE_STEPS(6) LANE_STEPS(7) LANE_STEPS(8)
        i = (uint8_t)(i + LANE_BLOCK), here = next;
    }
    copies[0].j = (uint8_t)j0;
    copies[1].j = (uint8_t)j1;
    copies[2].j = (uint8_t)j2;
    copies[3].j = (uint8_t)j3;
    copies[4].j = (uint8_t)j4;
    for (l = 0; l < STREAMS; l++) {
        copies[l].i = (uint8_t)i;
        *jobs[l].stream = copies[l];
    }
    wipe(copies, sizeof copies);
}

/* ---- x86-64 with SSE4.1 ---- */

#ifdef X86_64

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* SSE4.1 is bit 19 of ecx of leaf 1. The answer is kept, since cpuid takes microseconds on a virtual machine. */
static int has_kernel(void) {
#ifdef __SSE4_1__
    return 1;
#else
    static int known; /* 1: no; 2: yes */
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!answer) {
        uint32_t a = 1, b, c = 0, d;
        __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        answer = 1 + (int)(c >> 19 & 1);
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer == 2;
#endif
}

static int is_aligned(const void *at) { return (uintptr_t)at % 256 == 0; }

/* Returns the first address in `room` that is a multiple of 256. */
static uint8_t *aligned(uint8_t *room) { return room + (0 - (uintptr_t)room) % 256; }

/* The loops are in AT&T syntax. Under -masm=intel the assembler is switched to AT&T before a loop and back after it. Each
 * loop is in a separate function that has no variable in memory: AddressSanitizer and -O0 use a register to address these. */
#define ATT "{|.att_syntax prefix\n\t}"
#define END_ATT "{|.intel_syntax noprefix\n\t}"
/* An instruction with an immediate, in both syntaxes: under -masm=intel clang removes the `$` of AT&T syntax. */
#define EITHER(att, intel) "{" att "|.intel_syntax noprefix\n\t" intel "\n\t.att_syntax prefix}\n\t"
#define ALONE __attribute__((noinline))

/* One stream. Registers: rbx &S[0]; r15 &S[i] before the turn; r13 its negative, in the low byte; rdi &S[i] of the next
 * turn; r12 one of the two, made to wait for j; rcx &S[j]; r8 to r11 the ring, S[i] of step p in the one p mod 4; rax
 * S[j], then the output; rdx j - i - 1 in its low byte; rsi the input, which ends at xmm3; r14 the output less the input.
 *
 * ADVANCE is the part of step p that the key schedule and the keystream share. It loads S[i + 3] to `new`, adds to j,
 * swaps, and jumps to label 3p if the store to S[j] hit the ring. */
#define ADVANCE(p, x, new, load, wait, at, add)                           \
    "movzbl " #load "(%%r12), %%" new "d\n\t"                             \
    add                                                                   \
    wait                                                                  \
    "movzbl (%%rcx), %%eax\n\t" "movb %%al, " at "\n\t"                   \
    "movb %%" x "b, (%%rcx)\n\t" "leal -1-" #p "(%%rcx,%%r13), %%edx\n\t" \
    EITHER("cmpb $3, %%dl", "cmp dl, 3")                                  \
    "jb 3" #p "f\n"                                                       \
    "2" #p ":\n\t"
#define PRGA(p, bank, x, new, load, wait, at)                     \
    ADVANCE(p, x, new, load, wait, at, "addb %%" x "b, %%cl\n\t") \
    "addb %%" x "b, %%al\n\t"                                     \
    EITHER("pinsrb $(" #p "-1)&15, (%%rbx,%%rax), %%" bank, "pinsrb " bank ", byte ptr [rbx+rax], (" #p "-1)&15")
#define KSA(p, bank, x, new, load, wait, at) \
    ADVANCE(p, x, new, load, wait, at,       \
            "movzbl " #p "(%%rsi), %%eax\n\t" "addb %%" x "b, %%al\n\t" "addb %%al, %%cl\n\t")
#define MEND(p, x, x1, x2, x3)                                        \
    ".p2align 6\n"                                                    \
    "3" #p ":\n\t" EITHER("cmpb $1, %%dl", "cmp dl, 1")               \
    "cmovbl %%" x "d, %%" x1 "d\n\t" "cmovel %%" x "d, %%" x2 "d\n\t" \
    "cmoval %%" x "d, %%" x3 "d\n\t"                                  \
    "jmp 2" #p "b\n"
#define WAIT(base) "cmovcq %%" base ", %%r12\n\t"
#define STEPS(step, p1, p2, p3, p4, l1, l2, l3, l4)                \
    step(p1, "xmm0", "r9", "r8", l1, WAIT("r15"), #p1 "(%%r15)")   \
    step(p2, "xmm1", "r10", "r9", l2, WAIT("r15"), #p2 "(%%r15)")  \
    step(p3, "xmm0", "r11", "r10", l3, WAIT("r15"), #p3 "(%%r15)") \
    step(p4, "xmm1", "r8", "r11", l4, WAIT("r15"), #p4 "(%%r15)")
/* 16 steps. From step 13 on the loads, and in step 16 the store, belong to the next turn. */
#define TURN_OF(step)                                                                   \
    STEPS(step, 1, 2, 3, 4, 4, 5, 6, 7) STEPS(step, 5, 6, 7, 8, 8, 9, 10, 11)           \
    step(9, "xmm0", "r9", "r8", 12, WAIT("r15"), "9(%%r15)")                            \
    step(10, "xmm1", "r10", "r9", 13, WAIT("r15"), "10(%%r15)")                         \
    step(11, "xmm0", "r11", "r10", 14, WAIT("r15"), "11(%%r15)")                        \
    step(12, "xmm1", "r8", "r11", 15, "movq %%rdi, %%r12\n\t" WAIT("rdi"), "12(%%r15)") \
    step(13, "xmm0", "r9", "r8", 0, WAIT("rdi"), "13(%%r15)")                           \
    step(14, "xmm1", "r10", "r9", 1, WAIT("rdi"), "14(%%r15)")                          \
    step(15, "xmm0", "r11", "r10", 2, WAIT("rdi"), "15(%%r15)")                         \
    step(16, "xmm1", "r8", "r11", 3, WAIT("rdi"), "(%%rdi)")
#define MENDS(p1, p2, p3, p4)                                             \
    MEND(p1, "r9", "r10", "r11", "r8") MEND(p2, "r10", "r11", "r8", "r9") \
    MEND(p3, "r11", "r8", "r9", "r10") MEND(p4, "r8", "r9", "r10", "r11")
#define MENDS_OF_TURN MENDS(1, 2, 3, 4) MENDS(5, 6, 7, 8) MENDS(9, 10, 11, 12) MENDS(13, 14, 15, 16)
#define PRELOAD                                     \
    "movq %%r15, %%r12\n\t" "movq %%r15, %%r13\n\t" \
    "negq %%r13\n\t" "movzbl 1(%%r15), %%r9d\n\t"   \
    "movzbl 2(%%r15), %%r10d\n\t" "movzbl 3(%%r15), %%r11d\n\t"
#define NEXT_TURN                              \
    EITHER("subb $16, %%r13b", "sub r13b, 16") \
    "movq %%rdi, %%r15\n\t"                    \
    EITHER("addq $16, %%rsi", "add rsi, 16")
#define CLOBBERED "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "memory", "cc"

/* `stream` must be at a multiple of 256. i and `len` must be multiples of BLOCK, and `len` must not be 0. */
ALONE static void turns_x86(arcfour1 *stream, const uint8_t *in, uint8_t *out, size_t len) {
    uint8_t *s = stream->s, *i = s + stream->i, *j = s + stream->j;
    const uint8_t *end = in + len;
    stream->i = (uint8_t)(stream->i + len);
    __asm__ __volatile__(
        ATT "movq %%rbx, %%xmm3\n\t"
        "movq %%rax, %%rbx\n\t" "movq %%rdi, %%r14\n\t"
        "subq %%rsi, %%r14\n\t"
        "movq %%rdx, %%r15\n\t" "movq %%rdx, %%rdi\n\t"
        PRELOAD
        "pxor %%xmm0, %%xmm0\n\t" "pxor %%xmm1, %%xmm1\n\t"
        ".p2align 6\n"
        "5:\n\t" EITHER("addb $16, %%dil", "add dil, 16")
        TURN_OF(PRGA)
        /* Joins the two banks, writes them xored with the input, and clears them. */
        "movdqu (%%rsi), %%xmm2\n\t" "pxor %%xmm1, %%xmm0\n\t"
        "pxor %%xmm2, %%xmm0\n\t" "movdqu %%xmm0, (%%rsi,%%r14)\n\t"
        "pxor %%xmm0, %%xmm0\n\t" "pxor %%xmm1, %%xmm1\n\t"
        NEXT_TURN
        "movq %%xmm3, %%rax\n\t" "cmpq %%rax, %%rsi\n\t"
        "jne 5b\n\t"
        "jmp 4f\n"
        MENDS_OF_TURN
        "4:\n\t" END_ATT
        : "+a"(s), "+b"(end), "+D"(out), "+S"(in), "+c"(j), "+d"(i)
        :
        : "xmm3", CLOBBERED);
    stream->j = (uint8_t)(uintptr_t)j;
}

/* Does the same for a stream at any address. This is a separate function, so that short calls take no room on the stack. */
ALONE static void turns_of_copy(arcfour1 *stream, const uint8_t *in, uint8_t *out, size_t len) {
    uint8_t room[sizeof(arcfour1) + 255];
    arcfour1 *work = (arcfour1 *)aligned(room);
    *work = *stream;
    turns_x86(work, in, out, len);
    *stream = *work;
    wipe(room, sizeof room);
}

/* The key schedule in sixteen turns. The table starts as the identity, at a multiple of 256. The schedule's first step has
 * i = 0 and the turn's has i = 1, so the bases of table and key are one byte lower. The last turn reads three bytes after
 * the table; they are inside `stream`. */
ALONE static void schedule_x86(arcfour1 *stream, const uint8_t *key) {
    uint8_t *s = stream->s, *j = s, *next;
    __asm__ __volatile__(
        ATT "leaq -1(%%rax), %%r15\n\t" "decq %%rsi\n\t"
        PRELOAD
        ".p2align 6\n"
        "5:\n\t" "leaq 16(%%r15), %%rdi\n\t"
        TURN_OF(KSA)
        NEXT_TURN
        EITHER("cmpb $255, %%r15b", "cmp r15b, 255") "jne 5b\n\t"
        "jmp 4f\n"
        MENDS_OF_TURN
        "4:\n\t" END_ATT
        : "+a"(s), "=&D"(next), "+S"(key), "+c"(j)
        :
        : "rbx", "rdx", CLOBBERED);
}

/* The data of the loop of five streams, at a multiple of 256. The loop addresses all of it from &S[0] of stream 0. */
typedef struct {
    uint8_t s[STREAMS][256];
    size_t at, len;
    const uint8_t *in[STREAMS];
    uint8_t *out[STREAMS], *j[STREAMS], *here;
} five;
#define FIVE(member, l) "1280+8*(" member "+" #l ")(%%r15)"
#define FIVE_AT FIVE("0", 0)
#define FIVE_LEN FIVE("1", 0)
#define FIVE_IN(l) FIVE("2", l)
#define FIVE_OUT(l) FIVE("7", l)
#define FIVE_J(l) FIVE("12", l)
#define FIVE_HERE FIVE("17", 0)

/* Five streams. Registers: r15 &S[0] of stream 0, each further stream 256 bytes after it; r14 &S[i] of stream 0 before the
 * turn; rcx, rbx, rsi, rdi, r8 &S[j]; r9 to r13 the next S[i]; rax r14, made to wait for j; rdx S[j], then the output.
 *
 * Step p of stream l. S[i] is at the base + `at`. `wrap` moves the base, and the next S[i] is at the base + `next`. */
#define LANE_X86(p, at, next, wrap, l, j, jl, x, xmm)                        \
    "movq %%r14, %%rax\n\t" "addb %%" x "b, %%" jl "\n\t"                    \
    "cmovcq %%r14, %%rax\n\t"                                                \
    wrap                                                                     \
    "movzbl (%%" j "), %%edx\n\t" "movb %%dl, " #l "*256+" #at "(%%r14)\n\t" \
    "movb %%" x "b, (%%" j ")\n\t" "addb %%" x "b, %%dl\n\t"                 \
    EITHER("pinsrb $" #p "-1, " #l "*256(%%r15,%%rdx), %%" xmm,              \
           "pinsrb " xmm ", byte ptr [r15+rdx+" #l "*256], " #p "-1")        \
    "movzbl " #l "*256+" #next "(%%rax), %%" x "d\n\t"
#define LANES_X86(p, at, next, wrap)                            \
    LANE_X86(p, at, next, wrap, 0, "rcx", "cl", "r9", "xmm0")   \
    LANE_X86(p, at, next, wrap, 1, "rbx", "bl", "r10", "xmm1")  \
    LANE_X86(p, at, next, wrap, 2, "rsi", "sil", "r11", "xmm2") \
    LANE_X86(p, at, next, wrap, 3, "rdi", "dil", "r12", "xmm3") \
    LANE_X86(p, at, next, wrap, 4, "r8", "r8b", "r13", "xmm4")
#define XOR_LANE(l)                                                     \
    "movq " FIVE_IN(l) ", %%rax\n\t" "movdqu (%%rax,%%rdx), %%xmm5\n\t" \
    "pxor %%xmm5, %%xmm" #l "\n\t" "movq " FIVE_OUT(l) ", %%rax\n\t"    \
    "movdqu %%xmm" #l ", (%%rax,%%rdx)\n\t"                             \
    "pxor %%xmm" #l ", %%xmm" #l "\n\t"

ALONE static void five_x86(five *work) {
    __asm__ __volatile__(
        ATT "movq %%rax, %%r15\n\t"
        "movq " FIVE_J(0) ", %%rcx\n\t" "movq " FIVE_J(1) ", %%rbx\n\t"
        "movq " FIVE_J(2) ", %%rsi\n\t" "movq " FIVE_J(3) ", %%rdi\n\t"
        "movq " FIVE_J(4) ", %%r8\n\t"
        "movq " FIVE_HERE ", %%r14\n\t" "movzbl 1(%%r14), %%r9d\n\t"
        "movzbl 256+1(%%r14), %%r10d\n\t" "movzbl 512+1(%%r14), %%r11d\n\t"
        "movzbl 768+1(%%r14), %%r12d\n\t" "movzbl 1024+1(%%r14), %%r13d\n\t"
        "pxor %%xmm0, %%xmm0\n\t" "pxor %%xmm1, %%xmm1\n\t"
        "pxor %%xmm2, %%xmm2\n\t" "pxor %%xmm3, %%xmm3\n\t"
        "pxor %%xmm4, %%xmm4\n\t"
        ".p2align 6\n"
        "5:\n\t"
        LANES_X86(1, 1, 2, "") LANES_X86(2, 2, 3, "") LANES_X86(3, 3, 4, "") LANES_X86(4, 4, 5, "")
        LANES_X86(5, 5, 6, "") LANES_X86(6, 6, 7, "") LANES_X86(7, 7, 8, "") LANES_X86(8, 8, 9, "")
        LANES_X86(9, 9, 10, "") LANES_X86(10, 10, 11, "") LANES_X86(11, 11, 12, "") LANES_X86(12, 12, 13, "")
        LANES_X86(13, 13, 14, "") LANES_X86(14, 14, 15, "")
        /* In step 15 the next S[i] belongs to the next turn, and in step 16 S[i] too. */
        LANES_X86(15, 15, 0, EITHER("addb $16, %%al", "add al, 16"))
        EITHER("addb $16, %%r14b", "add r14b, 16")
        LANES_X86(16, 0, 1, "")
        "movq " FIVE_AT ", %%rdx\n\t"
        XOR_LANE(0) XOR_LANE(1) XOR_LANE(2) XOR_LANE(3) XOR_LANE(4)
        EITHER("addq $16, %%rdx", "add rdx, 16") "movq %%rdx, " FIVE_AT "\n\t"
        "cmpq " FIVE_LEN ", %%rdx\n\t" "jne 5b\n\t"
        "movq %%rcx, " FIVE_J(0) "\n\t" "movq %%rbx, " FIVE_J(1) "\n\t"
        "movq %%rsi, " FIVE_J(2) "\n\t" "movq %%rdi, " FIVE_J(3) "\n\t"
        "movq %%r8, " FIVE_J(4) "\n\t" END_ATT
        : "+a"(work)
        :
        : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
          "xmm2", "xmm3", "xmm4", "xmm5", "memory", "cc");
}

/* All streams must have the same i. i and `len` must be multiples of BLOCK, and `len` must not be 0. */
static void lanes_x86(const lane jobs[STREAMS], size_t len) {
    uint8_t room[sizeof(five) + 255];
    five *work = (five *)(void *)aligned(room);
    size_t l;
    work->at = 0;
    work->len = len;
    work->here = work->s[0] + jobs->stream->i;
    for (l = 0; l < STREAMS; l++) {
        memcpy(work->s[l], jobs[l].stream->s, 256);
        work->in[l] = jobs[l].in;
        work->out[l] = jobs[l].out;
        work->j[l] = work->s[l] + jobs[l].stream->j;
    }
    five_x86(work);
    for (l = 0; l < STREAMS; l++) {
        memcpy(jobs[l].stream->s, work->s[l], 256);
        jobs[l].stream->i = (uint8_t)(jobs[l].stream->i + len);
        jobs[l].stream->j = (uint8_t)(uintptr_t)work->j[l];
    }
    wipe(room, sizeof room);
}

#pragma GCC diagnostic pop
#endif

/* ---- aarch64 ---- */

#ifdef AARCH64

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* Step k. x is S[i + k]. x3 is S[i + k + 3], which this step loads. `at` and `at3` are their addresses. The step jumps to
 * label 3k if the store to S[j] may have hit one of the three bytes after x. `out` loads the byte of keystream. */
#define ARM_STEP(k, x, x3, at, at3, out)                             \
    "ldrb %w[" x3 "], " at3 "\n\t" "add %w[j], %w[j], %w[" x "]\n\t" \
    "and %w[t], %w[j], #255\n\t" "sub %w[y], %w[j], %w[i]\n\t"       \
    "sub %w[y], %w[y], #" #k "+1\n\t" "tst %w[y], #0xfc\n\t"         \
    "ldrb %w[y], [%[s], %x[t]]\n\t" "strb %w[y], " at "\n\t"         \
    "strb %w[" x "], [%[s], %x[t]]\n\t"                              \
    "b.eq 3" #k "f\n"                                                \
    "2" #k ":\n\t" "add %w[y], %w[y], %w[" x "]\n\t"                 \
    "and %w[y], %w[y], #255\n\t"                                     \
    out
#define ARM_MEND(k, x1, x2, x3, at1, at2, at3)                    \
    "3" #k ":\n\t" "ldrb %w[" x1 "], " at1 "\n\t"                 \
    "ldrb %w[" x2 "], " at2 "\n\t" "ldrb %w[" x3 "], " at3 "\n\t" \
    "b 2" #k "b\n"
/* One register collects the odd bytes of keystream, and one the even bytes. */
#define ARM_FIRST(to) "ldrb %w[" to "], [%[s], %x[y]]\n\t"
#define ARM_NEXT(to, by) "ldrb %w[y], [%[s], %x[y]]\n\t" "orr %x[" to "], %x[" to "], %x[y], lsl #" #by "\n\t"
#define ARM_XOR                                                        \
    "orr %x[u], %x[u], %x[v], lsl #8\n\t" "ldr %x[v], [%[in]], #8\n\t" \
    "eor %x[u], %x[u], %x[v]\n\t"                                      \
    "str %x[u], [%[out]], #8\n\t"
#define HERE(n) "[%[here], #" #n "]"
#define NEXT(n) "[%[next], #" #n "]"
#define ARM_STEPS(k1, k2, k3, k4, out1, out2, out3, out4) \
    ARM_STEP(k1, "a", "d", HERE(k1), HERE(k4), out1)      \
    ARM_STEP(k2, "b", "a", HERE(k2), HERE(k4+1), out2)    \
    ARM_STEP(k3, "c", "b", HERE(k3), HERE(k4+2), out3)    \
    ARM_STEP(k4, "d", "c", HERE(k4), HERE(k4+3), out4)
#define ARM_MENDS(k1, k2, k3, k4)                                 \
    ARM_MEND(k1, "b", "c", "d", HERE(k2), HERE(k3), HERE(k4))     \
    ARM_MEND(k2, "c", "d", "a", HERE(k3), HERE(k4), HERE(k4+1))   \
    ARM_MEND(k3, "d", "a", "b", HERE(k4), HERE(k4+1), HERE(k4+2)) \
    ARM_MEND(k4, "a", "b", "c", HERE(k4+1), HERE(k4+2), HERE(k4+3))

/* i and `len` must be multiples of BLOCK, and `len` must not be 0. */
static void blocks_aarch64(arcfour1 *stream, const uint8_t *in, uint8_t *out, size_t len) {
    uint8_t *s = stream->s, *here = s + stream->i, *next;
    const uint8_t *end = in + len;
    uint64_t i = stream->i, j = stream->j, a, b, c, d, t, u, v, y;
    __asm__ __volatile__(
        "ldrb %w[a], [%[here], #1]\n\t" "ldrb %w[b], [%[here], #2]\n\t"
        "ldrb %w[c], [%[here], #3]\n"
        "5:\n\t" "add %w[t], %w[i], #16\n\t"
        "and %w[t], %w[t], #255\n\t" "add %[next], %[s], %x[t]\n\t"
        ARM_STEPS(1, 2, 3, 4, ARM_FIRST("u"), ARM_FIRST("v"), ARM_NEXT("u", 16), ARM_NEXT("v", 16))
        ARM_STEPS(5, 6, 7, 8, ARM_NEXT("u", 32), ARM_NEXT("v", 32), ARM_NEXT("u", 48), ARM_NEXT("v", 48))
        ARM_XOR
        ARM_STEPS(9, 10, 11, 12, ARM_FIRST("u"), ARM_FIRST("v"), ARM_NEXT("u", 16), ARM_NEXT("v", 16))
        ARM_STEP(13, "a", "d", HERE(13), NEXT(0), ARM_NEXT("u", 32))
        ARM_STEP(14, "b", "a", HERE(14), NEXT(1), ARM_NEXT("v", 32))
        ARM_STEP(15, "c", "b", HERE(15), NEXT(2), ARM_NEXT("u", 48))
        ARM_STEP(16, "d", "c", NEXT(0), NEXT(3), ARM_NEXT("v", 48))
        ARM_XOR
        "mov %[here], %[next]\n\t" "sub %x[i], %[next], %[s]\n\t"
        "cmp %[in], %[end]\n\t" "b.ne 5b\n\t"
        "b 4f\n"
        ARM_MENDS(1, 2, 3, 4) ARM_MENDS(5, 6, 7, 8) ARM_MENDS(9, 10, 11, 12)
        ARM_MEND(13, "b", "c", "d", HERE(14), HERE(15), NEXT(0))
        ARM_MEND(14, "c", "d", "a", HERE(15), NEXT(0), NEXT(1))
        ARM_MEND(15, "d", "a", "b", NEXT(0), NEXT(1), NEXT(2))
        ARM_MEND(16, "a", "b", "c", NEXT(1), NEXT(2), NEXT(3))
        "4:\n\t"
        : [here] "+&r"(here), [next] "=&r"(next), [in] "+&r"(in), [out] "+&r"(out), [i] "+&r"(i), [j] "+&r"(j),
          [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [t] "=&r"(t), [u] "=&r"(u), [v] "=&r"(v),
          [y] "=&r"(y)
        : [s] "r"(s), [end] "r"(end)
        : "memory", "cc");
    stream->i = (uint8_t)i;
    stream->j = (uint8_t)j;
}

#pragma GCC diagnostic pop
#endif

/* ---- The interface ---- */

const char *arcfour1_kernel(void) {
#if defined(X86_64)
    return has_kernel() ? "x86-64" : "portable";
#elif defined(AARCH64)
    return "aarch64";
#else
    return "portable";
#endif
}

int arcfour1_key(arcfour1 *stream, const void *key, size_t key_len, uint64_t drop) {
    if (key_len < 1 || key_len > 256) return -1;
    stream->i = stream->j = 0;
#ifdef X86_64
    if (has_kernel()) {
        uint8_t room[sizeof(arcfour1) + 255], repeated[256];
        arcfour1 *work = is_aligned(stream) ? stream : (arcfour1 *)aligned(room);
        size_t n, more;
        uint64_t eight = 0x0706050403020100;
        for (n = 0; n < 256; n += 8, eight += 0x0808080808080808) memcpy(work->s + n, &eight, 8);
        memcpy(repeated, key, key_len);
        for (n = key_len; n < 256; n += more) {
            more = n < 256 - n ? n : 256 - n;
            memcpy(repeated + n, repeated, more);
        }
        schedule_x86(work, repeated);
        wipe(repeated, sizeof repeated);
        if (work != stream) {
            memcpy(stream->s, work->s, 256);
            wipe(room, sizeof room);
        }
    } else
#endif
    {
        schedule_portable(stream->s, (const uint8_t *)key, key_len);
    }
    arcfour1_skip(stream, drop);
    return 0;
}

void arcfour1_xor(arcfour1 *stream, const void *input, void *output, size_t len) {
    const uint8_t *in = (const uint8_t *)input;
    uint8_t *out = (uint8_t *)output;
#if defined(X86_64) || defined(AARCH64)
    size_t head = (0u - stream->i) % BLOCK, body;
#endif
    if (len < BLOCK) {
        bytes_portable(stream, in, out, len);
        return;
    }
#if defined(X86_64) || defined(AARCH64)
    body = (len - head) / BLOCK * BLOCK;
#ifdef X86_64
    if (body >= (is_aligned(stream) ? BLOCK : 8 * BLOCK) && has_kernel()) {
        bytes_portable(stream, in, out, head);
        if (is_aligned(stream))
            turns_x86(stream, in + head, out + head, body);
        else
            turns_of_copy(stream, in + head, out + head, body);
#else
    if (body) {
        bytes_portable(stream, in, out, head);
        blocks_aarch64(stream, in + head, out + head, body);
#endif
        bytes_portable(stream, in + head + body, out + head + body, len - head - body);
        return;
    }
#endif
    xor_portable(stream, in, out, len);
}

void arcfour1_xor5(const arcfour1_job jobs[ARCFOUR1_STREAMS]) {
    /* First each stream alone, up to the i of the first, rounded up. Then all together, up to the end of the shortest. Then
     * the rest of each alone. */
    unsigned i = (jobs->stream->i + BLOCK - 1u) / BLOCK * BLOCK, l;
    size_t head[STREAMS], body = SIZE_MAX;
    lane lanes[STREAMS];
    for (l = 0; l < STREAMS; l++) {
        size_t most;
        head[l] = (i - jobs[l].stream->i) % 256;
        most = jobs[l].len < head[l] ? 0 : jobs[l].len - head[l];
        if (most < body) body = most;
    }
    body = body / BLOCK * BLOCK;
    if (body < 16 * BLOCK) { /* copying the tables would cost more than it saves */
        for (l = 0; l < STREAMS; l++) arcfour1_xor(jobs[l].stream, jobs[l].in, jobs[l].out, jobs[l].len);
        return;
    }
    for (l = 0; l < STREAMS; l++) {
        arcfour1_xor(jobs[l].stream, jobs[l].in, jobs[l].out, head[l]);
        lanes[l].stream = jobs[l].stream;
        lanes[l].in = (const uint8_t *)jobs[l].in + head[l];
        lanes[l].out = (uint8_t *)jobs[l].out + head[l];
    }
#ifdef X86_64
    if (has_kernel())
        lanes_x86(lanes, body);
    else
#endif
        lanes_portable(lanes, body);
    for (l = 0; l < STREAMS; l++)
        arcfour1_xor(jobs[l].stream, lanes[l].in + body, lanes[l].out + body, jobs[l].len - head[l] - body);
}

void arcfour1_skip(arcfour1 *stream, uint64_t n) {
    uint8_t unused[1024];
    size_t len;
    if (!n) return;
    memset(unused, 0, sizeof unused);
    for (; n; n -= len) {
        len = n < sizeof unused ? (size_t)n : sizeof unused;
        arcfour1_xor(stream, unused, unused, len);
    }
    wipe(unused, sizeof unused);
}

void arcfour1_wipe(arcfour1 *stream) { wipe(stream, sizeof *stream); }
