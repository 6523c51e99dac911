//! Changed RC4s: against `rc4mod` of Binary Refinery, then each part of a description by itself.

use arcfour::{Keystream, families::variant::Variant};

use super::{hex, unhex};

#[test]
fn binary_refinery_makes_the_same_keystreams() {
    let mut compared = 0;
    for line in include_str!("../rc4mod.txt").lines().filter(|line| !line.starts_with('#')) {
        let [description, key, keystream] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let variant: Variant = description.parse().unwrap();
        let mut made = vec![0; unhex(keystream).len()];
        variant.start(key.as_bytes()).unwrap().fill(&mut made);
        assert_eq!(hex(made), keystream, "{line}");
        compared += 1;
    }
    assert_eq!(compared, 144);
}

fn parsed(description: &str) -> Variant {
    description.parse().unwrap_or_else(|error| panic!("{description}: {error}"))
}

/// The first four bytes of keystream with the key `Key`.
fn first(description: &str) -> [u8; 4] {
    let mut made = [0; 4];
    parsed(description).start(b"Key").unwrap().fill(&mut made);
    made
}

#[test]
fn operators_are_those_of_c_in_their_order() {
    for (expression, expected) in [
        ("x", 5),
        ("k", 3),
        ("n", 44), // 300 modulo 256
        ("0x0a+10", 20),
        ("4294967295>>24", 255),
        ("x|k", 7),
        ("x^k", 6),
        ("x&k", 1),
        ("x<<k", 40),
        ("n>>k", 37),
        ("x+k", 8),
        ("k-x", 254),
        ("x*k", 15),
        ("n%7", 6),
        ("~x", 250),
        ("-x", 251),
        ("--x", 5),
        ("1|6^3", 5),
        ("6^3&5", 7),
        ("6&1<<1", 2),
        ("1<<2+1", 8),
        ("2+3*4", 14),
        ("(2+3)*4", 20),
        ("7-2-1", 4),
        ("2*7%4", 2),
        ("~1+2", 0),
        ("(0-1)>>63", 255),
        ("(0-7)%4", 1),
        // What C leaves undefined gives 0.
        ("x<<64", 0),
        ("x>>64", 0),
        ("x<<(0-1)", 0),
        ("x>>(0-1)", 0),
        ("x%0", 0),
        // More values on the stack than evaluation has without an allocation.
        ("1+(2+(3+(4+(5+(6+(7+(8+(9+(10+11)))))))))", 66),
    ] {
        let variant = parsed(&format!("apply={expression}"));
        assert_eq!(variant.applied(5, 3, 300), expected, "{expression}");
    }
}

#[test]
fn expressions_read_the_state_and_the_key() {
    for (description, expected) in [
        ("output=n", [0, 1, 2, 3]),
        ("output=L", [3; 4]),
        ("size=10, output=N", [10; 4]),
        ("output=K[n]", *b"KeyK"),
        ("output=K[n-4]", *b"yKey"),
        ("output=i", [1, 2, 3, 4]),
        ("start-i=10, output=i", [11, 12, 13, 14]),
        ("size=12, start-i=10, output=i", [11, 0, 1, 2]),
        ("start-j=5, step-j=j+2, output=j", [7, 9, 11, 13]),
        // The key schedule leaves i at the number of entries, modulo the size.
        ("size=100, table=256, start-i=i, step-i=i, output=i", [56; 4]),
        ("size=100, table=256, start-j=i>>3, step-j=j, output=j", [7; 4]),
        ("size=100, table=256, schedule=j+3, passes=2, start-j=j, step-j=j, output=j", [36; 4]),
        ("schedule=j+3, start-j=j+1, step-j=j, output=j", [1; 4]),
        ("schedule=i, fill=i*3+L, swap=none, output=T[i]", [6, 9, 12, 15]),
        ("schedule=i, swap=none, output=T[n-2]", [254, 255, 0, 1]),
    ] {
        assert_eq!(first(description), expected, "{description}");
    }
}

/// The entries 1 and 2 are 203 and 206, and each step swaps them again.
#[test]
fn swaps_move_entries_as_they_say() {
    let table = "schedule=i, fill=i*3+200, start-i=1, step-i=1, step-j=2";
    for (swap, one, two) in [
        ("swap", [206, 203, 206, 203], [203, 206, 203, 206]),
        ("xor", [206, 203, 206, 203], [203, 206, 203, 206]),
        ("half", [206; 4], [206; 4]),
        ("none", [203; 4], [206; 4]),
    ] {
        assert_eq!(first(&format!("{table}, swap={swap}, output=T[1]")), one, "{swap}");
        assert_eq!(first(&format!("{table}, swap={swap}, output=T[2]")), two, "{swap}");
    }
    let all = |swap| format!("schedule=i, schedule-swap={swap}, swap=none, output=T[i]");
    assert_eq!(first(&all("xor")), [0; 4], "an entry that is swapped with itself");
    assert_eq!(first(&all("swap")), [1, 2, 3, 4]);
}

