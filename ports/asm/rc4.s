# rc4: encrypt or decrypt a text with RC4. The program of Galvane & Uzel (2012) in x86-64 assembly.
#
#     as -o rc4.o rc4.s && ld -o rc4 rc4.o
#     printf Baptiste | ./rc4 --out-hexa Quentin
#
# RC4 is broken: use it to read old data and to study it, never to protect anything new.
#
# Unlike the paper's, this program reads and writes a block at a time. It starts at once and its
# memory does not grow with the input. No library: Linux system calls alone.
#
# Every routine says which registers it takes and gives; a system call destroys rax, rcx and r11.
# rbx, rbp and r12 to r15 survive every call.

.intel_syntax noprefix

.set N, 256
.set KEY_MAX, 256
.set BLOCK, 65536

.set SYS_read, 0
.set SYS_write, 1
.set SYS_fstat, 5
.set SYS_mmap, 9
.set SYS_rt_sigaction, 13
.set SYS_ioctl, 16
.set SYS_exit, 60
.set SYS_clock_gettime, 228
.set SYS_getrandom, 318
.set EINTR, 4
.set EPIPE, 32
.set SIGPIPE, 13

.section .rodata
USAGE:
    .ascii "Usage: rc4 [OPTION]... KEY\n"
    .ascii "Encrypt or decrypt a plain/cipher text using the RC4 algorithm\n"
    .ascii "The input text will be read from stdin and en/decrypted using the key KEY\n"
    .ascii "  --bench=N        benchmark mode, encrypts N random bytes\n"
    .ascii "  --bench-loop=M   the encryption will be run M times, default is 1\n"
    .ascii "  --in-hexa        input text will be interpreted as hexa, default is raw\n"
    .asciz "  --out-hexa       output text will be written in hexa, default is raw\n"

# ---- The cipher ----------------------------------------------------------------------------------

# The state of one stream: the permutation and the two indexes.
.bss
.balign 256
state:
S:              .skip N
i:              .skip 1
j:              .skip 1
.set STATE_SIZE, N + 2

.text

# The key-scheduling algorithm. rdi: key, rsi: its length. Destroys rax, rcx, rdx, r8 to r11.
ksa:
    lea     r8, [rip + S]
    xor     eax, eax
1:  mov     [r8 + rax], al              # S[i] = i
    inc     al                          # 8 bits: wraps to 0 after 255
    jnz     1b
    xor     ecx, ecx                    # j = 0; i = 0 is in eax
    xor     edx, edx                    # i mod keylength, counted: no division
2:  movzx   r9d, byte ptr [r8 + rax]
    add     cl, r9b                     # j = j + S[i] + key[i mod keylength]
    add     cl, [rdi + rdx]
    movzx   r10d, byte ptr [r8 + rcx]
    mov     [r8 + rax], r10b            # swap S[i] and S[j]
    mov     [r8 + rcx], r9b
    inc     rdx
    cmp     rdx, rsi
    jb      3f
    xor     edx, edx
3:  inc     al
    jnz     2b
    mov     word ptr [rip + i], 0       # i = j = 0
    ret

# The pseudo-random generation algorithm: one byte of keystream, in al. Destroys rcx, r8 to r10.
prga:
    lea     r8, [rip + S]
    movzx   eax, byte ptr [rip + i]
    movzx   ecx, byte ptr [rip + j]
    inc     al                          # i = i + 1
    movzx   r9d, byte ptr [r8 + rax]
    add     cl, r9b                     # j = j + S[i]
    movzx   r10d, byte ptr [r8 + rcx]
    mov     [r8 + rax], r10b            # swap S[i] and S[j]
    mov     [r8 + rcx], r9b
    mov     [rip + i], al
    mov     [rip + j], cl
    add     r9b, r10b
    mov     al, [r8 + r9]               # S[S[i] + S[j]]
    ret

# One step of the PRGA with its state in registers: i in rax, j in rcx, S in r8. The keystream byte is
# S[r9]. S[i] and S[j] stay in r9 and r10 for their sum, so they are not read again.
.macro STEP
    inc     al
    movzx   r9d, byte ptr [r8 + rax]
    add     cl, r9b
    movzx   r10d, byte ptr [r8 + rcx]
    mov     [r8 + rax], r10b
    mov     [r8 + rcx], r9b
    add     r9b, r10b
