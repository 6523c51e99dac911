// SPDX-License-Identifier: MIT OR Apache-2.0
// Drives rc4_axis that Verilator made, RTL or gates, and compares what leaves it with RC4.
//
//   core random KEYS WORDS SEED    random keys, up to WORDS bytes of keystream of each
//   core activity CLOCKS 1 SEED    a random key, whole transfers without a pause: what every net does, into activity.vcd
//
// `random`: keys of every length, one in sixteen of them too long; drops; any tkeep; gaps at both inputs, stops at the output; the
// next key while transfers are under way; and one key in sixteen ended by clear or aresetn. The last line is JSON.
#include "driver.h"

#include <deque>
#include <optional>

static_assert(N == 256 && K <= 8, "a transfer is of at most eight bytes");

struct Transfer {
    uint64_t data;
    unsigned keep, last;
    bool operator==(const Transfer&) const = default;
};
static std::deque<Transfer> under_way;  // as they are to leave
static std::optional<Rc4> model;        // of the key, if it is loaded

static Transfer output() { return {uint64_t(top->m_axis_tdata), unsigned(top->m_axis_tkeep), unsigned(top->m_axis_tlast)}; }

static Transfer encrypted() {
    Transfer taken{0, unsigned(top->s_axis_tkeep), unsigned(top->s_axis_tlast)};
    for (int b = 0; b < K; b++) {
        if (!(taken.keep >> b & 1)) continue;
        taken.data |= uint64_t(word(top->s_axis_tdata, b) ^ model->next()) << (8 * b);
        words_compared++;
    }
    return taken;
}

// Half a clock: the ports before the edge. What waits at the output stays until it is taken, whatever `clear` says, or a reset.
static void low() {
    static std::optional<Transfer> waits;
    top->aclk = 0; top->eval(); dump(0);
    if (waits && !(top->m_axis_tvalid && output() == *waits)) die("a transfer that waits has changed");
    waits.reset();
    if (top->m_axis_tvalid && !top->m_axis_tready && top->aresetn) waits = output();
}
static void high() { top->aclk = 1; top->eval(); dump(1); clocks++; }

// A clock: answers whether a byte of the key was taken. A transfer that was taken is offered no more.
static bool step() {
    low();
    const bool key_taken = top->s_key_tvalid && top->s_key_tready, taken = top->s_axis_tvalid && top->s_axis_tready;
    if (taken) {
        if (!model) die("a transfer is taken without a key");
        under_way.push_back(encrypted());
    }
    if (top->m_axis_tvalid && top->m_axis_tready && top->aresetn) {
        if (under_way.empty()) die("a transfer leaves that was not taken");
        wrong += output() != under_way.front();
        under_way.pop_front();
    }
    high();
    if (taken) top->s_axis_tvalid = 0;
    return key_taken;
}

static void reset() {
    top->aresetn = 0;
    step(); step();
    top->aresetn = 1;
    under_way.clear();
}

// Ends a key: after `clear` the buffer of two transfers at the output empties, after aresetn nothing leaves.
static void wipe() {
    const bool clear = rng.below(2);
    top->s_axis_tvalid = 0;
    if (clear) {
        top->clear = 1;
        step();
        top->clear = 0;
    } else {
        reset();
    }
    model.reset();
    top->s_axis_tvalid = 1;
    top->m_axis_tready = 1;
    for (int n = 0; n < 12; n++) {
        step();
        if (top->busy || top->key_error) die("a wipe leaves a schedule or an error");
        if (top->m_axis_tvalid && n > 1) die("a wipe leaves a stream");
    }
    if (!clear && top->m_axis_tdata) die("a reset leaves data at the output");
    top->s_axis_tvalid = 0;
    under_way.clear();
}

// Loads bytes of a key, with the last one's mark or without; a gap before each, one time in `gaps`.
static void load(const uint8_t* key, unsigned length, bool whole, unsigned gaps) {
    top->s_key_tvalid = 0;
    for (unsigned m = 0; m < length; m++) {
        while (gaps && rng.below(gaps) == 0) step();
        top->s_key_tvalid = 1;
        top->s_key_tdata = key[m];
        top->s_key_tlast = whole && m + 1 == length;
        for (unsigned waited = 0; !step(); waited++) {
            top->m_axis_tready = rng.below(4) > 0;
            if (waited > 40u * N) die("no byte of the key is taken");
        }
        model.reset();  // the first byte ends the stream before it
        top->s_key_tvalid = 0;
    }
    if (!whole || length > KEY_BYTES) return;
    model.emplace(key, length);
    for (unsigned n = 0; n < top->drop; n++) model->next();
}

