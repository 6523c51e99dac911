// SPDX-License-Identifier: MIT OR Apache-2.0
// Drives a bare core that Verilator made, RTL or gates, and compares its keystream with RC4.
//
//   core random KEYS WORDS SEED    random keys, up to WORDS words of each
//   core every FIRST COUNT WORDS   the keys FIRST to FIRST + COUNT - 1, read as the digits of a number
//   core clocks KEYS WORDS SEED    random keys, read without a pause: counts clocks
//   core activity CLOCKS 1 SEED    a random key, read without a pause: what every net does, into activity.vcd
//
// `random` stops the reader and the clock enable at random, leaves gaps in the load, and ends one key in
// sixteen by clear_i or rst_i, in the load, the schedule or the stream. The last line is JSON.
#include "driver.h"

// What the ports promise in every clock: without the enable nothing is offered or taken, and no key is taken in the schedule. Words
// of the stream stay until they are taken, a word of a key comes, or a wipe.
static void watch() {
    static bool waits = false;
    static unsigned shown[K];
    if (top->busy_o && top->key_ready_o) die("key_ready_o is high in the schedule");
    if (!top->ce_i && (top->z_valid_o || top->key_ready_o)) die("ready or valid is high while the clock enable is low");
    if (waits && top->ce_i && !top->z_valid_o) die("words that waited are gone");
    if (waits) for (int r = 0; r < K; r++) if (word(top->z_o, r) != shown[r]) die("words that waited have changed");
    waits = (waits || top->z_valid_o) && !(top->ce_i && (top->z_ready_i || (top->key_valid_i && top->key_ready_o)))
            && !top->rst_i && !top->clear_i;
    for (int r = 0; r < K; r++) shown[r] = word(top->z_o, r);
}

// What happens inside a core, and what stalls it in the same clock: how often each pair was seen.
#ifdef EVENTS
struct Event { const char* name; bool (*is)(); uint64_t seen[4]; };
static Event events[] = {EVENTS};  // of model.h
static const char* const stalls[4] = {"no stall", "reader", "enable", "key"};
static void count() {
    const bool stalled[4] = {top->ce_i && top->z_ready_i && !top->key_valid_i, top->z_valid_o && !top->z_ready_i, !top->ce_i,
                             top->key_valid_i && top->key_ready_o};
    for (Event& event : events) if (event.is()) for (int s = 0; s < 4; s++) event.seen[s] += stalled[s];
}
#else
static void count() {}
#endif

static void low() { top->clk_i = 0; top->eval(); dump(0); watch(); count(); }
static void high() { top->clk_i = 1; top->eval(); dump(1); clocks++; }

static void reset() {
    top->ce_i = 1; top->clear_i = 0; top->key_i = 0; top->key_valid_i = 0; top->z_ready_i = 0;
    top->rst_i = 1;
    for (int n = 0; n < 2; n++) { low(); high(); }
    top->rst_i = 0;
}

// Loads a key of which `loaded` words are wanted; a gap before each word, one time in `gaps`.
static void load(const uint8_t* key, int loaded, unsigned gaps) {
    for (int m = 0; m < loaded; m++) {
        while (gaps && rng.below(gaps) == 0) { top->key_valid_i = 0; low(); high(); }
        top->key_valid_i = 1;
        top->key_i = key[m];
        for (unsigned waited = 0;; waited++) {
            top->ce_i = !gaps || rng.below(4) > 0;
            low();
            const bool taken = top->key_ready_o;
            high();
            if (taken) break;
            if (waited > 40u * N) die("no word of the key is taken");
        }
    }
    top->key_valid_i = 0;
    top->ce_i = 1;
}

static bool compare(Rc4& model) {
    bool right = true;
    for (int r = 0; r < K; r++) {
        const unsigned expected = model.next();
        if (word(top->z_o, r) != expected) { wrong++; right = false; }
        words_compared++;
    }
    return right;
}

static void wipe() {
    const bool clear = rng.below(2);
    top->ce_i = rng.below(2);
    (clear ? top->clear_i : top->rst_i) = 1;
    low(); high();
    top->clear_i = 0; top->rst_i = 0; top->ce_i = 1; top->z_ready_i = 1;
    for (int n = 0; n < 12; n++) {
        low();
        if (top->z_valid_o || top->busy_o) die("a wipe leaves a stream or a schedule");
        high();
    }
    low();
    for (int r = 0; r < K; r++) if (word(top->z_o, r)) die("a wipe leaves keystream at the output");
    high();
}

