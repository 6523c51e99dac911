//! Programs and libraries: the names of RC4 that they use, and RC4 itself in their machine code.

mod arm64;
mod symbolic;
mod walk;
mod x86;

pub use symbolic::Part;
pub use walk::Seen;

use object::{Architecture, Object as _, ObjectSection as _, SectionKind};

/// RC4 in the code of a program.
pub fn shapes(file: &object::File<'_>) -> (Vec<Seen>, bool) {
    let mut seen = Vec::new();
    let mut whole = true;
    for section in file.sections() {
        if section.kind() != SectionKind::Text {
            continue;
        }
        let Ok(code) = section.data() else { continue };
        let (found, all) = match file.architecture() {
            Architecture::X86_64 => walk::walk(&mut x86::X86::new(64, code, section.address()), code, section.address()),
            Architecture::I386 => walk::walk(&mut x86::X86::new(32, code, section.address()), code, section.address()),
            Architecture::Aarch64 => walk::walk(&mut arm64::Arm64::new(code), code, section.address()),
            _ => continue,
        };
        whole &= all;
        seen.extend(found);
    }
    (seen, whole)
}
