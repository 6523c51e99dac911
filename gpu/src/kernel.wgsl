// Key search: each lane schedules one key and rejects it, or puts its number into a list. Counting:
// each lane schedules one key and counts the bytes of its keystream.
//
// The host puts three constants before this text. LANES is the number of lanes of a workgroup,
// KEY_BYTES the length of the searched keys, and RC4_BYTES the length of the keys of RC4.
//
// Each lane has a table of 256 bytes and an RC4 key in workgroup memory, four bytes to a word. Word w
// of lane l is at w * LANES + l. So lanes that read different words of their tables at the same time
// read from different banks, and no two lanes share a word.

const TABLE_WORDS = 64u;
const RC4_WORDS = (RC4_BYTES + 3u) / 4u;

// A byte of the key with more than one value: its place in the key, the number of its values, and
// the values.
struct Digit {
    place: u32,
    count: u32,
    values: array<u32, 64>,
}

struct Found {
    count: atomic<u32>,
    keys: array<u32>,
}

// The key that has 0 at each place of a digit.
@group(0) @binding(0) var<storage, read> fixed_bytes: array<u32>;
// The fastest digit first.
@group(0) @binding(1) var<storage, read> digits: array<Digit>;
// The number of keys of this dispatch, then the digits of the first key, the fastest first.
@group(0) @binding(2) var<storage, read> start: array<u32>;
// What a key must give; each entry point has its own.
@group(0) @binding(3) var<storage, read> goal: array<u32>;
// The found keys, counted from the first key of this dispatch.
@group(0) @binding(4) var<storage, read_write> found: Found;
// The keys whose keystreams are counted, each from the start of a word.
@group(0) @binding(5) var<storage, read> keys: array<u32>;
// How often each value stood at each position, 256 cells a position. A key adds 1 to one cell of each
// position, so no cell is more than the number of keys of the dispatch.
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> memory: array<u32, LANES * (TABLE_WORDS + RC4_WORDS)>;
var<private> lane: u32;
// The indexes of RC4.
var<private> i: u32;
var<private> j: u32;

fn at(word: u32) -> u32 {
    return word * LANES + lane;
}

// The shift of a byte within its word.
fn shift_of(byte: u32) -> u32 {
    return (byte & 3u) * 8u;
}

fn entry(index: u32) -> u32 {
    return (memory[at(index / 4u)] >> shift_of(index)) & 255u;
}

fn set_entry(index: u32, value: u32) {
    let word = at(index / 4u);
    memory[word] = insertBits(memory[word], value, shift_of(index), 8u);
}

fn key_byte(index: u32) -> u32 {
    return entry(TABLE_WORDS * 4u + index);
}

// The byte of the key at `next`, which then goes on, and to the start after the end.
fn next_key_byte(next: ptr<function, u32>) -> u32 {
    let byte = key_byte(*next);
    *next = select(*next + 1u, 0u, *next + 1u == RC4_BYTES);
    return byte;
}

fn set_key_word(word: u32, value: u32) {
    memory[at(TABLE_WORDS + word)] = value;
}

// Writes key number `number` of the dispatch as the RC4 key.
fn make_key(number: u32) {
    for (var word = 0u; word < (KEY_BYTES + 3u) / 4u; word++) {
        set_key_word(word, fixed_bytes[word]);
    }
    var left = number;
    for (var n = 0u; n < arrayLength(&digits); n++) {
        left += start[1u + n];
        let digit = left % digits[n].count;
        left /= digits[n].count;
        let value = extractBits(digits[n].values[digit / 4u], shift_of(digit), 8u);
        set_entry(TABLE_WORDS * 4u + digits[n].place, value);
    }
}

// A step of the key schedule with a byte of the key. The word of S[i] is `own`, and S[i] is at the
// given shift. The swap is a xor with the two bytes' difference, at both places.
fn swap(word: u32, own: u32, shift: u32, key: u32) -> u32 {
    let a = (own >> shift) & 255u;
    j = (j + a + key) & 255u;
    let other = at(j / 4u);
    let is_own = j / 4u == word;
    let before = select(memory[other], own, is_own);
    let change = a ^ ((before >> shift_of(j)) & 255u);
    let after = before ^ (change << shift_of(j));
    memory[other] = after;
    return select(own, after, is_own) ^ (change << shift);
}

// The key schedule; each byte of the key is xored with `flip`. The word of S[i] stays in a register
// for four steps, so a step reads and writes one word of the table. The four steps are no loop, since
// wgpu counts the turns of every loop.
fn schedule(flip: u32) {
    for (var word = 0u; word < TABLE_WORDS; word++) {
        memory[at(word)] = 0x03020100u + word * 0x04040404u;
    }
    i = 0u;
    j = 0u;
    var next = 0u;
    for (var word = 0u; word < TABLE_WORDS; word++) {
        var own = memory[at(word)];
        own = swap(word, own, 0u, next_key_byte(&next) ^ flip);
        own = swap(word, own, 8u, next_key_byte(&next) ^ flip);
        own = swap(word, own, 16u, next_key_byte(&next) ^ flip);
        own = swap(word, own, 24u, next_key_byte(&next) ^ flip);
        memory[at(word)] = own;
    }
    j = 0u;
}