.endm

# Encrypts or decrypts in place, eight bytes at a time like version V4 of the C port. Each byte of
# keystream enters r11 at the low end and is rotated to its place. rdi: text, rsi: its length.
# Destroys rax, rcx, rsi, rdi, r8 to r11.
crypt:
    lea     r8, [rip + S]
    movzx   eax, byte ptr [rip + i]
    movzx   ecx, byte ptr [rip + j]
1:  sub     rsi, 8
    jb      2f
    .rept 8
    STEP
    mov     r11b, [r8 + r9]
    ror     r11, 8
    .endr
    xor     [rdi], r11
    add     rdi, 8
    jmp     1b
2:  add     rsi, 8                      # fewer than eight are left
    jz      4f
3:  STEP
    mov     r11b, [r8 + r9]
    xor     [rdi], r11b
    inc     rdi
    dec     rsi
    jnz     3b
4:  mov     [rip + i], al
    mov     [rip + j], cl
    ret

# ---- The end of the program ----------------------------------------------------------------------

# Overwrites the state and the key, and ends the program with the status in edi.
leave_program:
    mov     r12d, edi
    lea     rdi, [rip + state]
    mov     ecx, STATE_SIZE
    xor     eax, eax
    rep stosb
    call    wipe_key
    mov     edi, r12d
    mov     eax, SYS_exit
    syscall

# Wipes the key among the arguments, where the system put it. Destroys rax, rcx, rdi.
wipe_key:
    mov     rdi, [rip + key]
    mov     rcx, [rip + keylength]
    xor     eax, eax
    rep stosb
    ret

# Writes the string at rsi to stderr. Destroys rax, rcx, rdx, rdi, r11.
say:
    mov     rdi, rsi
    call    length
    mov     rdx, rax
    mov     edi, 2
    mov     eax, SYS_write
    syscall
    ret

# Writes the number in rax to stderr. Destroys rax, rcx, rdx, rsi, rdi, r11.
say_number:
    lea     rdi, [rip + line]
    call    put_number
    mov     byte ptr [rdi], 0
    lea     rsi, [rip + line]
    jmp     say

# The errors. Each writes one line and ends the program: `failed` with status 1, `misused` with the
# usage text and status 2.
failed:
    lea     rsi, [rip + newline]
    call    say
    mov     edi, 1
    jmp     leave_program
misused:
    lea     rsi, [rip + newline]
    call    say
    lea     rsi, [rip + USAGE]
    call    say
    mov     edi, 2
    jmp     leave_program

# Like `failed`, after the message at rsi and the name of the system error in rax (negative).
failed_system:
    mov     r12, rax
    neg     r12
    call    say
    lea     rbx, [rip + system_errors]
1:  mov     rsi, [rbx + 8]
    cmp     qword ptr [rbx], 0          # the last: not in the table
    je      2f
    cmp     [rbx], r12
    je      3f
    add     rbx, 16
    jmp     1b
2:  call    say
    mov     rax, r12
    call    say_number
    jmp     failed
3:  call    say
    jmp     failed

.section .rodata
newline:        .asciz "\n"
system_errors:  .quad 5, io_error, 9, bad_descriptor, 12, no_memory, 21, is_directory
                .quad 27, too_large, 28, no_space, 0, other_error
io_error:       .asciz "Input/output error"
bad_descriptor: .asciz "Bad file descriptor"
no_memory:      .asciz "Cannot allocate memory"
is_directory:   .asciz "Is a directory"
too_large:      .asciz "File too large"
no_space:       .asciz "No space left on device"
other_error:    .asciz "system error "

# ---- Input and output ----------------------------------------------------------------------------

.text

# Reads at most rdx bytes into rsi. rax: the number of bytes, 0 at the end of the input.
# Destroys rcx, rdi, r11.
read_some:
1:  xor     edi, edi
    mov     eax, SYS_read
    syscall
    cmp     rax, -EINTR
    je      1b
    test    rax, rax
    js      2f
    ret
2:  lea     rsi, [rip + cannot_read]
    jmp     failed_system

