//! Sealed files. Only the test kit's writer has sealed anything under its key. So a comparison with
//! its chunks gives the bytes released, and every verdict, of a file and of a range.
#![cfg_attr(not(test), no_main)]

use std::{
    collections::HashMap,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Cursor, Read, Seek, SeekFrom},
    ops::Range,
    path::Path,
    sync::LazyLock,
};

use arcfour_container::{Error, HEADER_LEN, Header, KeyKind, Opener, Secret};

const WORD: usize = 4;
const TAG: usize = 32;
const LAST: u32 = 1 << 31;

/// A chunk that was sealed, with the place and the word it was sealed for.
struct Chunk {
    index: u64,
    word: u32,
    /// Ciphertext and tag.
    body: Vec<u8>,
    text: Vec<u8>,
}

struct Kit {
    secret: Secret,
    /// All that was ever sealed, by the header it was sealed under.
    sealed: HashMap<Vec<u8>, Vec<Chunk>>,
}

static KIT: LazyLock<Kit> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../container/testkit");
    let read = |name: &str| fs::read(folder.join(name)).expect(name);
    let mut sealed = HashMap::<_, Vec<_>>::new();
    for entry in fs::read_dir(&folder).expect("the test kit") {
        let name = entry.expect("a file").file_name().into_string().expect("a name in ASCII");
        // In these every chunk is as it was sealed.
        if name.ends_with(".sealed") && (name.starts_with("valid-") || name.starts_with("written-"))
        {
            let file = read(&name);
            sealed.entry(file[..HEADER_LEN].to_vec()).or_default().extend(chunks(&file));
        }
    }
    // A chunk of a file that is not there as a whole.
    let header = read("header-of-another-file.sealed")[..HEADER_LEN].to_vec();
    let mixed = chunks(&read("chunk-1-of-another-file.sealed"));
    sealed.insert(header, mixed.into_iter().filter(|chunk| chunk.index == 1).collect());
    Kit { secret: Secret::from_key_file(&read("key")).expect("the kit's key"), sealed }
});

/// The chunks of a file that has them one after the other. Its text is painted modulo 251.
fn chunks(file: &[u8]) -> Vec<Chunk> {
    let (mut rest, mut at, mut chunks) = (&file[HEADER_LEN..], 0, vec![]);
    while let Some((word, after)) = rest.split_first_chunk() {
        let word = u32::from_le_bytes(*word);
        let len = (word & !LAST) as usize;
        let (body, after) = after.split_at(len + TAG);
        let text = (at..at + len).map(|n| (n % 251) as u8).collect();
        chunks.push(Chunk { index: chunks.len() as u64, word, body: body.to_vec(), text });
        (rest, at) = (after, at + len);
    }
    chunks
}

arcfour_fuzz::target!(|file: &[u8]| {
    let all = || Opener::new(file, &KIT.secret);
    assert_eq!(opened(all), expected(file, None));

    let (start, len) = range(file);
    // Few hashes draw the empty range, which has a special rule.
    let nothing = || Opener::range(Cursor::new(file), &KIT.secret, start, 0);
    assert_eq!(opened(nothing), expected(file, Some((start, 0))), "{start}:0");
    let part = || Opener::range(Cursor::new(file), &KIT.secret, start, len);
    let honest = expected(file, Some((start, len)));
    assert_eq!(opened(part), honest, "{start}:{len}");

    // Whatever length an input claims, the bytes accepted as whole are the sealed bytes.
    let lie = (hash(file) % 4096) as i64 - 2048;
    let liar = || Opener::range(Liar(Cursor::new(file), lie), &KIT.secret, start, len);
    let (released, verdict) = opened(liar);
    if verdict == "ok" {
        assert!(released.len() as u64 == len, "{start}:{len}, {lie}: a short answer");
        assert!(honest.1 != "ok" || released == honest.0, "{start}:{len}, {lie}");
    }
});

fn hash(file: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    file.hash(&mut hasher);
    hasher.finish()
}

/// Says that it is longer or shorter than it is, and gives a few bytes at a time.
struct Liar<'a>(Cursor<&'a [u8]>, i64);

impl Read for Liar<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let len = room.len().min(333);
        self.0.read(&mut room[..len])
    }
}

impl Seek for Liar<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = self.0.seek(to)?;
        let lie = if let SeekFrom::End(_) = to { self.1 } else { 0 };
        Ok(position.saturating_add_signed(lie))
    }
}