// The next byte of the keystream.
fn next_byte() -> u32 {
    i = (i + 1u) & 255u;
    let a = entry(i);
    j = (j + a) & 255u;
    let b = entry(j);
    set_entry(j, a);
    set_entry(i, b);
    return entry((a + b) & 255u);
}

// The next four bytes, the first in the lowest bits.
fn next_word() -> u32 {
    var word = 0u;
    for (var shift = 0u; shift < 32u; shift += 8u) {
        word |= next_byte() << shift;
    }
    return word;
}

fn put(number: u32) {
    found.keys[atomicAdd(&found.count, 1u)] = number;
}

// The goal is a list of positions of the keystream, ascending. Each has nine words: the number of
// bytes to skip since the position before, and one bit for each value.
@compute @workgroup_size(LANES)
fn keystream(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    lane = local;
    if id.x >= start[0] {
        return;
    }
    make_key(id.x);
    schedule(0u);
    for (var test = 0u; test < arrayLength(&goal); test += 9u) {
        for (var skip = goal[test]; skip > 0u; skip--) {
            next_byte();
        }
        let byte = next_byte();
        if extractBits(goal[test + 1u + byte / 32u], byte % 32u, 1u) == 0u {
            return;
        }
    }
    put(id.x);
}

// The goal is the first word of U xored with the first word of the hash.
@compute @workgroup_size(LANES)
fn pdf(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    lane = local;
    if id.x >= start[0] {
        return;
    }
    make_key(id.x);
    var word = 0u;
    for (var round = 0u; round < 20u; round++) {
        schedule(round);
        word ^= next_word();
    }
    if word == goal[0] {
        put(id.x);
    }
}

// The goal is the encrypted verifier, four words, and the first word of its encrypted hash.
@compute @workgroup_size(LANES)
fn office97(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    lane = local;
    if id.x >= start[0] {
        return;
    }
    make_key(id.x);
    var message: array<u32, 16>;
    message[0] = memory[at(TABLE_WORDS)];
    message[1] = key_byte(4u);
    // The block number 0, and the bit that ends the message; its length in bits.
    message[2] = 0x8000u;
    message[14] = 72u;
    let key = md5(message);
    for (var word = 0u; word < 4u; word++) {
        set_key_word(word, key[word]);
    }
    schedule(0u);
    message = array<u32, 16>();
    for (var word = 0u; word < 4u; word++) {
        message[word] = next_word() ^ goal[word];
    }
    message[4] = 0x80u;
    message[14] = 128u;
    if md5(message)[0] == (next_word() ^ goal[4]) {
        put(id.x);
    }
}

// The start has the number of keys, and the number of bytes to skip before the first position.
@compute @workgroup_size(LANES)
fn count_bytes(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    lane = local;
    if id.x >= start[0] {
        return;
    }
    for (var word = 0u; word < RC4_WORDS; word++) {
        set_key_word(word, keys[id.x * RC4_WORDS + word]);
    }
    schedule(0u);
    for (var skip = start[1]; skip > 0u; skip--) {
        next_byte();
    }
    for (var position = 0u; position < arrayLength(&counts); position += 256u) {
        atomicAdd(&counts[position + next_byte()], 1u);
    }
}

const MD5_SHIFTS = array<u32, 16>(7u, 12u, 17u, 22u, 5u, 9u, 14u, 20u, 4u, 11u, 16u, 23u, 6u, 10u, 15u, 21u);

// 2^32 times the absolute sine of 1 to 64.
const MD5_SINES = array<u32, 64>(
    0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu, 0xf57c0fafu, 0x4787c62au, 0xa8304613u, 0xfd469501u,
    0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu, 0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u,
    0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u,
    0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu, 0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au,
    0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u,
    0x289b7ec6u, 0xeaa127fau, 0xd4ef3085u, 0x04881d05u, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u,
    0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u,
    0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u,
);

// The MD5 of a message of one block, as RFC 1321 has it.
fn md5(block: array<u32, 16>) -> vec4u {
    var message = block;
    let begin = vec4u(0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u);
    var a = begin.x;
    var b = begin.y;
    var c = begin.z;
    var d = begin.w;
    for (var step = 0u; step < 64u; step++) {
        var mixed: u32;
        var word: u32;
        switch step / 16u {
            case 0u: {
                mixed = (b & c) | (~b & d);
                word = step;
            }
            case 1u: {
                mixed = (d & b) | (~d & c);
                word = 5u * step + 1u;
            }
            case 2u: {
                mixed = b ^ c ^ d;
                word = 3u * step + 5u;
            }
            default: {
                mixed = c ^ (b | ~d);
                word = 7u * step;
            }
        }
        let sum = a + mixed + MD5_SINES[step] + message[word % 16u];
        let shift = MD5_SHIFTS[step / 16u * 4u + step % 4u];
        a = d;
        d = c;
        c = b;
        b += (sum << shift) | (sum >> (32u - shift));
    }
    return begin + vec4u(a, b, c, d);
}
