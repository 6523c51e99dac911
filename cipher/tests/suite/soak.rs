//! The record of `make soak`.

use std::fs;

#[test]
fn no_soak_found_a_wrong_byte() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/soak.csv");
    let record = fs::read_to_string(path).unwrap();
    let mut lines = record.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name| header.iter().position(|column| *column == name).unwrap();
    let (checked, wrong) = (column("bytes_checked"), column("bytes_wrong"));
    let mut runs = 0;
    for row in lines {
        assert_eq!(row.len(), header.len(), "{row:?}");
        assert!(row[checked].parse::<u64>().unwrap() > 0, "{row:?}");
        assert_eq!(row[wrong], "0", "{row:?}");
        runs += 1;
    }
    assert!(runs > 0, "no run is recorded");
}