#[test]
fn data_are_changed_as_apply_says() {
    assert!(Variant::default().xors() && parsed("apply=x ^ k").xors());
    let variant = parsed("apply=x+k*2+n");
    assert!(!variant.xors());
    let (mut keystream, mut data) = ([0; 300], [9; 300]);
    variant.start(b"Key").unwrap().fill(&mut keystream);
    let mut cipher = variant.boxed(b"Key").unwrap();
    cipher.apply(&mut data[..100]);
    assert_eq!(cipher.position(), 100);
    cipher.skip(50);
    assert_eq!(cipher.position(), 150);
    cipher.apply(&mut data[150..]);
    for (n, (made, k)) in data.into_iter().zip(keystream).enumerate() {
        let expected = (9 + 2 * usize::from(k) + n) as u8;
        assert_eq!(made, if (100..150).contains(&n) { 9 } else { expected }, "{n}");
    }
}

#[test]
fn a_variant_is_written_as_it_is_read() {
    for (description, written) in [
        (" rc4 ", "rc4"),
        ("size=256,table=256,passes=1,swap=swap,output=T[(T[i] + T[j]) % N]", "rc4"),
        ("size=16", "size=16"),
        ("table=256,size=16", "size=16, table=256"),
        (
            "output= T[ i ] , swap=half, schedule-swap=none, passes=3",
            "passes=3, schedule-swap=none, swap=half, output=T[i]",
        ),
        ("swap=xor,fill=255-i", "swap=xor, fill=255-i"),
    ] {
        let variant = parsed(description);
        assert_eq!(variant.to_string(), written, "{description}");
        assert_eq!(parsed(written), variant, "{description}");
    }
    assert_eq!(Variant::default(), parsed("rc4"));
    let shown = format!("{:?}", Variant::default().start(&[42; 16]).unwrap());
    assert_eq!(shown, "Cipher { position: 0, .. }");
}

#[test]
fn a_description_is_refused_beyond_each_limit() {
    let nested = |depth: usize| format!("output={}1{}", "(".repeat(depth), ")".repeat(depth));
    let sum = |terms: usize| format!("output=1{}", "+1".repeat(terms - 1));
    let padded = |len: usize| format!("{:len$}", "size=16");
    for accepted in [
        "size=2",
        "size=4096",
        "size=16, table=4096",
        "size=300, table=300",
        "passes=64",
        &nested(31),
        &sum(100),
        &format!("output=10{}", "+1".repeat(99)),
        &padded(2048),
    ] {
        parsed(accepted);
    }
    let long = sum(101);
    for (refused, why) in [
        ("size=1", "size: \"1\" is no number of 2 to 4096"),
        ("size=4097", "size: \"4097\" is no number of 2 to 4096"),
        ("table=1", "table: \"1\" is no number of 2 to 4096"),
        ("passes=0", "passes: \"0\" is no number of 1 to 64"),
        ("passes=65", "passes: \"65\" is no number of 1 to 64"),
        (
            "size=300, table=299",
            "table: 299 entries, where i and j count to 300: 300 to 4096 are possible",
        ),
        ("size=16, size=16", "size is given twice"),
        ("rc4, size=16", "\"rc4\" is no change: write name=value, with commas between changes"),
        ("swap=no", "swap: \"no\" is none of swap, none, half, xor"),
        (
            "colour=1",
            "there is no change \"colour\"; there are size, table, passes, schedule-swap, swap, \
             fill, schedule, start-i, start-j, step-i, step-j, output, apply",
        ),
        ("apply=x^", "apply: \"x^\": it ends where a number or one of x, k, n is expected"),
        ("apply=i", "apply: \"i\": \"i\" stands where a number or one of x, k, n is expected"),
        (
            "output=i j",
            "output: \"i j\": \"ij\" stands where a number or one of i, j, n, L, N, T[…], K[…] is \
             expected",
        ),
        ("output=T", "output: \"T\": T is a table: it takes an index, as T[i]"),
        ("output=(i", "output: \"(i\": \")\" is missing at the end"),
        ("output=T[i)", "output: \"T[i)\": \")\" where \"]\" is expected"),
        ("output=i)", "output: \"i)\": \")\" does not continue the expression"),
        (
            "output=4294967296",
            "output: \"4294967296\": \"4294967296\" is no number of 0 to 4294967295",
        ),
        (
            &nested(32),
            &format!(
                "output: {:?}: more than 32 parentheses, brackets or signs inside each other",
                &nested(32)["output=".len()..]
            ),
        ),
        (
            &long,
            &format!(
                "output: {:?}: 201 characters; an expression has at most 200",
                &long["output=".len()..]
            ),
        ),
        (&padded(2049), "2049 characters; a description has at most 2048"),
    ] {
        assert_eq!(refused.parse::<Variant>().unwrap_err().to_string(), why);
    }
    for len in [0, 257] {
        assert_eq!(Variant::default().start(&vec![7; len]).unwrap_err().given, len);
    }
}
