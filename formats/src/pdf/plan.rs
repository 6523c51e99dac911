//! Locates every object of the table before anything is written.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter, mem,
};

use super::{
    Error,
    file::{Data, File},
    object::Object,
    references::{Handler, Seen, is_stream, reached},
    scan::Kind,
    table::Entry,
    token::{Lexer, Token},
    value::Value,
};

/// A part of the file that is not copied unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// An object. Only the newest revision of each object is in the table that is written.
    Object { number: u32, is_newest: bool },
    /// A cross-reference section.
    Section { end: u64 },
}

/// The parts in order, and the losses.
pub(super) struct Plan {
    pub(super) regions: Vec<(u64, Region)>,
    pub(super) handler: Option<Handler>,
    /// The highest number that an object in an object stream refers to.
    pub(super) highest: u32,
    /// Descriptions of the parts that could not be read or were repaired.
    pub(super) lost: Option<String>,
}

/// The expected place of a section or an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    at: u64,
    /// Sections come first, then objects of the newest revision.
    rank: u8,
    number: u32,
    generation: u16,
    end: u64,
}

const SECTION: u8 = 0;
const NEWEST: u8 = 1;
const OLDER: u8 = 2;

impl Plan {
    /// Looks for every object, and removes missing objects from the table.
    ///
    /// # Errors
    /// [`Error::Incomplete`] if the trailer leads to a missing or faulty object, and the file is
    /// not to be repaired.
    pub(super) fn new(file: &mut File) -> Result<Self, Error> {
        if file.table.is_rebuilt {
            super::rebuild::open_object_streams(file)?;
        }
        if has_too_large_integer(&file.table.trailer) {
            return Err(Error::Incomplete(
                "its trailer has a number of more than 64 bits".to_owned(),
            ));
        }
        // The new section replaces the existing cross-reference streams.
        let candidates = candidates(file);
        let mut bad = BTreeMap::new();
        let mut mended = BTreeMap::new();
        let mut seen = Seen::of(&file.table.trailer);
        let regions = regions(file, &candidates, &mut bad, &mut mended, &mut seen)?;
        let highest = compressed(file, &mut bad, &mut mended, &mut seen)?;
        let handler = seen.handler;
        file.attachments = seen.attachments(file)?;
        let mut lost = None;
        if !bad.is_empty() || !mended.is_empty() {
            let reached = reached(file)?;
            let is_reached = |(number, _): &(&u32, &String)| reached.contains(number);
            let mut found = bad.iter().chain(&mended).filter(is_reached);
            if let Some((number, why)) = found.next() {
                let more = found.count();
                let what = match why.starts_with("object stream") {
                    true => format!("object {number}: {why}"),
                    false => format!("object {number} {why}"),
                };
                lost = Some(match more {
                    0 => what,
                    _ => format!("{what}, and {more} more have faults"),
                });
            }
            for number in bad.keys() {
                file.table.entries.remove(number);
            }
        }
        let is_lost = |(_, region): &(u64, Region)| match region {
            Region::Object { number, is_newest: true } => !bad.contains_key(number),
            _ => true,
        };
        let regions = regions.into_iter().filter(is_lost).collect();
        if let Some(lost) = lost.as_ref().filter(|_| !file.repairs) {
            return Err(Error::Incomplete(lost.clone()));
        }
        let root = Value::of(&file.table.trailer).get("Root");
        let number = root.reference().map(|(number, _)| number);
        let is_encrypt = number.is_some() && number == handler.map(|handler| handler.number);
        if is_encrypt || is_stream(file, &root)? || file.resolve(root)?.kind() != Kind::Dictionary {
            return Err(Error::Damaged("it has no catalog: Root is not a dictionary".to_owned()));
        }
        Ok(Self { regions, handler, highest, lost })
    }
}

/// Returns true if an integer is too large for 64 bits. Other readers refuse such a trailer.
fn has_too_large_integer(trailer: &[u8]) -> bool {
    let mut lexer = Lexer::new(trailer, 0);
    loop {
        match lexer.next() {
            (Token::End, _) => return false,
            (Token::Word, at) if trailer[at..lexer.at].iter().all(u8::is_ascii_digit) => {
                return true;
            }
            _ => {}
        }
    }
}

fn candidates(file: &mut File) -> Vec<Candidate> {
    let table = &mut file.table;
    let sections = table.sections.iter().map(|section| Candidate {
        at: section.start,
        rank: SECTION,
        number: 0,
        generation: 0,
        end: section.end,
    });
    let newest = table.entries.iter().filter_map(|(&number, entry)| match *entry {
        Entry::At { at, generation } => {
            Some(Candidate { at, rank: NEWEST, number, generation, end: 0 })
        }
        _ => None,
    });
    let older = table.older.iter().map(|&(at, number, generation)| Candidate {
        at,
        rank: OLDER,
        number,
        generation,
        end: 0,
    });
    let mut all: Vec<_> = sections.chain(newest).chain(older).collect();
    all.sort_unstable();
    all
}

