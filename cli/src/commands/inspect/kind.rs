//! Recognises files by their first bytes, and names the command that reads them.

use std::path::Path;

use arcfour_attacks::wep::capture;
use arcfour_container::Secret;
use arcfour_formats::pdf::find_header;
use arcfour_survey::readers::{self, HEAD};

/// Number of bytes that identify a file.
pub(super) const START: usize = 64 << 10;

/// The next command for a file that only a survey reads.
pub(super) const SURVEY: &str = "arcfour survey FILE";

/// A kind of file that a command reads.
struct Kind {
    name: &'static str,
    /// The next command; FILE stands for the file.
    next: &'static str,
    is: fn(&[u8]) -> bool,
}

/// The kinds, the most certain signs first.
const KINDS: [Kind; 15] = [
    Kind {
        name: "sealed file",
        next: "arcfour open --seal-key KEY FILE -o OUT",
        is: |start| start.starts_with(b"arcfour\x1a"),
    },
    Kind {
        name: "counts of keystreams",
        next: "arcfour bias show FILE single:1",
        is: |start| start.starts_with(b"arcfour counts "),
    },
    Kind {
        name: "record of a search",
        next: "arcfour find merge FILE",
        is: |start| start.starts_with(b"{\"format\":\"arcfour search "),
    },
    Kind {
        name: "RC4 states of a memory dump",
        next: "arcfour attack decrypt --state FILE IN -o OUT",
        is: |start| {
            let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let state = serde_json::from_slice::<serde_json::Value>(line);
            state.is_ok_and(|state| state["event"] == "state" && state["table"].is_string())
        },
    },
    Kind {
        name: "PDF file",
        next: "arcfour pdf inspect FILE",
        is: |start| find_header(start).is_some(),
    },
    Kind {
        name: "compound file, as of Word, Excel and PowerPoint of 97 to 2003",
        next: "arcfour office inspect FILE",
        is: |start| start.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    },
    Kind {
        name: "database of Access",
        next: "arcfour office inspect FILE",
        is: |start| {
            let engine = start.get(4..19).unwrap_or_default();
            engine == b"Standard Jet DB" || engine == b"Standard ACE DB"
        },
    },
    Kind {
        name: "file of openssl enc",
        next: "arcfour crypt --openssl -d --guess --key-file PASSPHRASE FILE -o OUT",
        is: |start| start.starts_with(b"Salted__"),
    },
    Kind {
        name: "file of openssl enc, in base64",
        next: "arcfour crypt --openssl -d --guess --key-file PASSPHRASE FILE -o OUT",
        is: |start| start.trim_ascii_start().starts_with(b"U2FsdGVkX1"),
    },
    Kind {
        name: "capture of packets",
        next: "arcfour attack wep FILE",
        is: |start| capture::read(start).is_ok(),
    },
    Kind {
        name: "core file of a process",
        next: "arcfour attack memory FILE",
        // e_type, in the byte order that e_ident says: ET_CORE is 4.
        is: |start| {
            let of_type = match start.get(5) {
                Some(1) => [4, 0],
                _ => [0, 4],
            };
            start.starts_with(b"\x7fELF") && start.get(16..18) == Some(&of_type)
        },
    },
    Kind {
        name: "memory dump of Windows or LiME",
        next: "arcfour attack memory FILE",
        is: |start| {
            let signs: [&[u8]; 4] = [b"MDMP", b"PAGEDUMP", b"PAGEDU64", b"EMiL"];
            signs.iter().any(|sign| start.starts_with(sign))
        },
    },
    Kind {
        name: "campaign of keystreams",
        next: "arcfour bias shard FILE --index 0 --output COUNTS",
        is: |start| {
            let text = String::from_utf8_lossy(start);
            let has = |word: &str| text.lines().any(|line| line.trim_start().starts_with(word));
            has("[count]") && has("seed") && has("shards")
        },
    },
    Kind {
        name: "table of published counts",
        next: "arcfour bias compare COUNTS FILE",
        is: is_table_of_counts,
    },
    Kind {
        name: "key of arcfour keygen",
        next: "arcfour seal --seal-key FILE IN -o OUT",
        is: |start| Secret::from_key_file(start).is_ok(),
    },
];

/// Returns the kind and the next command of a file that begins with `start`: its first [`START`]
/// bytes, or all. The kinds that only a survey reads come last.
pub(super) fn of(start: &[u8]) -> Option<(&'static str, &'static str)> {
    let kind = KINDS.iter().find(|kind| (kind.is)(start));
    kind.map(|kind| (kind.name, kind.next)).or_else(|| {
        // Without the name of the file, because a folder's name alone proves nothing.
        let head = &start[..start.len().min(HEAD)];
        let readers = readers::all();
        let reader = readers.iter().find(|reader| reader.recognises(Path::new(""), head));
        let name = reader.map(|reader| reader.name());
        let name = name.or_else(|| arcfour_survey::is_packed(head).then_some("archive"))?;
        Some((name, SURVEY))
    })
}

/// Returns true if the first two lines of numbers count the values 0 and 1 at position 0 or 1.
fn is_table_of_counts(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let lines =
        text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with(['%', '#']));
    let numbers = |line: &str| -> Option<Vec<u64>> {
        line.split_whitespace().map(|word| word.parse().ok()).collect()
    };
    match &lines.take(2).map(numbers).collect::<Vec<_>>()[..] {
        [Some(first), Some(second)] => {
            matches!((&first[..], &second[..]), ([0, 0, _], [0, 1, _]) | ([1, 0, _], [1, 1, _]))
        }
        _ => false,
    }
}
