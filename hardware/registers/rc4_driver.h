/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* An example of a driver for rc4_axil and rc4_wb: load a key, encrypt or decrypt, wipe. It polls and knows no operating system. No
 * function waits for ever: each polls STATUS at most RC4_POLLS times for one thing, and then wipes the core and answers RC4_TIMEOUT.
 * Elsewhere than on a bus without an MMU define RC4_READ32, RC4_WRITE32 and RC4_WRITE8 before this is included. */
#ifndef RC4_DRIVER_H
#define RC4_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "rc4_regs.h"

/* Whole words by address: through the packed structure of rc4_regs.h a compiler may read byte by byte. */
#ifndef RC4_READ32
#define RC4_READ32(base, offset) (*(volatile uint32_t *)((base) + (offset)))
#define RC4_WRITE32(base, offset, value) (*(volatile uint32_t *)((base) + (offset)) = (value))
#define RC4_WRITE8(base, offset, value) (*(volatile uint8_t *)((base) + (offset)) = (value))
#endif

/* The longest wait is that for 65535 bytes to be dropped: 200,000 clocks with rc4_bram, of which a poll takes four or more. */
#ifndef RC4_POLLS
#define RC4_POLLS 1000000u
#endif

/* What the functions answer when they fail. */
#define RC4_REFUSED (-1)
#define RC4_TIMEOUT (-2)

#define RC4_OFFSET(name) ((uint32_t)offsetof(rc4_t, name))
#define RC4_FIELD(value, name) (((value) & RC4__##name##_bm) >> RC4__##name##_bp)

/* Whether the core is there, with registers that this driver knows. */
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

/* Polls until one of these bits of STATUS is set. Answers STATUS; or 0, and has wiped the core, if none was set in RC4_POLLS polls. */
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

/* Loads a key of 1 to PARAMETERS.key_bytes bytes and waits for its keystream, of which 0 to 65535 bytes are dropped. 0, or
 * RC4_REFUSED if the core takes no such length or drop: then nothing has changed; or RC4_TIMEOUT. */
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

/* Encrypts or decrypts, which is the same; zeros become keystream. `in` and `out` may be the same. 0; or RC4_REFUSED without a
 * key, and nothing has changed; or RC4_TIMEOUT, also while CONTROL.keystream is set: then the end of `out` is not written. */
static inline int rc4_crypt(uintptr_t base, const uint8_t *in, uint8_t *out, size_t length)
{
    if (!(RC4_READ32(base, RC4_OFFSET(STATUS)) & RC4__STATUS__STREAMING_bm))
        return RC4_REFUSED;
    while (length > 0) {
        /* As many words as there is room for; the bytes that do not fill one go singly. */
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
