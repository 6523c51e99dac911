//! The regions of a program: its sections, or the segments of a program without section headers.

use object::{Object as _, ObjectSection as _, ObjectSegment as _, SectionKind};

/// A region of a program.
pub(super) struct Region<'data> {
    pub(super) kind: SectionKind,
    pub(super) address: u64,
    pub(super) bytes: &'data [u8],
}

impl Region<'_> {
    pub(super) fn is_code(&self) -> bool {
        self.kind == SectionKind::Text
    }
}

/// Returns the regions, and false if the file ends before one of them.
pub(super) fn regions<'data>(file: &object::File<'data>) -> (Vec<Region<'data>>, bool) {
    let sections = file.sections();
    let mut all: Vec<_> =
        sections.map(|section| (section.kind(), section.address(), section.data())).collect();
    if all.is_empty() {
        // The loader needs no section headers; sstrip and packers leave them out.
        all.extend(file.segments().map(|segment| {
            let kind = match segment.permissions().executable() {
                true => SectionKind::Text,
                false => SectionKind::Data,
            };
            (kind, segment.address(), segment.data())
        }));
    }
    let whole = all.iter().all(|(.., bytes)| bytes.is_ok());
    let region = |(kind, address, bytes): (_, _, object::Result<_>)| {
        Some(Region { kind, address, bytes: bytes.ok()? })
    };
    (all.into_iter().filter_map(region).collect(), whole)
}
