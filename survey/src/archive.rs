//! Reads the members of archives: ZIP, tar, and files compressed with gzip.

use std::io::{self, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
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

/// The decision on a member.
pub(crate) enum Seen {
    Whole(Member),
    /// Skip the member, with the reason.
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
        let read = head.and_then(|_| match (self.wanted)(&name, &bytes) {
            true => Read::take(&mut from, most.saturating_sub(bytes.len() as u64) + 1)
                .read_to_end(&mut bytes)
                .map(|_| true),
            false => Ok(false),
        });
        self.left = self.left.saturating_sub(bytes.len() as u64);
        let seen = match read {
            Ok(false) => return Ok(()),
            Ok(true) if bytes.len() as u64 > most && most == MEMBER => Seen::Unread(
                name,
                ReadError::Damaged(format!(
                    "it has more than the {MEMBER} bytes that are read of a member"
                )),
            ),
            Ok(true) if bytes.len() as u64 > most => return Err(too_large(self.all)),
            Ok(true) => Seen::Whole(Member { name, bytes: Cursor::new(bytes) }),
            Err(error) => Seen::Unread(name, error.into()),
        };
        (self.each)(seen);
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
        let (name, encrypted, is_file) = {
            let member = archive.by_index_raw(n).map_err(damaged)?;
            let name = member.name().map_err(damaged)?.into_owned();
            (PathBuf::from(name), member.encrypted(), member.is_file())
        };
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
    if archive.len() > MEMBERS { Err(too_many()) } else { Ok(()) }
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
    let mut unpacked = MultiGzDecoder::new(io::BufReader::new(input));
    let mut head = Vec::new();
    Read::take(&mut unpacked, HEAD as u64).read_to_end(&mut head)?;
    let is_tar = kind(&head) == Some(Kind::Tar);
    let whole = Cursor::new(head).chain(unpacked);
    // Skipped members of a compressed archive are unpacked too.
    if is_tar { tar(Bounded::new(whole, taker.all), taker) } else { taker.take(name, whole) }
}
