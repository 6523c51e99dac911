//! Reads the members of archives: ZIP, tar, and files compressed with gzip.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use tar::EntryType;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::input::Input;
use crate::packing::{Kind, kind};
use crate::readers::{HEAD, ReadError};

/// The maximum size of a member, in bytes.
const MEMBER: u64 = 256 << 20;
/// The maximum number of members of one archive.
const MEMBERS: usize = 1_000_000;

/// A member of an archive, in memory.
pub(crate) struct Member {
    /// Its name.
    pub(crate) name: PathBuf,
    /// Its bytes.
    pub(crate) bytes: Cursor<Vec<u8>>,
}

/// What became of a member.
pub(crate) enum Seen {
    Member(Member),
    /// It was not read to its end, for this reason.
    Unread(PathBuf, ReadError),
}

/// Reads a member if `wanted` accepts its name and first bytes.
struct Taker<'a> {
    /// Number of bytes that may be unpacked from the archive, and of those that still may.
    all: u64,
    left: u64,
    wanted: &'a dyn Fn(&Path, &[u8]) -> bool,
    each: &'a mut dyn FnMut(Seen),
}

impl Taker<'_> {
    fn take(&mut self, name: PathBuf, mut from: impl Read) -> Result<(), ReadError> {
        let mut bytes = Vec::new();
        let most = MEMBER.min(self.left);
        let head = Read::take(&mut from, HEAD as u64).read_to_end(&mut bytes);
        let wanted = (self.wanted)(&name, &bytes);
        let read = head.and_then(|_| match wanted {
            true => Read::take(&mut from, most.saturating_sub(bytes.len() as u64) + 1)
                .read_to_end(&mut bytes),
            false => Ok(0),
        });
        let size = bytes.len() as u64;
        self.left = self.left.saturating_sub(size);
        let member = |bytes| Seen::Member(Member { name: name.clone(), bytes: Cursor::new(bytes) });
        match read {
            Ok(_) if !wanted => {}
            Ok(_) if size > most && most == MEMBER => (self.each)(Seen::Unread(
                name,
                ReadError::Damaged(format!(
                    "it has more than the {MEMBER} bytes that are read of a member"
                )),
            )),
            Ok(_) if size > most => return Err(too_large(self.all)),
            Ok(_) => (self.each)(member(bytes)),
            Err(error) => {
                // The bytes before the damage may show enough.
                if wanted && size > 0 {
                    (self.each)(member(bytes));
                }
                (self.each)(Seen::Unread(name, error.into()));
            }
        }
        Ok(())
    }
}

fn too_large(all: u64) -> ReadError {
    ReadError::Damaged(format!(
        "its members have more than {all} bytes, the most that are read of an archive"
    ))
}

/// Calls `each` with every member of the archive `name` whose name and first bytes `wanted`
/// accepts. At most `all` bytes are unpacked.
pub(crate) fn members(
    kind: Kind,
    name: &Path,
    input: &mut Input<'_>,
    all: u64,
    wanted: &dyn Fn(&Path, &[u8]) -> bool,
    each: &mut dyn FnMut(Seen),
) -> Result<(), ReadError> {
    input.rewind()?;
    let mut taker = Taker { all, left: all, wanted, each };
    match kind {
        Kind::Zip => zip(input, &mut taker),
        Kind::Tar => tar(input, &mut taker),
        Kind::Gzip => gzip(name, input, &mut taker),
    }
}

/// A source that fails once it has given more than `all` bytes.
struct Bounded<R> {
    from: R,
    all: u64,
    left: u64,
}

impl<R: Read> Bounded<R> {
    fn new(from: R, all: u64) -> Self {
        Self { from, all, left: all }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        let left = self.left.checked_sub(read as u64);
        self.left = left.ok_or_else(|| io::Error::other(too_large(self.all).to_string()))?;
        Ok(read)
    }
}

fn too_many() -> ReadError {
    ReadError::Damaged(format!(
        "it has more than {MEMBERS} members, the most that are read of an archive"
    ))
}

fn zip(input: &mut Input<'_>, taker: &mut Taker<'_>) -> Result<(), ReadError> {
    let damaged = |error: ZipError| match error {
        ZipError::Io(error) => ReadError::Io(error),
        other => ReadError::Damaged(other.to_string()),
    };
    let mut archive = ZipArchive::new(input).map_err(damaged)?;
    for n in 0..archive.len().min(MEMBERS) {
        let member = archive.by_index_data(n).map_err(damaged)?;
        let name = member.name().map_or_else(
            |_| String::from_utf8_lossy(member.name_raw()).into_owned(),
            Cow::into_owned,
        );
        let (name, encrypted, is_file) =
            (PathBuf::from(name), member.encrypted(), member.is_file());
        if !is_file {
            continue;
        }
        if encrypted {
            (taker.each)(Seen::Unread(
                name,
                ReadError::Damaged("it is encrypted in the archive".to_owned()),
            ));
            continue;
        }
        match archive.by_index(n) {
            Ok(member) => taker.take(name, member)?,
            Err(error) => (taker.each)(Seen::Unread(name, damaged(error))),
        }
    }
    match archive.has_duplicate_names() {
        _ if archive.len() > MEMBERS => Err(too_many()),
        true => Err(ReadError::Damaged(
            "several members have one name, and only the last of them is read".to_owned(),
        )),
        false => Ok(()),
    }
}

fn tar(from: impl Read, taker: &mut Taker<'_>) -> Result<(), ReadError> {
    let mut archive = tar::Archive::new(from);
    for (n, member) in archive.entries()?.enumerate() {
        let member = member?;
        if n == MEMBERS {
            return Err(too_many());
        }
        let kind = member.header().entry_type();
        if matches!(kind, EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse) {
            let name = member.path()?.into_owned();
            taker.take(name, member)?;
        }
    }
    Ok(())
}

/// A tar archive in gzip is one archive; another file in gzip is the only member.
fn gzip(name: &Path, input: &mut Input<'_>, taker: &mut Taker<'_>) -> Result<(), ReadError> {
    let name = name.file_stem().map(PathBuf::from).unwrap_or_default();
    let mut unpacked = Unpacked(Some(GzDecoder::new(BufReader::new(input))));
    let mut head = Vec::new();
    let read = Read::take(&mut unpacked, HEAD as u64).read_to_end(&mut head);
    let is_tar = kind(&head) == Some(Kind::Tar);
    let whole = Cursor::new(head).chain(Failed(read.err())).chain(unpacked);
    // Skipped members of a compressed archive are unpacked too.
    if is_tar { tar(Bounded::new(whole, taker.all), taker) } else { taker.take(name, whole) }
}

/// A source that fails once.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// The contents of a gzip file, whose parts are compressed one by one. Zeros after a part fill a
/// block of a tape. GNU gzip leaves them out too.
struct Unpacked<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(mut part) = self.0.take() {
            let read = part.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                self.0 = Some(part);
                return Ok(read);
            }
            let mut rest = part.into_inner();
            while let zeros @ 1.. = rest.fill_buf()?.iter().take_while(|byte| **byte == 0).count() {
                rest.consume(zeros);
            }
            if !rest.fill_buf()?.is_empty() {
                self.0 = Some(GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}