# Writes the rdx bytes at rsi. If the reader has closed the pipe, the program ends with status 0.
# Destroys rax, rcx, rdx, rsi, rdi, r11.
write_all:
1:  test    rdx, rdx
    jz      3f
    mov     edi, 1
    mov     eax, SYS_write
    syscall
    test    rax, rax
    js      2f
    add     rsi, rax
    sub     rdx, rax
    jmp     1b
2:  cmp     rax, -EINTR
    je      1b
    xor     edi, edi
    cmp     rax, -EPIPE
    je      leave_program
    lea     rsi, [rip + cannot_write]
    jmp     failed_system
3:  ret

# Decodes the rsi characters at rdi in place; one line end, LF or CR LF, may close the input.
# rsi: the number of bytes they make; rax: 0, or the text of the error that stopped it early, about
# the character in hex_bad. Destroys rcx, rdx, rdi, r8, r9.
hex_decode:
    lea     r8, [rdi + rsi]             # the end of the input
    mov     r9, rdi                     # the end of the output
    mov     rsi, rdi
    lea     rdx, [rip + digit]
1:  cmp     rdi, r8
    je      4f
    movzx   eax, byte ptr [rdi]
    mov     [rip + hex_bad], al
    cmp     byte ptr [rip + hex_line_end], '\n'
    je      6f
    cmp     byte ptr [rip + hex_line_end], '\r'
    je      3f
    movsx   ecx, byte ptr [rdx + rax]
    test    ecx, ecx
    js      3f
    inc     qword ptr [rip + hex_digits]
    test    byte ptr [rip + hex_digits], 1
    jz      2f
    shl     ecx, 4                      # the first digit of a byte waits
    mov     [rip + hex_high], cl
    jmp     5f
2:  or      cl, [rip + hex_high]
    mov     [r9], cl
    inc     r9
    jmp     5f
3:  cmp     al, '\n'                    # a line end: LF, or CR and then LF
    je      7f
    cmp     byte ptr [rip + hex_line_end], '\r'
    je      8f
    cmp     al, '\r'
    je      7f
    jmp     9f
7:  mov     [rip + hex_line_end], al
5:  inc     rdi
    inc     qword ptr [rip + hex_offset]
    jmp     1b
4:  xor     eax, eax
    jmp     hex_decoded
6:  lea     rax, [rip + after]
    jmp     hex_decoded
8:  call    hex_lone_cr
    jmp     hex_decoded
9:  lea     rax, [rip + no_digit]
hex_decoded:
    sub     r9, rsi
    mov     rsi, r9
    ret

# The error of a CR that no LF follows, in rax.
hex_lone_cr:
    mov     byte ptr [rip + hex_bad], '\r'
    dec     qword ptr [rip + hex_offset]
    lea     rax, [rip + no_digit]
    ret

# Encodes the rsi bytes at rdi as lower-case digits at rdx. Destroys rax, rcx, rsi, rdi, rdx, r8.
hex_encode:
    lea     r8, [rip + lower_case]
1:  test    rsi, rsi
    jz      2f
    movzx   eax, byte ptr [rdi]
    mov     ecx, eax
    shr     eax, 4
    and     ecx, 15
    mov     al, [r8 + rax]
    mov     cl, [r8 + rcx]
    mov     [rdx], al
    mov     [rdx + 1], cl
    inc     rdi
    add     rdx, 2
    dec     rsi
    jmp     1b
2:  ret

.section .rodata
cannot_read:    .asciz "rc4: cannot read standard input: "
cannot_write:   .asciz "rc4: cannot write standard output: "
lower_case:     .ascii "0123456789abcdef"
digit:          # the value of each character as a hexadecimal digit, or -1
    .fill '0', 1, -1
    .byte 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    .fill 'A' - '9' - 1, 1, -1
    .byte 10, 11, 12, 13, 14, 15
    .fill 'a' - 'F' - 1, 1, -1
    .byte 10, 11, 12, 13, 14, 15
    .fill 256 - 'f' - 1, 1, -1

# The state of the hexadecimal reader between two blocks.
.bss
.balign 8
hex_offset:     .skip 8                 # of the next character of the input
hex_digits:     .skip 8                 # digits read: if odd, the last one is in hex_high
hex_high:       .skip 1
hex_line_end:   .skip 1                 # CR or LF, if that was the last character
hex_bad:        .skip 1                 # the character at hex_offset

