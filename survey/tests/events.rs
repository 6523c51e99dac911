//! Windows event logs that are whole, cut and damaged.

use std::{io::Cursor, path::Path};

use arcfour_survey::{Input, Options, Outcome, look};

const HEADER: usize = 4096;
const CHUNK: usize = 65_536;

/// An element of an event, in binary XML: its name, the attribute Name, and its content.
struct Element<'a>(&'a str, Option<&'a str>, Content<'a>);

enum Content<'a> {
    Text(&'a str),
    Elements(Vec<Element<'a>>),
}

fn utf16(text: &str) -> impl Iterator<Item = u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes)
}

/// Binary XML within a chunk. A name stands where it is first used, and is found by its offset.
struct Chunk(Vec<u8>);

impl Chunk {
    fn name(&mut self, name: &str) {
        let at = self.0.len() as u32 + 4;
        self.0.extend(at.to_le_bytes());
        self.0.extend([0; 6]); // the next name of the same hash, and the hash
        self.0.extend((name.len() as u16).to_le_bytes());
        self.0.extend(utf16(name).chain([0, 0]));
    }

    fn text(&mut self, text: &str) {
        self.0.extend([5, 1]);
        self.0.extend((text.len() as u16).to_le_bytes());
        self.0.extend(utf16(text));
    }

    fn element(&mut self, Element(name, attribute, content): &Element<'_>) {
        self.0.push(if attribute.is_some() { 0x41 } else { 1 });
        self.0.extend([0; 4]); // its size, which is not read
        self.name(name);
        if let Some(value) = attribute {
            self.0.extend([0; 4]);
            self.0.push(6);
            self.name("Name");
            self.text(value);
        }
        self.0.push(2);
        match content {
            Content::Text(text) => self.text(text),
            Content::Elements(elements) => elements.iter().for_each(|one| self.element(one)),
        }
        self.0.push(4);
    }

    /// Adds a record with one event.
    fn record(&mut self, number: u64, event: &Element<'_>) {
        let start = self.0.len();
        self.0.extend([b'*', b'*', 0, 0, 0, 0, 0, 0]);
        self.0.extend(number.to_le_bytes());
        self.0.extend((1_u64 << 56).to_le_bytes()); // the time
        self.0.extend([0x0f, 1, 1, 0]);
        self.element(event);
        self.0.push(0);
        let size = (self.0.len() - start + 4) as u32;
        self.0.extend(size.to_le_bytes());
        self.0[start + 4..start + 8].copy_from_slice(&size.to_le_bytes());
    }
}

/// A ticket for `service`, issued with the encryption type `etype`.
fn ticket<'a>(service: &'a str, etype: &'a str) -> Element<'a> {
    let text = |name, text| Element(name, None, Content::Text(text));
    let data = |name, text| Element("Data", Some(name), Content::Text(text));
    let elements = |name, elements| Element(name, None, Content::Elements(elements));
    let provider =
        Element("Provider", Some("Microsoft-Windows-Security-Auditing"), Content::Text(""));
    elements(
        "Event",
        vec![
            elements(
                "System",
                vec![provider, text("EventID", "4769"), text("Channel", "Security")],
            ),
            elements(
                "EventData",
                vec![data("ServiceName", service), data("TicketEncryptionType", etype)],
            ),
        ],
    )
}

/// A log with a chunk for each list of services, which all get tickets with RC4. Returns the end of
/// the last record too.
fn log(chunks: &[&[&str]]) -> (Vec<u8>, usize) {
    let mut file = b"ElfFile\0".to_vec();
    file.resize(HEADER, 0);
    file[32..36].copy_from_slice(&128_u32.to_le_bytes());
    file[36..44].copy_from_slice(&[1, 0, 3, 0, 0, 16, chunks.len() as u8, 0]);
    let (mut number, mut end) = (1, 0);
    for services in chunks {
        let first = number;
        let mut chunk = Chunk(vec![0; 512]);
        let mut last = 512;
        for service in *services {
            last = chunk.0.len() as u32;
            chunk.record(number, &ticket(service, "0x17"));
            number += 1;
        }
        end = file.len() + chunk.0.len();
        let free = chunk.0.len() as u32;
        chunk.0[..8].copy_from_slice(b"ElfChnk\0");
        for (at, id) in [(8, first), (16, number - 1), (24, first), (32, number - 1)] {
            chunk.0[at..at + 8].copy_from_slice(&id.to_le_bytes());
        }
        for (at, word) in [(40, 128), (44, last), (48, free)] {
            chunk.0[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        chunk.0.resize(CHUNK, 0);
        file.extend(chunk.0);
    }
    (file, end)
}

/// The account of each finding, and the reasons for which the log was not read to its end.
fn read(log: &[u8]) -> (Vec<String>, Vec<String>) {
    let mut source = Cursor::new(log);
    let path = Path::new("Security.evtx");
    let Outcome { findings, unread, .. } =
        look(path, Input::new(path, &mut source).unwrap(), &Options::default());
    let account = |one: &arcfour_survey::Finding| one.fact("account").unwrap().to_owned();
    (findings.iter().map(account).collect(), unread.into_iter().map(|(_, why)| why).collect())
}

#[test]
fn a_finding_names_the_account_of_its_remedy() {
    let mut source = Cursor::new(log(&[&["web$"]]).0);
    let path = Path::new("Security.evtx");
    let outcome = look(path, Input::new(path, &mut source).unwrap(), &Options::default());
    let [finding] = &outcome.findings[..] else { panic!("{outcome:?}") };
    assert_eq!(finding.evidence, "event 4769, web$: ticket: arcfour-hmac");
    assert_eq!(finding.place.within.as_deref(), Some("record 1"));
}

#[test]
fn the_whole_records_of_a_cut_log_are_read() {
    let (whole, end) = log(&[&["a"], &["b", "c"]]);
    assert_eq!(read(&whole), (vec!["a".into(), "b".into(), "c".into()], vec![]));
    for (size, accounts) in [
        (whole.len() - 1, &["a", "b", "c"][..]),
        (end, &["a", "b", "c"]),
        (end - 30, &["a", "b"]),
        (HEADER + CHUNK + 512, &["a"]),
        (HEADER + CHUNK + 1, &["a"]),
    ] {
        let (found, why) = read(&whole[..size]);
        assert_eq!(found, accounts, "{size}");
        assert!(why[0].starts_with("event log: it ends within a chunk of 65536 bytes"), "{why:?}");
    }
    let lost = "event log: its header counts 2 chunks, and it has 1".to_owned();
    assert_eq!(read(&whole[..HEADER + CHUNK]), (vec!["a".into()], vec![lost]));
}

/// Windows gives a log chunks before it needs them, and counts them later.
#[test]
fn a_log_in_use_is_whole() {
    let (mut whole, _) = log(&[&["a"], &["b"]]);
    whole[42] = 1;
    assert_eq!(read(&whole), (vec!["a".into(), "b".into()], vec![]));
    whole.resize(whole.len() + 14 * CHUNK, 0);
    assert_eq!(read(&whole), (vec!["a".into(), "b".into()], vec![]));
}

#[test]
fn damage_is_told_with_its_cause_and_number() {
    let (mut whole, _) = log(&[&["a"], &["b"], &["c"]]);
    whole[HEADER] = b'e';
    whole[HEADER + CHUNK] = b'e';
    let (found, why) = read(&whole);
    assert_eq!(found, ["c"]);
    let [why] = &why[..] else { panic!("{why:?}") };
    assert!(why.contains("chunk number 0: ") && why.ends_with("; 2 faults in all"), "{why}");
}
