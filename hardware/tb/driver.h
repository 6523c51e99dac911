// SPDX-License-Identifier: MIT OR Apache-2.0
// What the drivers of cores that Verilator made share: RC4, random numbers, words of a port, and a clock with a trace.
#pragma once
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif
#include "model.h"  // made by verilate.py: Top, Verilator's class of the core; N, K, KEY_BYTES

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

static const int W = N == 8 ? 3 : N == 16 ? 4 : N == 32 ? 5 : N == 64 ? 6 : N == 128 ? 7 : 8;

struct Rc4 {
    uint8_t s[N];
    unsigned i = 0, j = 0;
    explicit Rc4(const uint8_t* key, unsigned length = KEY_BYTES) {
        for (unsigned m = 0; m < N; m++) s[m] = m;
        for (unsigned m = 0, k = 0; m < N; m++) {
            k = (k + s[m] + key[m % length]) % N;
            std::swap(s[m], s[k]);
        }
    }
    unsigned next() {
        i = (i + 1) % N;
        j = (j + s[i]) % N;
        std::swap(s[i], s[j]);
        return s[(s[i] + s[j]) % N];
    }
};

struct Random {  // splitmix64
    uint64_t state;
    uint64_t next() {
        uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    unsigned below(unsigned n) { return (next() >> 32) % n; }
};

static Top* top;
static Random rng;
static uint64_t clocks = 0, words_compared = 0, wrong = 0;

template <class T> static unsigned word(const T& port, int at) { return (uint64_t(port) >> (W * at)) % N; }
template <std::size_t S> static unsigned word(const VlWide<S>& port, int at) {
    unsigned bits = 0;
    for (int b = 0; b < W; b++) bits |= (port[(W * at + b) / 32] >> ((W * at + b) % 32) & 1u) << b;
    return bits;
}

// A clock: what the ports say in front of the edge is read between the halves.
#if VM_TRACE
static VerilatedVcdC* nets = nullptr;
static void dump(int half) { if (nets) nets->dump(2 * clocks + half); }
#else
static void dump(int) {}
#endif
[[noreturn]] static void die(const char* what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

// What a driver is called with. Verilator wakes the registers with random values, by the last number.
struct Call { const char* mode; uint64_t a, b, c; };
static Call begin(int argc, char** argv, const char* usage) {
    if (argc < 5) { fprintf(stderr, "%s\n", usage); exit(2); }
    const Call call{argv[1], strtoull(argv[2], nullptr, 0), strtoull(argv[3], nullptr, 0), strtoull(argv[4], nullptr, 0)};
    rng.state = call.c;
    Verilated::randReset(2);
    Verilated::randSeed(int(call.c % 2147483646 + 1));
#if VM_TRACE
    Verilated::traceEverOn(true);
#endif
    top = new Top;
    return call;
}