static void offer(bool whole) {
    top->s_axis_tvalid = 1;
    const uint64_t all = K == 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * K)) - 1;
    top->s_axis_tdata = rng.next() & all;
    top->s_axis_tkeep = whole ? (1u << K) - 1 : rng.below(1u << K);
    top->s_axis_tlast = rng.below(8) == 0;
}

static void one_key(unsigned words) {
    uint8_t key[KEY_BYTES + 1];
    for (auto& part : key) part = rng.below(256);
    const unsigned end = rng.below(16);  // 0: a wipe ends it; 1: the key is too long
    const unsigned stops = rng.below(3) ? 0 : 1 + rng.below(255), pauses = rng.below(4) ? 0 : 1 + rng.below(200);
    const unsigned gaps = rng.below(4) ? 0 : 2, length = end == 1 ? KEY_BYTES + 1 : 1 + rng.below(KEY_BYTES);
    const bool holes = rng.below(2);
    top->drop = rng.below(4) ? 0 : rng.below(600);
    if (end == 0 && rng.below(2)) {
        const bool whole = rng.below(2);
        load(key, length, whole, 0);
        for (unsigned n = rng.below(N); n > 0; n--) step();
        wipe();
        // After `clear` the rest of a key is taken and belongs to none.
        if (!whole) load(key, 1, true, 0), wipe();
        return;
    }
    load(key, length, true, gaps);
    if (end == 1) {
        if (!top->key_error) die("a key that is too long is no error");
        return;
    }
    if (top->key_error) die("a key that is not too long is an error");
    const uint64_t until = words_compared + words;
    for (unsigned waited = 0; words_compared < until; waited++) {
        const uint64_t before = words_compared;
        if (!top->s_axis_tvalid && rng.below(256) >= pauses) offer(!holes);
        top->m_axis_tready = rng.below(256) >= stops;
        step();
        if (words_compared > before) waited = 0;
        if (waited > 400u * N) die("no transfer is taken");
    }
    if (rng.below(2)) offer(!holes);  // it meets the end of this stream, or the next one
    if (end == 0) wipe();
}

int main(int argc, char** argv) {
    const auto [mode, a, b, seed] = begin(argc, argv, "core random KEYS WORDS SEED, or core activity CLOCKS 1 SEED");
    top->clear = 0; top->drop = 0; top->s_key_tvalid = 0; top->s_axis_tvalid = 0; top->m_axis_tready = 0;
    reset();
    uint64_t keys = 0;
    if (!strcmp(mode, "random")) {
        for (; keys < a; keys++) one_key(K + rng.below(unsigned(b)));
        top->m_axis_tready = 1;
        for (int n = 0; n < 12; n++) step();
        if (!under_way.empty()) die("transfers were taken that do not leave");
#if VM_TRACE
    } else if (!strcmp(mode, "activity")) {
        uint8_t key[KEY_BYTES];
        for (auto& part : key) part = rng.below(256);
        VerilatedVcdC vcd;
        top->trace(&vcd, 1);
        load(key, KEY_BYTES, true, 0);
        top->m_axis_tready = 1;
        const uint64_t warm = clocks + 8 * N;  // the schedule is over, and the pipelines are full
        for (keys = 1; clocks < warm + a;) {
            if (clocks == warm) vcd.open("activity.vcd"), nets = &vcd, words_compared = 0;
            if (!top->s_axis_tvalid) offer(true);
            step();
        }
        nets = nullptr;
        vcd.close();
        clocks = a;
#endif
    } else {
        fprintf(stderr, "%s: the mode must be random or, of a model with traces, activity\n", mode);
        return 2;
    }
    printf("{\"keys\": %" PRIu64 ", \"words\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"clocks\": %" PRIu64 "}\n", keys, words_compared,
           wrong, clocks);
    return wrong != 0;
}