/// Returns the parts found, without overlaps.
fn regions(
    file: &mut File,
    candidates: &[Candidate],
    bad: &mut BTreeMap<u32, String>,
    mended: &mut BTreeMap<u32, String>,
    seen: &mut Seen,
) -> Result<Vec<(u64, Region)>, Error> {
    let mut regions: Vec<(u64, Region)> = vec![];
    let mut free_from = 0;
    let mut section_end = 0;
    for (candidate, next) in iter::zip(candidates, next_in_use(candidates)) {
        let &Candidate { at, rank, number, generation, end } = candidate;
        if rank == SECTION {
            if at >= free_from {
                regions.push((at, Region::Section { end }));
                (free_from, section_end) = (end, end);
            }
            continue;
        }
        let is_newest = rank == NEWEST;
        let found = match file.object_at(at, seen.handler.is_some()) {
            // A cross-reference stream is written anew.
            Ok(object) if object.number == number && object.at < section_end => {
                if is_newest {
                    file.table.entries.remove(&number);
                }
                continue;
            }
            Ok(object) if (object.number, object.generation) != (number, generation) => {
                Err(Error::Incomplete("is not where the table says".to_owned()))
            }
            Ok(object) if object.at < free_from => {
                Err(Error::Incomplete("overlaps another".to_owned()))
            }
            Ok(object) => examine(file, &object).map(|data| (object, data)),
            Err(error) => Err(error),
        };
        let (object, data) = match found {
            Ok(found) => found,
            Err(Error::Incomplete(why)) => {
                if is_newest {
                    bad.insert(number, why);
                }
                continue;
            }
            Err(error) => return Err(error),
        };
        let fault = match data {
            Some(Data { is_wrong: true, .. }) => {
                Some("has a stream of another Length than it says")
            }
            _ => object.fault,
        };
        let end = object.end() + data.map_or(0, |data| data.len);
        if !is_newest && (fault.is_some() || next < end) {
            continue; // it is unused and stays as it is
        }
        if let Some(fault) = fault {
            match file.repairs {
                true => mended.insert(number, fault.to_owned()),
                false => bad.insert(number, fault.to_owned()),
            };
        }
        regions.push((object.at, Region::Object { number, is_newest }));
        if is_newest {
            seen.see(number, &object.scan);
            let entry = Entry::At { at: object.at, generation };
            file.table.entries.insert(number, entry);
        }
        free_from = end;
    }
    Ok(regions)
}

/// For each candidate, the start of the next one in use, or the largest number if there is no next.
fn next_in_use(candidates: &[Candidate]) -> Vec<u64> {
    let mut next = u64::MAX;
    let mut places: Vec<u64> = candidates
        .iter()
        .rev()
        .map(|candidate| match candidate.rank {
            OLDER => next,
            _ => mem::replace(&mut next, candidate.at),
        })
        .collect();
    places.reverse();
    places
}

/// Returns the place of a stream's data, after checking that the data can be decrypted.
fn examine(file: &mut File, object: &Object) -> Result<Option<Data>, Error> {
    if !object.is_stream {
        return Ok(None);
    }
    let data = file.data(object)?;
    file.cipher_of(object)?;
    Ok(Some(data))
}

/// Looks for the objects in object streams. Returns the highest number that they refer to.
fn compressed(
    file: &mut File,
    bad: &mut BTreeMap<u32, String>,
    mended: &mut BTreeMap<u32, String>,
    seen: &mut Seen,
) -> Result<u32, Error> {
    let mut highest = 0;
    let mut all: Vec<(u32, u32)> = vec![];
    for (&number, entry) in &file.table.entries {
        if let Entry::In { container, .. } = *entry {
            all.push((container, number));
        }
    }
    all.sort_unstable();
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        let container = group[0].0;
        let (mut there, mut faults) = (BTreeSet::new(), vec![]);
        let opened = file.container(container).and_then(|container| {
            container.each(true, |number, scan| {
                let Some(scan) = scan else { return };
                there.insert(number);
                faults.extend(scan.fault.map(|fault| (number, fault)));
                highest = scan.references.iter().fold(highest, |highest, id| highest.max(id.0));
                seen.see(number, &scan);
            })
        });
        let why = match opened {
            Ok(()) => format!("object stream {container}: it does not have this object"),
            Err(Error::Incomplete(why)) => why,
            Err(error) => return Err(error),
        };
        for (_, number) in group.iter().filter(|(_, number)| !there.contains(number)) {
            bad.insert(*number, why.clone());
        }
        let is_used = |number| group.binary_search(&(container, number)).is_ok();
        for (number, fault) in faults.into_iter().filter(|(number, _)| is_used(*number)) {
            let faulty = if file.repairs { &mut *mended } else { &mut *bad };
            faulty.insert(number, fault.to_owned());
        }
    }
    Ok(highest)
}
