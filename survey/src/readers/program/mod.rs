//! Programs and libraries: the names by which they use RC4, and RC4 in their machine code.

mod arm64;
mod names;
mod symbolic;
mod walk;
mod x86;

use std::path::Path;

use object::{
    Architecture, FileKind, Object as _, ObjectSection as _, SectionKind,
    read::{
        archive::ArchiveFile,
        macho::{FatArch as _, MachOFatFile32},
    },
};

pub use self::{
    names::{How, Name},
    symbolic::Part,
    walk::Seen,
};

use super::{ReadError, Reader};
use crate::{Finding, Input, RuleId, input};

const IMPORTS: RuleId = RuleId::new("program-imports");
const EXPORTS: RuleId = RuleId::new("program-exports");
const ASKS: RuleId = RuleId::new("program-asks");
const CODE: RuleId = RuleId::new("program-code");

/// The reader of programs.
#[derive(Debug)]
pub struct Programs;

/// Limit of the size of a program, which is read whole.
const LIMIT: u64 = 1 << 30;

impl Reader for Programs {
    fn name(&self) -> &'static str {
        "program"
    }

    fn recognises(&self, _: &Path, head: &[u8]) -> bool {
        is_program(head) && !super::memory::is_core(head)
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let bytes = input.all(LIMIT)?;
        let stopped = input.stopped();
        let programs = match read(&bytes, &stopped) {
            Ok(programs) => programs,
            // DOS programs, linker scripts and other files begin with the same bytes.
            Err(Fault::Format) => return Ok(()),
            Err(fault) => return Err(ReadError::Damaged(fault.to_string())),
        };
        let mut unseen = None;
        for program in programs {
            unseen = unseen.or(program.unseen);
            let place =
                program.member.as_ref().map_or_else(|| input.place(), |member| input.at(member));
            for (how, rule, verb) in [
                (How::Imports, IMPORTS, "imports"),
                (How::Exports, EXPORTS, "exports"),
                (How::AsksFor, ASKS, "asks for"),
                (How::Contains, CODE, "contains"),
            ] {
                let names: Vec<&str> = program
                    .names
                    .iter()
                    .filter(|name| name.how == how)
                    .map(|name| name.name.as_str())
                    .collect();
                let library =
                    program.names.iter().find(|name| name.how == how).map(|name| name.library);
                if let Some(library) = library {
                    let evidence = format!("{verb} {}", names.join(", "));
                    found(Finding::new(rule, place.clone(), evidence).with("library", library));
                }
            }
            if let Some(first) = program.code.first() {
                let mut parts: Vec<&str> =
                    program.code.iter().map(|seen| seen.part.name()).collect();
                parts.sort_unstable();
                parts.dedup();
                let evidence = format!(
                    "{} in machine code, first at {:#x}",
                    parts.join(" and "),
                    first.address
                );
                found(Finding::new(CODE, place, evidence).times(program.code.len() as u64));
            }
        }
        if stopped() {
            return Err(input::stopped().into());
        }
        unseen.map_or(Ok(()), |what| Err(ReadError::Unseen(what.to_owned())))
    }
}

/// Errors of programs.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The file begins like no known format.
    #[error("the file is no ELF, PE, COFF or Mach-O program, nor an archive of them")]
    Format,
    /// The tables of the file are damaged.
    #[error("the tables of the program are damaged: {0}")]
    Damaged(object::read::Error),
}

/// The RC4 found in a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The member of an archive, or the processor in a file for several.
    pub member: Option<String>,
    /// Functions and constants that mean RC4.
    pub names: Vec<Name>,
    /// The cipher itself, in machine code.
    pub code: Vec<Seen>,
    /// The reason for which code was not examined: an unknown processor, or too many loops.
    pub unseen: Option<&'static str>,
}

/// The first bytes of programs.
pub fn is_program(head: &[u8]) -> bool {
    const FIRST: &[&[u8]] = &[
        b"\x7fELF",
        b"MZ",
        b"!<arch>\n",
        &[0xfe, 0xed, 0xfa, 0xce],
        &[0xfe, 0xed, 0xfa, 0xcf],
        &[0xce, 0xfa, 0xed, 0xfe],
        &[0xcf, 0xfa, 0xed, 0xfe],
        &[0xca, 0xfe, 0xba, 0xbe],
    ];
    // Java's class files begin like Mach-O for several processors. Their version number exceeds any
    // number of processors.
    let java = head.starts_with(&[0xca, 0xfe, 0xba, 0xbe])
        && head.get(7).is_some_and(|count| *count >= 40);
    !java && FIRST.iter().any(|first| head.starts_with(first))
}

/// Reads a program, a library, or an archive of objects. Returns only parts with RC4 or with code
/// that was not examined. The search in machine code ends soon after `stopped` is true.
///
/// # Errors
/// If the file has another format, or its tables are damaged. A damaged member of an archive is
/// skipped.
pub fn read(data: &[u8], stopped: &dyn Fn() -> bool) -> Result<Vec<Program>, Fault> {
    let mut found = Vec::new();
    match FileKind::parse(data).map_err(|_| Fault::Format)? {
        FileKind::Archive => {
            let archive = ArchiveFile::parse(data).map_err(Fault::Damaged)?;
            for member in archive.members().take_while(|_| !stopped()) {
                let member = member.map_err(Fault::Damaged)?;
                let Ok(Ok(file)) = member.data(data).map(object::File::parse) else { continue };
                let name = String::from_utf8_lossy(member.name()).into_owned();
                found.push(one(&file, Some(name), stopped));
            }
        }
        FileKind::MachOFat32 => {
            let fat = MachOFatFile32::parse(data).map_err(Fault::Damaged)?;
            for part in fat.arches() {
                let Ok(Ok(file)) = part.data(data).map(object::File::parse) else { continue };
                found.push(one(&file, Some(format!("{:?}", file.architecture())), stopped));
            }
        }
        _ => found.push(one(&object::File::parse(data).map_err(Fault::Damaged)?, None, stopped)),
    }
    found.retain(|program| {
        !program.names.is_empty() || !program.code.is_empty() || program.unseen.is_some()
    });
    Ok(found)
}

fn one(file: &object::File<'_>, member: Option<String>, stopped: &dyn Fn() -> bool) -> Program {
    let mut program = Program { member, names: names::names(file), ..Program::default() };
    for section in file.sections() {
        if section.kind() != SectionKind::Text {
            continue;
        }
        let Ok(code) = section.data() else { continue };
        let address = section.address();
        let (found, whole) = match file.architecture() {
            Architecture::X86_64 => {
                walk::walk(&mut x86::X86::new(64, code, address), code, address, stopped)
            }
            Architecture::I386 => {
                walk::walk(&mut x86::X86::new(32, code, address), code, address, stopped)
            }
            Architecture::Aarch64 => {
                walk::walk(&mut arm64::Arm64::new(code), code, address, stopped)
            }
            _ => {
                program.unseen = Some("machine code of a processor other than x86 and AArch64");
                continue;
            }
        };
        if !whole {
            program.unseen = Some("more loops than the code of a program has");
        }
        program.code.extend(found);
    }
    program
}
