//! Tests the faults of a campaign, and its events.

use arcfour_stats::campaign::{Campaign, CampaignError, Kind, MAX_BYTES};

/// The text of a campaign with these lines.
fn campaign(shards: &str, count: &str) -> String {
    format!("seed = '{}'\n{shards}\nkey-length = 16\n[count]\n{count}\n", "5a".repeat(32))
}

#[test]
fn faults_are_named() {
    let good = campaign("shards = 2\nkeystreams = 5", "single = 3");
    assert_eq!(Campaign::parse(&good).unwrap().seed(), &[0x5a; 32]);
    for (from, to, message) in [
        ("5a5a", "5a", "seed must be 64 hexadecimal digits"),
        ("shards = 2", "shards = 0", "shards is 0; it must be 1 to 4294967296"),
        (
            "shards = 2\nkeystreams = 5",
            "shards = 4294967296\nkeystreams = 1099511627776",
            "a table would count 4722366482869645213696 events; 2^63 fit",
        ),
        ("length = 16", "length = 257", "key-length is 257; it must be 1 to 256"),
        ("single = 3", "single = 0", "the number of cells is 0; it must be 1 to 134217728"),
        ("single = 3", "digraphs = 3000", "the number of cells is 196608000"),
        ("single = 3", "pairs = [[0, 1]]", "a position of count.pairs is 0"),
        ("single = 3", "roos = 257", "count.roos is 257; it must be 0 to 256"),
        (
            "length = 16\n[count]",
            "length = 2\n[count]\nroos-output = true",
            "key-length, with count.roos-output, is 2; it must be 3 to 256",
        ),
        ("single", "singel", "unknown field `singel`"),
        ("length = 16", "length = 2\nkey-pattern = 'tkip'", "key-length is 2; it must be 3"),
        // Numbers that no field can hold.
        ("length = 16", "length = 70_000", "key-length is 70000; it must be 1 to 256"),
        ("length = 16", "length = -16", "key-length is -16; it must be 1 to 256"),
        (
            "keystreams = 5",
            "keystreams = 99999999999999999999",
            "keystreams is 99999999999999999999; it must be 1 to 4611686018427387904",
        ),
        ("single = 3", "single = -3", "count.single is -3; it must be 0 to 16777216"),
        (
            "[count]\nsingle = 3",
            "count = { roos = 5_000_000_000 }",
            "count.roos is 5000000000; it must",
        ),
        ("single = 3", "absab = [2, -1]", "count.absab (gaps) is -1; it must be 0 to 65536"),
        (
            "single = 3",
            "pairs = [[1, 2], [3, 5000000000]]",
            "a position of count.pairs is 5000000000",
        ),
        ("single = 3", "equal = [[-1, 2]]", "a position of count.equal is -1; it must be 1 to"),
        // The first of several faults.
        ("key-length = 16", "key-length = 0x1_0000\ndrop = -1", "key-length is 65536; it must"),
    ] {
        let error = Campaign::parse(&good.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn long_term_events_are_counted_by_i() {
    let text = format!(
        "seed = '{}'\nshards = 1\nkeystreams = 1\nkey-length = 5\ndrop = 250\n[count]\nlong-term = 700",
        "00".repeat(32)
    );
    let campaign = Campaign::parse(&text).unwrap();
    for group in 0..256 {
        let events = (1..=700).filter(|r| (r + 250) % 256 == group).count() as u64;
        assert_eq!(campaign.events(Kind::LongTerm, group), events, "i = {group}");
    }
}

#[test]
fn a_table_counts_at_most_2_to_the_63_events() {
    for (shards, keystreams, count) in [
        (2, 62, "single = 1"),
        (1_u64 << 32, 31, "digraphs = 1"),
        (1, 62, "long-term = 2"),
        (4, 60, "absab = [2, 1]"),
    ] {
        let good = format!("shards = {shards}\nkeystreams = {}", 1_u64 << keystreams);
        assert!(Campaign::parse(&campaign(&good, count)).is_ok(), "{good}, {count}");
    }
    let bad = Campaign::parse(&campaign(
        "shards = 4\nkeystreams = 1152921504606846976",
        "single = 300\nabsab = [3, 1]",
    ));
    let message = "a table would count 13835058055282163712 events; 2^63 fit";
    assert_eq!(bad.unwrap_err().to_string(), message);
}

/// Every counter reads to its last position; pairs of bytes to the one after.
#[test]
fn keystreams_are_as_long_as_the_longest_counter() {
    for (count, length) in [
        ("single = 9", 9),
        ("digraphs = 9", 10),
        ("pairs = [[4, 9], [1, 2]]", 9),
        ("equal = [[9, 4], [1, 2]]", 9),
        ("long-term = 9", 10),
        ("absab = [9, 4]", 15),
        ("roos = 9", 0),
        ("roos-output = true", 1),
        ("glimpse = 9", 0),
        ("single = 2\nlong-term = 7\npairs = [[5, 3]]", 8),
    ] {
        let text = campaign("shards = 1\nkeystreams = 1", count);
        assert_eq!(Campaign::parse(&text).unwrap().length(), length, "{count}");
    }
}

#[test]
fn a_fault_of_the_text_is_at_its_line_and_column() {
    for (text, place) in [
        ("sed = 1", (1, 1)),
        ("# Größe\nshards = 2\n  keystreams = x\n", (3, 16)),
        ("\n\n[count] # ü\nsingle = [ 'ü', ü ]", (4, 17)),
    ] {
        match Campaign::parse(text) {
            Err(CampaignError::Syntax { line, column, .. }) => assert_eq!((line, column), place),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_file_is_read_up_to_its_maximum_length() {
    let mut text = campaign("shards = 1\nkeystreams = 1", "single = 1\n#").into_bytes();
    text.resize(MAX_BYTES as usize, b' ');
    assert!(Campaign::read(&text[..]).is_ok());
    text.push(b' ');
    let long = Campaign::read(&text[..]).unwrap_err();
    assert_eq!(long.to_string(), "it is longer than the 4194304 bytes that a campaign may have");
    let encoding = Campaign::read(&b"seed = '\xff'"[..]).unwrap_err();
    assert_eq!(encoding.to_string(), "it is not a text: byte 8 is not UTF-8");
}