/// A range about as long as the file, drawn from its hash.
fn range(file: &[u8]) -> (u64, u64) {
    let hash = hash(file);
    let most = file.len() as u64 + 2;
    match hash >> 60 {
        0 => (hash, hash % most),
        1 => (hash % most, hash),
        _ => (hash % most, (hash >> 20) % most),
    }
}

/// What the reader under test releases, and its verdict.
fn opened<R: Read>(open: impl FnOnce() -> Result<Opener<R>, Error>) -> (Vec<u8>, &'static str) {
    let mut released = vec![];
    let result = open().and_then(|mut opener| {
        while let Some(piece) = opener.next_piece()? {
            released.extend_from_slice(piece);
        }
        Ok(())
    });
    let verdict = match result {
        Ok(()) => "ok",
        Err(Error::Fault(fault)) => fault.name(),
        Err(Error::Range { .. }) => "range",
        Err(error) => panic!("{error}"),
    };
    (released, verdict)
}

/// The same by FORMAT.md and by who sealed what.
fn expected(file: &[u8], range: Option<(u64, u64)>) -> (Vec<u8>, &'static str) {
    let start = &file[..file.len().min(HEADER_LEN)];
    let header = match Header::parse(start) {
        Ok(Header { key: KeyKind::Passphrase(_), .. }) => return (vec![], "other-key-kind"),
        Ok(header) => header,
        Err(fault) => return (vec![], fault.name()),
    };
    let Some(sealed) = KIT.sealed.get(start) else { return (vec![], "key-or-header") };
    let size = header.chunk_size.bytes();
    let Some((start, len)) = range else { return walk(file, size, sealed, 0..u64::MAX) };

    let (chunk, frame) = (size as u64, size + WORD + TAG);
    let body = file.len() - HEADER_LEN;
    let frames = body.div_ceil(frame);
    let last = body - frames.saturating_sub(1) * frame;
    let possible = last >= WORD + TAG + usize::from(frames > 1);
    let plain = possible.then(|| (body - frames * (WORD + TAG)) as u64);
    match start.checked_add(len).filter(|&end| plain.is_some_and(|plain| end <= plain)) {
        Some(_) if len == 0 => {
            // Nothing is released; the chunk with the place is verified, at the end the last one.
            let place = (start / chunk).min(frames.saturating_sub(1) as u64);
            (vec![], walk(file, size, sealed, place..place + 1).1)
        }
        Some(end) => {
            let (text, verdict) = walk(file, size, sealed, start / chunk..end.div_ceil(chunk));
            let wanted = text.into_iter().skip((start % chunk) as usize).take(len as usize);
            (wanted.collect(), verdict)
        }
        None => {
            let (_, verdict) = walk(file, size, sealed, frames.saturating_sub(1) as u64..u64::MAX);
            (vec![], if verdict == "ok" { "range" } else { verdict })
        }
    }
}

/// Reads chunk after chunk and stops after the last, or with a fault.
fn walk(file: &[u8], size: usize, sealed: &[Chunk], places: Range<u64>) -> (Vec<u8>, &'static str) {
    let mut released = vec![];
    for place in places {
        let frame = file.get(HEADER_LEN + place as usize * (size + WORD + TAG)..).unwrap_or(&[]);
        let Some((word, rest)) = frame.split_first_chunk() else { return (released, "truncated") };
        let word = u32::from_le_bytes(*word);
        let (len, last) = ((word & !LAST) as usize, word & LAST != 0);
        let fits = if last { len <= size && (len > 0 || place == 0) } else { len == size };
        if !fits {
            return (released, "chunk-length");
        }
        let Some((body, after)) = rest.split_at_checked(len + TAG) else {
            return (released, "truncated");
        };
        let found = |place: &dyn Fn(u64) -> bool, word| {
            let fits = |chunk: &&Chunk| place(chunk.index) && chunk.word == word;
            sealed.iter().filter(fits).find(|chunk| chunk.body == body)
        };
        match found(&|index| index == place, word) {
            Some(_) if last && !after.is_empty() => return (released, "trailing-data"),
            Some(chunk) => released.extend_from_slice(&chunk.text),
            None if found(&|index| index == place, word ^ LAST).is_some() => {
                return (released, "final-flag");
            }
            None if found(&|index| index < place, word).is_some() => return (released, "repeated"),
            None if found(&|index| index > place, word).is_some() => {
                return (released, "out-of-order");
            }
            None => return (released, "corrupt"),
        }
        if last {
            break;
        }
    }
    (released, "ok")
}
