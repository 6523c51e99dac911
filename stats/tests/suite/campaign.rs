//! Tests the faults of a campaign, and its events.

use arcfour_stats::campaign::{Campaign, Kind};

#[test]
fn faults_are_named() {
    let good = format!(
        "seed = '{}'\nshards = 2\nkeystreams = 5\nkey-length = 16\n[count]\nsingle = 3\n",
        "5a".repeat(32)
    );
    assert_eq!(Campaign::parse(&good).unwrap().length(), 3);
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