# ---- The two modes -------------------------------------------------------------------------------

.text

# Standard mode: stdin to stdout, block by block, until the input ends.
filter:
    xor     edi, edi                    # input and output are one file: it never ends
    lea     rsi, [rip + stat_in]
    mov     eax, SYS_fstat
    syscall
    mov     r12, rax
    mov     edi, 1
    lea     rsi, [rip + stat_out]
    mov     eax, SYS_fstat
    syscall
    or      rax, r12
    jnz     1f
    mov     eax, [rip + stat_in + 24]   # st_mode
    and     eax, 0xf000
    cmp     eax, 0x8000                 # a regular file
    jne     1f
    mov     rax, [rip + stat_in]        # st_dev
    cmp     rax, [rip + stat_out]
    jne     1f
    mov     rax, [rip + stat_in + 8]    # st_ino
    cmp     rax, [rip + stat_out + 8]
    je      same_file

1:  lea     rsi, [rip + text]
    mov     edx, BLOCK
    call    read_some
    test    rax, rax
    jz      5f
    mov     rsi, rax
    xor     r13d, r13d                  # r13: the text of an error, or 0
    cmp     byte ptr [rip + in_hexa], 0
    je      2f
    lea     rdi, [rip + text]
    call    hex_decode
    mov     r13, rax
2:  mov     r14, rsi                    # r14: bytes of text
    lea     rdi, [rip + text]
    call    crypt
    lea     rsi, [rip + text]
    mov     rdx, r14
    cmp     byte ptr [rip + out_hexa], 0
    je      3f
    lea     rdi, [rip + text]
    mov     rsi, r14
    lea     rdx, [rip + hexa]
    call    hex_encode
    lea     rsi, [rip + hexa]
    lea     rdx, [r14 + r14]
3:  call    write_all
    test    r13, r13
    jz      1b
4:  jmp     bad_character

5:  cmp     byte ptr [rip + hex_line_end], '\r'
    jne     6f
    call    hex_lone_cr
    mov     r13, rax
    jmp     4b
6:  test    byte ptr [rip + hex_digits], 1
    jnz     odd_digits
    cmp     byte ptr [rip + out_hexa], 0
    je      7f
    mov     edi, 1                      # a line end if stdout is a terminal
    mov     esi, 0x5401                 # TCGETS
    lea     rdx, [rip + termios]
    mov     eax, SYS_ioctl
    syscall
    test    rax, rax
    jnz     7f
    lea     rsi, [rip + newline]
    mov     edx, 1
    call    write_all
7:  ret

# Nanoseconds of a monotonic clock, in rax. Destroys rcx, rsi, rdi, r11.
now:
    mov     edi, 1                      # CLOCK_MONOTONIC
    lea     rsi, [rip + timespec]
    mov     eax, SYS_clock_gettime
    syscall
    imul    rax, [rip + timespec], 1000000000
    add     rax, [rip + timespec + 8]
    ret

# Key schedule and encryption of the whole text, once.
encrypt:
    mov     rdi, [rip + key]
    mov     rsi, [rip + keylength]
    call    ksa
    mov     rdi, rbx
    mov     rsi, r12
    jmp     crypt

# Benchmark mode: `bench_length` random bytes, key schedule and encryption, `bench_loop` times.
bench:
    mov     r12, [rip + bench_length]
    xor     edi, edi                    # rbx: memory for the text, r12: its length
    mov     rsi, r12
    mov     edx, 3                      # PROT_READ | PROT_WRITE
    mov     r10d, 0x22                  # MAP_PRIVATE | MAP_ANONYMOUS
    mov     r8, -1
    xor     r9d, r9d
    mov     eax, SYS_mmap
    syscall
    test    rax, rax
    js      cannot_allocate
    mov     rbx, rax

    xor     r13d, r13d                  # r13: bytes filled
1:  lea     rdi, [rbx + r13]
    mov     rsi, r12
    sub     rsi, r13
    jz      2f
    xor     edx, edx
    mov     eax, SYS_getrandom
    syscall
    cmp     rax, -EINTR
    je      1b
    test    rax, rax
    js      no_random
    add     r13, rax
    jmp     1b

