/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A driver for rc4_axil and rc4_wb: load a key, encrypt or decrypt, wipe. The driver polls and needs no operating system. Each wait
 * polls STATUS at most RC4_POLLS times. After that the function wipes the core and returns RC4_TIMEOUT. On a system with an MMU,
 * define RC4_READ32, RC4_WRITE32 and RC4_WRITE8 before including this file. */
#ifndef RC4_DRIVER_H
#define RC4_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "rc4_regs.h"

/* Accesses of whole words. With the packed structure of rc4_regs.h a compiler may read byte by byte. */
#ifndef RC4_READ32
#define RC4_READ32(base, offset) (*(volatile uint32_t *)((base) + (offset)))
#define RC4_WRITE32(base, offset, value) (*(volatile uint32_t *)((base) + (offset)) = (value))
#define RC4_WRITE8(base, offset, value) (*(volatile uint8_t *)((base) + (offset)) = (value))
#endif

/* The longest wait is the drop of 65535 bytes: 200,000 clocks with rc4_bram. A poll takes three clocks or more on AXI4-Lite, and two on Wishbone. */
#ifndef RC4_POLLS
#define RC4_POLLS 1000000u
#endif

/* The errors that the functions return. */
#define RC4_REFUSED (-1)
#define RC4_TIMEOUT (-2)

#define RC4_OFFSET(name) ((uint32_t)offsetof(rc4_t, name))
#define RC4_FIELD(value, name) (((value) & RC4__##name##_bm) >> RC4__##name##_bp)

/* Returns 1 if the core is there and this driver knows its registers, otherwise 0. */
static inline int rc4_is_there(uintptr_t base)
{
    uint32_t version = RC4_READ32(base, RC4_OFFSET(VERSION));

    return RC4_READ32(base, RC4_OFFSET(ID)) == RC4__ID__ID_reset
        && RC4_FIELD(version, VERSION__MAJOR) == RC4__VERSION__MAJOR_reset
        && RC4_FIELD(version, VERSION__MINOR) >= RC4__VERSION__MINOR_reset;
}

/* Wipes the key, the table and all data. */
static inline void rc4_wipe(uintptr_t base)
{
    RC4_WRITE32(base, RC4_OFFSET(CONTROL), RC4__CONTROL__CLEAR_bm);
}

/* Polls until one of `bits` of STATUS is set, and returns STATUS. After RC4_POLLS polls wipes the core and returns 0. */
static inline uint32_t rc4_wait(uintptr_t base, uint32_t bits)
{
    for (uint32_t left = RC4_POLLS; left > 0; left--) {
        uint32_t status = RC4_READ32(base, RC4_OFFSET(STATUS));

        if (status & bits)
            return status;
    }
    rc4_wipe(base);
    return 0;
}

/* Loads a key of 1 to PARAMETERS.key_bytes bytes, drops 0 to 65535 bytes of its keystream, and waits until the core is ready.
 * Returns 0. Returns RC4_REFUSED if `length` or `drop` is out of range; the core is unchanged then. Returns RC4_TIMEOUT after a
 * timeout. */
static inline int rc4_set_key(uintptr_t base, const uint8_t *key, size_t length, uint32_t drop)
{
    if (drop > 65535 || length == 0 || length > RC4_FIELD(RC4_READ32(base, RC4_OFFSET(PARAMETERS)), PARAMETERS__KEY_BYTES))
        return RC4_REFUSED;
    RC4_WRITE32(base, RC4_OFFSET(DROP), drop);
    RC4_WRITE32(base, RC4_OFFSET(KEY_LENGTH), (uint32_t)length);
    for (size_t n = 0; n < length; n++)
        RC4_WRITE8(base, RC4_OFFSET(KEY), key[n]);
    return rc4_wait(base, RC4__STATUS__STREAMING_bm) ? 0 : RC4_TIMEOUT;
}

/* Encrypts or decrypts; both are the same, and zeros become keystream. `in` and `out` may be the same. Returns 0. Returns RC4_REFUSED
 * if no key is loaded; nothing is changed then. Returns RC4_TIMEOUT after a timeout, and while CONTROL.keystream is set; the end of
 * `out` is not written then. */
static inline int rc4_crypt(uintptr_t base, const uint8_t *in, uint8_t *out, size_t length)
{
    if (!(RC4_READ32(base, RC4_OFFSET(STATUS)) & RC4__STATUS__STREAMING_bm))
        return RC4_REFUSED;
    while (length > 0) {
        /* Writes whole words while the core has room, and the last bytes one by one. */
        uint32_t status = rc4_wait(base, RC4__STATUS__DATA_ROOM_bm);
        size_t words = RC4_FIELD(status, STATUS__ROOM);
        size_t bytes = 4;

        if (!status)
            return RC4_TIMEOUT;
        if (length < 4) {
            bytes = 1;
            words = length < words ? length : words;
        } else if (length / 4 < words) {
            words = length / 4;
        }
        for (size_t n = 0; n < words; n++, in += bytes) {
            if (bytes == 1)
                RC4_WRITE8(base, RC4_OFFSET(DATA), in[0]);
            else
                RC4_WRITE32(base, RC4_OFFSET(DATA), (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16
                                                        | (uint32_t)in[3] << 24);
        }
        for (size_t n = 0; n < words; n++) {
            if (!rc4_wait(base, RC4__STATUS__DATA_AVAILABLE_bm))
                return RC4_TIMEOUT;
            uint32_t word = RC4_READ32(base, RC4_OFFSET(DATA));

            for (size_t b = 0; b < bytes; b++)
                *out++ = (uint8_t)(word >> 8 * b);
        }
        length -= words * bytes;
    }
    return 0;
}

#endif