static void one_key(const uint8_t* key, int words) {
    const unsigned end = rng.below(16);  // 0: a wipe ends it
    const unsigned stops = rng.below(3) ? 0 : 1 + rng.below(255), pauses = rng.below(4) ? 0 : 1 + rng.below(200);
    if (end == 0 && rng.below(2)) {
        load(key, rng.below(KEY_BYTES + 1), 0);
        for (unsigned n = rng.below(N); n > 0; n--) { low(); high(); }
        return wipe();
    }
    load(key, KEY_BYTES, rng.below(4) ? 0 : 2);
    Rc4 model(key);
    unsigned waited = 0;
    for (int taken = 0; taken < words;) {
        top->z_ready_i = rng.below(256) >= stops;
        top->ce_i = rng.below(256) >= pauses;
        low();
        const bool take = top->z_valid_o && top->z_ready_i;
        if (take) compare(model), taken += K, waited = 0;
        high();
        if (++waited > 400u * N) die("no keystream comes");
    }
    top->ce_i = 1;
    top->z_ready_i = 0;
    if (end == 0) wipe();
}

int main(int argc, char** argv) {
    const auto [mode, a, b, c] = begin(argc, argv, "core random|clocks KEYS WORDS SEED, or core every FIRST COUNT WORDS");
#if MUTANTS
    top->mutant = argc > 5 ? strtoul(argv[5], nullptr, 0) : 1;  // which of the errors in the core is there; 1: none
#endif
    reset();
    uint8_t key[KEY_BYTES];
    uint64_t keys = 0, reading = 0, read = 0, first_low = UINT64_MAX, first_high = 0, schedule = 0;
    if (!strcmp(mode, "random")) {
        for (; keys < a; keys++) {
            for (auto& part : key) part = rng.below(N);
            one_key(key, K + rng.below(unsigned(b)));
        }
    } else if (!strcmp(mode, "every")) {
        for (; keys < b; keys++) {
            for (int m = 0; m < KEY_BYTES; m++) key[m] = (a + keys) >> (W * m) & (N - 1);
            load(key, KEY_BYTES, 0);
            Rc4 model(key);
            top->z_ready_i = 1;
            for (uint64_t taken = 0, waited = 0; taken < c; waited++) {
                low();
                if (top->z_valid_o) compare(model), taken += K;
                high();
                if (waited > 100u * N + 10 * c) die("no keystream comes");
            }
            top->z_ready_i = 0;
        }
    } else if (!strcmp(mode, "clocks")) {
        for (; keys < a; keys++) {
            for (auto& part : key) part = rng.below(N);
            load(key, KEY_BYTES, 0);
            Rc4 model(key);
            top->z_ready_i = 1;
            const uint64_t loaded = clocks;
            uint64_t begun = 0;
            for (uint64_t taken = 0; taken < b;) {
                low();
                schedule += keys == 0 && top->busy_o;
                if (top->z_valid_o) {
                    compare(model);
                    if (!taken) {
                        const uint64_t first = clocks - loaded + 1;
                        begun = clocks;
                        if (first < first_low) first_low = first;
                        if (first > first_high) first_high = first;
                    } else {
                        read += K;
                    }
                    taken += K;
                    reading += taken >= b ? clocks - begun : 0;
                }
                high();
                if (clocks - loaded > 100u * (N + b)) die("no keystream comes");
            }
            top->z_ready_i = 0;
        }
#if VM_TRACE
    } else if (!strcmp(mode, "activity")) {
        for (auto& part : key) part = rng.below(N);
        VerilatedVcdC vcd;
        top->trace(&vcd, 1);
        load(key, KEY_BYTES, 0);
        Rc4 model(key);
        top->z_ready_i = 1;
        const uint64_t warm = clocks + 8 * N;  // the schedule is over, and the pipelines are full
        uint64_t before = 0;
        for (keys = 1; clocks < warm + a;) {
            if (clocks == warm) vcd.open("activity.vcd"), nets = &vcd, before = words_compared;
            low();
            if (top->z_valid_o) compare(model);
            high();
        }
        nets = nullptr;
        vcd.close();
        words_compared -= before;
        clocks = a;
#endif
    } else {
        fprintf(stderr, "%s: the mode must be random, every, clocks or, of a model with traces, activity\n", mode);
        return 2;
    }
    printf("{\"keys\": %" PRIu64 ", \"words\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"clocks\": %" PRIu64, keys,
           words_compared, wrong, clocks);
    if (reading)
        printf(", \"first_low\": %" PRIu64 ", \"first_high\": %" PRIu64 ", \"ksa_clocks\": %" PRIu64
               ", \"words_read\": %" PRIu64 ", \"clocks_read\": %" PRIu64, first_low, first_high, schedule, read, reading);
#ifdef EVENTS
    const char* between = ", \"events\": {";
    for (const Event& event : events) for (int s = 0; s < 4; s++, between = ", ")
        printf("%s\"%s, %s\": %" PRIu64, between, event.name, stalls[s], event.seen[s]);
    printf("}");
#endif
    printf("}\n");
    return wrong != 0;
}
