//! Programs and libraries: the names by which they use RC4, and RC4 in their machine code.

mod arm64;
mod dynamic;
mod names;
mod regions;
mod symbolic;
mod walk;
mod x86;

use std::path::Path;

use object::{
    Architecture, FileKind, Object as _,
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

use self::regions::Region;

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
            unseen = unseen.or(program.unseen.map(|what| match &program.member {
                Some(member) => format!("{member}: {what}"),
                None => what.to_owned(),
            }));
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
        unseen.map_or(Ok(()), |what| Err(ReadError::Unseen(what)))
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
    /// What was not examined: code of an unknown processor, too many loops, a part that is damaged.
    pub unseen: Option<&'static str>,
}

impl Program {
    /// A damaged part of a file.
    fn damaged(member: Option<String>) -> Self {
        Self { member, unseen: Some("a damaged program"), ..Self::default() }
    }
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
/// If the file has another format, or its tables are damaged.
pub fn read(data: &[u8], stopped: &dyn Fn() -> bool) -> Result<Vec<Program>, Fault> {
    let mut found = Vec::new();
    match FileKind::parse(data).map_err(|_| Fault::Format)? {
        FileKind::Archive => {
            let archive = ArchiveFile::parse(data).map_err(Fault::Damaged)?;
            for member in archive.members().take_while(|_| !stopped()) {
                let Ok(member) = member else {
                    found.push(Program::damaged(None)); // nothing tells where the next one begins
                    break;
                };
                let name = Some(String::from_utf8_lossy(member.name()).into_owned());
                let Ok(bytes) = member.data(data) else {
                    found.push(Program::damaged(name));
                    continue;
                };
                match object::File::parse(bytes) {
                    Ok(file) => found.push(one(&file, name, stopped)),
                    Err(_) if is_program(bytes) => found.push(Program::damaged(name)),
                    Err(_) => {} // an archive may have texts too
                }
            }
        }
        FileKind::MachOFat32 => {
            let fat = MachOFatFile32::parse(data).map_err(Fault::Damaged)?;
            for part in fat.arches() {
                let name = Some(format!("{:?}", part.architecture()));
                found.push(match part.data(data).map(object::File::parse) {
                    Ok(Ok(file)) => one(&file, name, stopped),
                    _ => Program::damaged(name),
                });
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
    let (regions, is_whole) = regions::regions(file);
    let names = names::names(file, &regions);
    let mut program = Program { member, names, ..Program::default() };
    for Region { address, bytes: code, .. } in regions.into_iter().filter(Region::is_code) {
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
    if !is_whole {
        program.unseen = Some("a part beyond the end of the file");
    }
    program
}
