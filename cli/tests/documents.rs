//! Hostile documents: what memory they take, by the peak of the whole command.

#[path = "../../formats/tests/pdf/objects.rs"]
mod objects;

use std::{
    fs,
    io::Read,
    process::{Command, Stdio},
};

use wait4::Wait4;

use objects::pdf_of;

const MIB: u64 = 1 << 20;

/// An array of `value` again and again, in `bytes` bytes.
fn array_of(value: &str, bytes: u64) -> Vec<u8> {
    format!("[{}]", value.repeat(bytes as usize / value.len())).into_bytes()
}

/// The most memory, in bytes, of `arcfour pdf encrypt` of a file, which ends by itself and says one line if
/// it fails.
fn peak(file: &[u8]) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.pdf");
    fs::write(&path, file).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_arcfour"));
    command
        .args(["pdf", "encrypt", "--i-know-rc4-is-broken"])
        .arg(&path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let ended = child.wait4().unwrap();
    let mut said = String::new();
    child.stderr.as_mut().unwrap().read_to_string(&mut said).unwrap();
    match ended.status.code() {
        Some(0) => assert_eq!(said, ""),
        code => assert!(code == Some(1) && said.lines().count() == 1, "{code:?}: {said}"),
    }
    println!("{} MiB for a file of {} bytes; {said}", ended.rusage.maxrss / MIB, file.len());
    ended.rusage.maxrss
}

fn catalog() -> Vec<Vec<u8>> {
    [&b"<< /Type /Catalog /Pages 2 0 R >>"[..], b"<< /Type /Pages /Kids [] /Count 0 >>"]
        .map(<[u8]>::to_vec)
        .into()
}

/// `../formats/README.md`: 16 bytes for each byte of an object, and what the command takes for itself.
#[test]
fn a_hostile_file_takes_so_much_for_each_byte() {
    for value in ["[]", "[[]]", "<</ 0>>", "<<>>", "()", "/", "0 ", "+1", "<</ []>>"] {
        let file = pdf_of(&[catalog(), vec![array_of(value, MIB)]].concat(), "");
        let (peak, most) = (peak(&file), 16 * file.len() as u64 + 32 * MIB);
        assert!(peak < most, "{value}: {peak}, not {most}");
    }
}