2:  mov     r15d, BLOCK                 # r15: bytes kept to check, a block at most
    cmp     r12, r15
    cmovb   r15, r12
    mov     rsi, rbx
    lea     rdi, [rip + text]
    mov     rcx, r15
    rep movsb

    call    now
    mov     r13, rax
    mov     r14, [rip + bench_loop]
3:  call    encrypt
    dec     r14
    jnz     3b
    call    now
    sub     rax, r13
    mov     r13, rax                    # r13: nanoseconds of all encryptions
    cmp     r13, 1
    adc     r13, 0                      # at least one

    # Checks the result first: an odd number of encryptions equals one encryption.
    test    byte ptr [rip + bench_loop], 1
    jnz     4f
    call    encrypt
4:  mov     rdi, [rip + key]
    mov     rsi, [rip + keylength]
    call    ksa
    lea     rsi, [rip + text]
    xor     r14d, r14d
5:  call    prga
    xor     al, [rsi + r14]
    cmp     al, [rbx + r14]
    jne     wrong_output
    inc     r14
    cmp     r14, r15
    jb      5b

    lea     rdi, [rip + line]
    lea     rsi, [rip + encryption_time]
    call    put
    mov     rax, r13                    # nanoseconds, shown as us with three decimals
    xor     edx, edx
    div     qword ptr [rip + bench_loop]
    mov     ecx, 1000
    mov     r8d, 3
    call    put_decimal
    lea     rsi, [rip + us_throughput]
    call    put
    mov     rax, r12                    # tenths of MB/s: bytes · 10000 / ns, to the nearest
    mul     qword ptr [rip + bench_loop]
    mov     ecx, 10000
    mul     rcx
    mov     rcx, r13
    shr     rcx
    add     rax, rcx
    adc     rdx, 0
    div     r13
    mov     ecx, 10
    mov     r8d, 1
    call    put_decimal
    lea     rsi, [rip + mb_per_second]
    call    put
    lea     rsi, [rip + line]
    mov     rdx, rdi
    sub     rdx, rsi
    jmp     write_all

same_file:
    lea     rsi, [rip + same_files]
    call    say
    jmp     misused
bad_character:
    lea     rsi, [rip + decode_offset]
    call    say
    mov     rax, [rip + hex_offset]
    call    say_number
    lea     rsi, [rip + colon]
    call    say
    lea     rdi, [rip + line]
    mov     al, [rip + hex_bad]
    call    put_character
    mov     byte ptr [rdi], 0
    lea     rsi, [rip + line]
    call    say
    mov     rsi, r13
    call    say
    jmp     failed
odd_digits:
    lea     rsi, [rip + decode_offset]
    call    say
    mov     rax, [rip + hex_digits]
    call    say_number
    lea     rsi, [rip + odd_number]
    call    say
    jmp     failed
cannot_allocate:
    lea     rsi, [rip + rc4_bench]
    call    say
    mov     rax, r12
    call    say_number
    lea     rsi, [rip + no_such_memory]
    call    say
    jmp     failed
no_random:
    lea     rsi, [rip + cannot_random]
    jmp     failed_system
wrong_output:
    lea     rsi, [rip + wrong_at]
    call    say
    mov     rax, r14
    call    say_number
    jmp     failed

.section .rodata
encryption_time: .asciz "encryption time = "
us_throughput:  .asciz " us\nthroughput      = "
mb_per_second:  .asciz " MB/s\n"
same_files:     .asciz "rc4: the output standard output is the input standard input; choose another output"
decode_offset:  .asciz "rc4: cannot decode the input: offset "
colon:          .asciz ": "
byte_0x:        .asciz "byte 0x"
no_digit:       .asciz " is not a hexadecimal digit; allowed are 0-9, a-f and A-F"
after:         .asciz " comes after a line end; one is allowed, as the last of the input"
odd_number:     .asciz ": the digits end in the middle of a byte; each byte has two"
rc4_bench:      .asciz "rc4: --bench="
no_such_memory: .asciz ": not enough memory for this many bytes"
cannot_random:  .asciz "rc4: cannot read random bytes: "
wrong_at:       .asciz "rc4: the benchmark's output is wrong at byte "

.bss
.balign 64
text:           .skip BLOCK
hexa:           .skip 2 * BLOCK
line:           .skip 128
timespec:       .skip 16
stat_in:        .skip 144
stat_out:       .skip 144
termios:        .skip 64

