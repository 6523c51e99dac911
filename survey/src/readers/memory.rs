//! Memory dumps: states of RC4 in them, as `arcfour attack memory` finds them.

use std::{collections::HashSet, io::Seek as _, path::Path};

use arcfour_attacks::memory::{Stream, Table, scan};
use zeroize::Zeroizing;

use super::{ReadError, Reader};
use crate::{Finding, Input, RuleId, input};

const STATE: RuleId = RuleId::new("memory-state");

/// The command's own defaults: a finding is one that the command confirms.
const KEYS: [usize; 3] = [5, 13, 16];
/// Most streams are short, so the nearest beginnings are tried first.
const REWINDS: [u64; 2] = [1 << 14, 1 << 20];
const TESTS: u64 = 1 << 14;
/// States that are looked into: different tables, each with its different indexes. A dump of nothing but tables ends a survey
/// no later than another.
const STATES: usize = 1 << 12;

/// How dumps begin: of Windows (three kinds), and of LiME.
const MAGIC: [&[u8]; 4] = [b"MDMP", b"PAGEDU64", b"PAGEDUMP", b"EMiL"];
/// How names of images end that begin with the first byte of memory.
const NAMES: [&str; 3] = [".vmem", ".mem", ".ram"];

/// The reader of memory dumps.
#[derive(Debug)]
pub struct Memory;

/// Whether a file is a core of ELF: the kind of file is 4.
pub(super) fn is_core(head: &[u8]) -> bool {
    let kind = head.get(16..18).unwrap_or_default();
    let number: &[u8] = if head.get(5) == Some(&2) { &[0, 4] } else { &[4, 0] };
    head.starts_with(b"\x7fELF") && kind == number
}

impl Reader for Memory {
    fn name(&self) -> &'static str {
        "memory dump"
    }

    fn recognises(&self, path: &Path, head: &[u8]) -> bool {
        let name = path.to_string_lossy().to_ascii_lowercase();
        is_core(head)
            || MAGIC.iter().any(|magic| head.starts_with(magic))
            || NAMES.iter().any(|end| name.ends_with(end))
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        input.rewind()?;
        let mut tried = HashSet::new();
        let (mut states, mut left) = (Vec::new(), 0_u64);
        let stopped = input.stopped();
        let look = |table: Table| {
            // The search for the keys of a table takes longer than its reading.
            if stopped() {
                return Err(input::stopped());
            }
            // A dump may have a table twice, and only the second time beside its indexes.
            let fresh = table.streams().map(|stream| (table.s, stream.i, stream.j));
            let fresh: Vec<_> = fresh.filter(|state| !tried.contains(state)).collect();
            if !fresh.is_empty() && tried.len() >= STATES {
                left += 1;
            } else if !fresh.is_empty() {
                tried.extend(fresh);
                states.extend(evidence(&table, &REWINDS).map(|evidence| (table.offset, evidence)));
            }
            Ok(())
        };
        let read = scan(&mut *input, look, |_| Ok(()));
        for (offset, evidence) in states {
            let place = input.at(format!("offset {offset:#x}"));
            found(Finding::new(STATE, place, evidence).with("offset", offset.to_string()));
        }
        read?;
        match left {
            0 => Ok(()),
            _ => Err(ReadError::Damaged(format!(
                "it has more than {STATES} possible states; {left} tables of 256 values were not looked into"
            ))),
        }
    }
}

