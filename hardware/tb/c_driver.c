/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The driver in C as a library whose accesses a test carries out on the simulated bus. */
#include <stddef.h>
#include <stdint.h>

uint32_t (*bus_read32)(uint32_t address);
void (*bus_write32)(uint32_t address, uint32_t value);
void (*bus_write8)(uint32_t address, uint32_t value);

#define RC4_READ32(base, offset) bus_read32((uint32_t)(base) + (offset))
#define RC4_WRITE32(base, offset, value) bus_write32((uint32_t)(base) + (offset), (value))
#define RC4_WRITE8(base, offset, value) bus_write8((uint32_t)(base) + (offset), (value))
uint32_t polls;
#define RC4_POLLS polls
#include "../registers/rc4_driver.h"

int is_there(void) { return rc4_is_there(0); }
void wipe(void) { rc4_wipe(0); }
int set_key(const uint8_t *key, size_t length, uint32_t drop) { return rc4_set_key(0, key, length, drop); }
int crypt(const uint8_t *in, uint8_t *out, size_t length) { return rc4_crypt(0, in, out, length); }

/* What the README shows; 0 if it gives the bytes that stand there. */
int example(void)
{
    uintptr_t base = 0;
    static const uint8_t expected[] = {RESULT};
#include EXAMPLE
    for (size_t n = 0; n < sizeof expected; n++)
        if (text[n] != expected[n])
            return 1;
    return 0;
}