# ---- Strings and numbers -------------------------------------------------------------------------

.text

# rax: the length of the string at rdi. Destroys nothing else.
length:
    xor     eax, eax
1:  cmp     byte ptr [rdi + rax], 0
    je      2f
    inc     rax
    jmp     1b
2:  ret

# Appends the string at rsi to the text that ends at rdi. Destroys rax, rsi.
put:
1:  mov     al, [rsi]
    test    al, al
    jz      2f
    mov     [rdi], al
    inc     rsi
    inc     rdi
    jmp     1b
2:  ret

# Appends rax in decimal. Destroys rax, rcx, rdx, rsi.
put_number:
    mov     ecx, 10
    xor     esi, esi                    # digits waiting on the stack, the last one first
1:  xor     edx, edx
    div     rcx
    push    rdx
    inc     esi
    test    rax, rax
    jnz     1b
2:  pop     rdx
    add     dl, '0'
    mov     [rdi], dl
    inc     rdi
    dec     esi
    jnz     2b
    ret

# Appends rax / rcx with r8 decimals, rcx being 10 to the power r8. Destroys rax, rcx, rdx, rsi, r8
# to r10.
put_decimal:
    xor     edx, edx
    div     rcx
    mov     r9, rdx                     # the fraction
    call    put_number
    mov     byte ptr [rdi], '.'
    add     rdi, r8
    lea     r10, [rdi + 1]              # the end of the decimals
    mov     rax, r9
    mov     ecx, 10
1:  xor     edx, edx                    # the decimals from the last to the first
    div     rcx
    add     dl, '0'
    mov     [rdi], dl
    dec     rdi
    dec     r8
    jnz     1b
    mov     rdi, r10
    ret

# Appends the character in al as an error shows it. Destroys rax, rcx, rdx, rsi, r8.
put_character:
    cmp     al, ' '
    jb      1f
    cmp     al, '~'
    ja      1f
    mov     byte ptr [rdi], '\''
    mov     [rdi + 1], al
    mov     byte ptr [rdi + 2], '\''
    add     rdi, 3
    ret
1:  lea     rsi, [rip + byte_0x]
    call    put
    mov     rdx, rdi
    lea     rdi, [rip + hex_bad]
    mov     esi, 1
    call    hex_encode
    mov     rdi, rdx
    ret

# Sets ZF if the strings at rsi and rdi are equal. Destroys rax, rcx.
same:
    xor     ecx, ecx
1:  mov     al, [rsi + rcx]
    cmp     al, [rdi + rcx]
    jne     2f
    inc     rcx
    test    al, al
    jnz     1b
2:  ret

# ---- The command line ----------------------------------------------------------------------------

# The values of the arguments.
.bss
.balign 8
bench_length:   .skip 8                 # 0: not given
bench_loop:     .skip 8                 # 0: not given
key:            .skip 8
keylength:      .skip 8                 # 0: no key yet
in_hexa:        .skip 1
out_hexa:       .skip 1

.text

# Notes an option without a value. rbx: its name, rbp: its value or 0, r12: where to note it.
flag:
    test    rbp, rbp
    jnz     unexpected_value
    cmp     byte ptr [r12], 0
    jne     flag_twice
    mov     byte ptr [r12], 1
    ret

# Stores the number of an option. rbx: its name, rbp: its value or 0, r12: where to store it, r13 and
# r14: the least and the greatest, r15: its letter in the usage. Destroys rax, rcx, rdx, rsi.
number:
    test    rbp, rbp
    jz      no_equal_sign
    cmp     qword ptr [r12], 0
    jne     number_twice
    mov     rsi, rbp
    cmp     byte ptr [rsi], '+'
    jne     1f
    inc     rsi
1:  xor     eax, eax
2:  movzx   ecx, byte ptr [rsi]
    inc     rsi
    test    ecx, ecx
    jz      3f
    sub     ecx, '0'
    jb      invalid_value
    cmp     ecx, 9
    ja      invalid_value
    mov     edx, 10
    mul     rdx
    jc      invalid_value               # more than 64 bits
    add     rax, rcx
    jc      invalid_value
    jmp     2b