/// What a table with its indexes shows: that it has a key, which is not told here, or that it is likely a state. The nearest
/// beginnings are tried first with all indexes that it may have.
fn evidence(table: &Table, rewinds: &[u64]) -> Option<String> {
    let key = |(rewind, stream): (u64, Stream)| {
        let opened = stream.find_key(&KEYS, rewind, TESTS)?;
        let key = Zeroizing::new(opened.key);
        Some(format!(
            "state with its key of {} bytes, {} bytes of keystream made, layout: {}",
            key.len(),
            opened.produced,
            stream.layout.name
        ))
    };
    let likely = || {
        let layouts = table.streams().filter(Stream::is_likely).map(|stream| stream.layout.name);
        let layouts = layouts.collect::<Vec<_>>().join("; or ");
        (!layouts.is_empty()).then(|| format!("likely a state; no key found, layout: {layouts}"))
    };
    let mut tries =
        rewinds.iter().flat_map(|rewind| table.streams().map(move |stream| (*rewind, stream)));
    tries.find_map(key).or_else(likely)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor};

    use super::*;

    /// A core with a state of this key, as OpenSSL keeps it, at 4096.
    fn core(key: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x04\0".to_vec();
        bytes.resize(4096, 0);
        let mut rc4 = arcfour::Rc4::from_key(key).unwrap();
        rc4.skip(1000);
        let (s, i, j) = rc4.state().parts();
        let words = [i, j].into_iter().chain(*s).flat_map(|byte| u32::from(byte).to_le_bytes());
        bytes.extend(words);
        bytes.resize(16384, 0);
        bytes
    }

    fn found(bytes: Vec<u8>) -> Vec<(String, String)> {
        let path = Path::new("core.77");
        assert!(Memory.recognises(path, &bytes));
        let mut source = Cursor::new(bytes);
        let mut input = Input::new(path, &mut source).unwrap();
        let mut found = Vec::new();
        Memory
            .read(&mut input, &mut |one| {
                found.push((one.place.within.clone().unwrap(), one.evidence))
            })
            .unwrap();
        found
    }

    #[test]
    fn a_state_is_told_without_its_key() {
        let told = found(core(&[7, 77, 177, 27, 5]));
        let [(place, evidence)] = &told[..] else { panic!("{told:?}") };
        assert_eq!(place, "offset 0x1008");
        assert!(evidence.starts_with("state with its key of 5 bytes, 1000 bytes"), "{evidence}");
        let mut none = core(&[7, 77, 177, 27, 5]);
        none[4200] ^= 1;
        assert_eq!(found(none), []);
    }

    #[test]
    fn a_table_is_looked_into_again_beside_other_indexes() {
        let dump = core(&[7, 77, 177, 27, 5]);
        let table: Vec<u8> = dump[4104..4104 + 1024].iter().step_by(4).copied().collect();
        let twice = [&dump[..1024], &table, &dump[1024..]].concat();
        let told = found(twice);
        let [(place, evidence)] = &told[..] else { panic!("{told:?}") };
        assert_eq!(place, "offset 0x1108");
        assert!(evidence.starts_with("state with its key of 5 bytes, 1000 bytes"), "{evidence}");
    }

    #[test]
    fn a_state_whose_key_is_too_far_away_is_likely() {
        let told = |dump: &[u8]| {
            let mut told = vec![];
            let look = |table: Table| {
                told.extend(evidence(&table, &[999]));
                Ok::<(), io::Error>(())
            };
            scan(dump, look, |_| Ok(())).unwrap();
            told
        };
        let mut dump = core(&[7, 77, 177, 27, 5]);
        assert_eq!(told(&dump), ["likely a state; no key found, layout: OpenSSL"]);
        // The indexes after the table.
        dump[4096..4096 + 8 + 1024].rotate_left(8);
        let layouts = "libgcrypt, 32-bit indexes after 32-bit entries; or Linux kernel from 3.7 on";
        assert_eq!(told(&dump), [format!("likely a state; no key found, layout: {layouts}")]);
    }

    #[test]
    fn programs_are_no_dumps() {
        let mut head = core(&[1])[..64].to_vec();
        assert!(is_core(&head));
        head[16] = 3;
        assert!(!is_core(&head) && !Memory.recognises(Path::new("core"), &head));
        head[5..7].copy_from_slice(&[2, 1]);
        head[16..18].copy_from_slice(&[0, 4]);
        assert!(is_core(&head));
    }
}
