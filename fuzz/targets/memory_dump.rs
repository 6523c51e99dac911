//! A memory dump: every table found is in it, in the order of their ends. A state goes back to a
//! beginning and forth again.

#![cfg_attr(not(test), no_main)]

use arcfour_attacks::{
    memory::{Table, scan},
    state::beginnings,
};

arcfour_fuzz::target!(|dump: &[u8]| {
    let mut last = 0;
    let found = |table: Table| {
        let at = table.offset as usize;
        let end = at + 256 * table.entry.bytes();
        assert!(last <= end && end <= dump.len());
        last = end;
        assert_eq!(table.entry.table(&dump[at..end]), Some(table.s));
        for stream in table.streams() {
            for beginning in beginnings(&stream.s, stream.i, stream.j, 1024) {
                let mut rc4 = arcfour::Rc4::from_parts(&beginning.s, 0, 0);
                rc4.skip(beginning.produced);
                assert_eq!(rc4.state().parts(), (&stream.s, stream.i, stream.j));
            }
        }
        Ok::<(), std::io::Error>(())
    };
    let size = scan(dump, found, |_| Ok(())).expect("memory can be read");
    assert_eq!(size, dump.len() as u64);
});