3:  cmp     rax, r13
    jb      invalid_value
    cmp     rax, r14
    ja      invalid_value
    mov     [r12], rax
    ret

# Takes an option. rbx: its name, and its value after the equal sign if there is one.
option:
    xor     ebp, ebp
    mov     rdi, rbx
1:  mov     al, [rdi]
    test    al, al
    jz      2f
    inc     rdi
    cmp     al, '='
    jne     1b
    mov     byte ptr [rdi - 1], 0       # name and value become two strings
    mov     rbp, rdi
2:  cmp     qword ptr [rip + key], 0
    jne     option_behind_key
    mov     rdi, rbx
    lea     rsi, [rip + bench_name]
    call    same
    jne     3f
    lea     r12, [rip + bench_length]
    mov     r13d, 2
    mov     r14, 0x7fffffffffffffff
    lea     r15, [rip + letter_n]
    jmp     number
3:  lea     rsi, [rip + bench_loop_name]
    call    same
    jne     4f
    lea     r12, [rip + bench_loop]
    mov     r13d, 1
    mov     r14, -1
    lea     r15, [rip + letter_m]
    jmp     number
4:  lea     r12, [rip + in_hexa]
    lea     rsi, [rip + in_hexa_name]
    call    same
    je      flag
    lea     r12, [rip + out_hexa]
    lea     rsi, [rip + out_hexa_name]
    call    same
    je      flag
    lea     rsi, [rip + unknown_option]
    lea     rdi, [rip + there_are]
    jmp     misused_name

# Takes the key, the only argument that is not an option. rbx: the argument.
take_key:
    cmp     qword ptr [rip + key], 0
    jne     second_key
    xor     eax, eax
1:  cmp     byte ptr [rbx + rax], 0
    je      2f
    js      key_not_ascii
    inc     rax
    jmp     1b
2:  test    rax, rax
    jz      key_length
    cmp     rax, KEY_MAX
    ja      key_length
    mov     [rip + key], rbx
    mov     [rip + keylength], rax
    ret

.globl _start
_start:
    mov     rax, [rsp]                  # argc, and after it argv
    lea     rcx, [rsp + 8 * rax + 8]    # the end of argv
    lea     rdx, [rsp + 16]             # argv[1]
    push    rcx
    push    rdx
    mov     edi, SIGPIPE                # ignored: write tells
    lea     rsi, [rip + ignore]
    xor     edx, edx
    mov     r10d, 8
    mov     eax, SYS_rt_sigaction
    syscall

    pop     r15                         # r15: the next argument, r14: their end
    pop     r14
    mov     r13d, 1                     # r13: whether options may still come
1:  cmp     r15, r14
    jae     4f
    mov     rbx, [r15]
    add     r15, 8
    test    r13d, r13d
    jz      3f
    mov     rdi, rbx
    lea     rsi, [rip + two_dashes]
    call    same
    jne     2f
    xor     r13d, r13d
    jmp     1b
2:  cmp     byte ptr [rbx], '-'
    jne     3f
    cmp     byte ptr [rbx + 1], 0       # a dash alone is a key
    je      3f
    push    r14
    push    r15
    call    option
    pop     r15
    pop     r14
    mov     r13d, 1
    jmp     1b
3:  call    take_key
    jmp     1b

4:  cmp     qword ptr [rip + key], 0
    je      no_key
    cmp     qword ptr [rip + bench_length], 0
    jne     5f
    cmp     qword ptr [rip + bench_loop], 0
    jne     loop_alone
    mov     rdi, [rip + key]
    mov     rsi, [rip + keylength]
    call    ksa
    call    wipe_key                    # removes the key from the list of processes
    call    filter
    jmp     7f
5:  cmp     qword ptr [rip + bench_loop], 0
    jne     6f
    inc     qword ptr [rip + bench_loop]
6:  call    bench
7:  xor     edi, edi
    jmp     leave_program

# The errors of the command line.
misused_name:                           # rsi, the name at rbx, rdi
    push    rdi
    call    say
    mov     rsi, rbx
    call    say
    pop     rsi
    call    say
    jmp     misused
misused_shown:                          # rsi, the name at rbx, "=<", the letter at r15, rdi
    push    rdi
    call    say
    mov     rsi, rbx
    call    say
    lea     rsi, [rip + equal_less]
    call    say
    mov     rsi, r15
    call    say
    pop     rsi
    call    say
    jmp     misused
