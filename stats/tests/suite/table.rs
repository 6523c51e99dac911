//! Tests published tables and their faults.

use arcfour_stats::{
    campaign::{Kind, MAX_CELLS},
    table::{MAX_POSITIONS, parse, read},
};

/// A table in its published form: a header, CR LF, columns, and `count` for each position and
/// value.
fn published(first: u64, positions: u64, count: impl Fn(u64, u64) -> u64) -> String {
    let lines = (0..positions * 256).map(|cell| {
        let (position, value) = (cell >> 8, cell & 0xff);
        format!("{:3} {value:3} {}\r\n", first + position, count(position, value))
    });
    let head = ["%%%%\r\n%    Distribution of the first bytes, [position] [value]\r\n  \r\n"];
    head.into_iter().map(str::to_owned).chain(lines).collect()
}

#[test]
fn a_table_as_published_is_read_from_its_first_position() {
    for first in [0, 1] {
        let file = parse(&published(first, 2, |r, v| if v == r { 3 } else { 7 })).unwrap();
        assert_eq!((file.campaign().count().single, file.keystreams()), (2, 255 * 7 + 3));
        let (_, table) = file.table(Kind::Single).unwrap();
        assert_eq!((table[0], table[1], table[256], table[257]), (3, 7, 7, 3));
    }
}

#[test]
fn its_faults_are_named() {
    let good = published(0, 2, |_, _| 7);
    let empty = "no table of counts: it has no line 'position value count' with a count above 0";
    for (text, message) in [
        (String::new(), empty),
        ("% only a header\r\n".to_owned(), empty),
        (published(0, 1, |_, _| 0), empty),
        ("1 2\n".to_owned(), "line 1 has 2 words; it must have a position, a value and a count"),
        ("7 ".repeat(256), "line 1 has 256 words; it must have a position, a value and a count"),
        (good.replacen("  0   1 7", "  0   1 x7", 1), "line 5: 'x7' is not a number of 0 to 2^54"),
        (good.replacen("  0   1 7", "  0   1 -7", 1), "line 5: '-7' is not a number of 0 to 2^54"),
        (
            good.replacen("  0   1 7", "  0   1 18014398509481985", 1),
            "line 5: '18014398509481985' is not a number of 0 to 2^54",
        ),
        (
            good.replacen("  0   1 7", "  0   1 \u{1b}]0;\u{7}\u{202e}", 1),
            "line 5: '\\u{1b}]0;\\u{7}\\u{202e}' is not a number of 0 to 2^54",
        ),
        (
            good.replacen("  0   1 7\r\n", "", 1),
            "line 5 is of position 0 and value 2; position 0 and value 1 must come here",
        ),
        (
            good.replacen("  1   0 7", "  2   0 7", 1),
            "line 260 is of position 2 and value 0; position 1 and value 0 must come here",
        ),
        (
            "2 0 7\n".to_owned(),
            "line 1 is of position 2 and value 0; position 1 and value 0 must come here",
        ),
        (
            good.replacen("  1 255 7\r\n", "", 1),
            "it ends after value 254 of position 1; a position has values 0 to 255",
        ),
        (
            good.replacen("  1 255 7", "  1 255 8", 1),
            "position 1 adds up to 1793; the positions before it to 1792",
        ),
    ] {
        assert_eq!(parse(&text).unwrap_err().to_string(), message);
    }
}

/// A comment of the maximum length is read, a longer one is not.
#[test]
fn a_line_has_its_maximum_length() {
    let with =
        |length: usize| format!("%{}\n{}", " ".repeat(length - 2), published(1, 1, |_, v| v));
    let file = parse(&with(4096)).unwrap();
    assert_eq!(
        (file.keystreams(), file.shards(), file.unfinished()),
        (32_640, &[(0, 0)][..], None)
    );
    assert_eq!(parse(&with(4097)).unwrap_err().to_string(), "line 1 has more than 4096 bytes");
}

#[test]
fn the_longest_table_fills_the_cells_of_a_campaign() {
    assert_eq!(MAX_POSITIONS as u64 * 256, MAX_CELLS);
}

#[test]
fn no_line_is_read_without_end() {
    for byte in [0, b' ', b'7', b'%'] {
        let error = read(std::io::repeat(byte)).unwrap_err();
        assert_eq!(error.to_string(), "line 1 has more than 4096 bytes");
    }
}