no_equal_sign:
    lea     rsi, [rip + equal_sign]
    lea     rdi, [rip + greater_quote]
    jmp     misused_shown
number_twice:
    lea     rsi, [rip + the_argument]
    lea     rdi, [rip + greater_twice]
    jmp     misused_shown
flag_twice:
    lea     rsi, [rip + the_argument]
    lea     rdi, [rip + twice]
    jmp     misused_name
option_behind_key:
    lea     rsi, [rip + the_option]
    lea     rdi, [rip + behind_key]
    jmp     misused_name
unexpected_value:
    lea     rsi, [rip + unexpected_a]
    call    say
    mov     rsi, rbp
    call    say
    lea     rsi, [rip + value_for]
    lea     rdi, [rip + no_more]
    jmp     misused_name
invalid_value:
    lea     rsi, [rip + invalid]
    call    say
    mov     rsi, rbp
    call    say
    lea     rsi, [rip + value_for]
    call    say
    mov     rsi, rbx
    call    say
    lea     rsi, [rip + equal_less]
    call    say
    mov     rsi, r15
    call    say
    lea     rsi, [rip + greater_colon]
    call    say
    mov     rsi, r15
    call    say
    lea     rsi, [rip + whole_number]
    call    say
    mov     rax, r13
    call    say_number
    lea     rsi, [rip + to]
    call    say
    mov     rax, r14
    call    say_number
    jmp     misused
second_key:
    lea     rsi, [rip + unexpected]
    lea     rdi, [rip + one_key]
    jmp     misused_name
key_not_ascii:
    push    rax
    lea     rsi, [rip + not_ascii]
    call    say
    pop     rax
    call    say_number
    lea     rsi, [rip + any_bytes]
    call    say
    jmp     misused
key_length:
    push    rax
    lea     rsi, [rip + the_key_has]
    call    say
    pop     rax
    call    say_number
    lea     rsi, [rip + must_have]
    call    say
    jmp     misused
no_key:
    lea     rsi, [rip + no_key_given]
    call    say
    jmp     misused
loop_alone:
    lea     rsi, [rip + loop_needs]
    call    say
    jmp     misused

.section .rodata
ignore:         .quad 1, 0, 0, 0        # struct sigaction with SIG_IGN
two_dashes:     .asciz "--"
bench_name:     .asciz "--bench"
bench_loop_name: .asciz "--bench-loop"
in_hexa_name:   .asciz "--in-hexa"
out_hexa_name:  .asciz "--out-hexa"
letter_n:       .asciz "N"
letter_m:       .asciz "M"
equal_less:     .asciz "=<"
greater_quote:  .asciz ">'"
greater_colon:  .asciz ">': "
greater_twice:  .asciz ">' cannot be used multiple times"
twice:          .asciz "' cannot be used multiple times"
the_argument:   .asciz "rc4: the argument '"
equal_sign:     .asciz "rc4: equal sign is needed when assigning values to '"
the_option:     .asciz "rc4: the option "
behind_key:     .asciz " comes after the KEY; the KEY goes last"
unexpected_a:   .asciz "rc4: unexpected value '"
value_for:      .asciz "' for '"
no_more:        .asciz "' found; no more were expected"
invalid:        .asciz "rc4: invalid value '"
whole_number:   .asciz " is a whole number from "
to:             .asciz " to "
unknown_option: .asciz "rc4: unknown option '"
there_are:      .asciz "'; there are --bench=N, --bench-loop=M, --in-hexa and --out-hexa"
unexpected:     .asciz "rc4: unexpected '"
one_key:        .asciz "' after the KEY; there is one KEY, given last, and the input is read from stdin"
not_ascii:      .asciz "rc4: the key has a byte that is not ASCII at offset "
any_bytes:      .asciz "; `arcfour crypt` takes keys of any bytes"
the_key_has:    .asciz "rc4: the key has "
must_have:      .asciz " bytes; it must have 1 to 256"
no_key_given:   .asciz "rc4: no KEY; it is 1 to 256 ASCII characters, given last"
loop_needs:     .asciz "rc4: --bench-loop=M needs --bench=N, the number of bytes to encrypt"
