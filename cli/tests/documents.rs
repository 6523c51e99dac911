//! Tests the memory for hostile documents, by the peak of the whole command.

#[path = "../../formats/tests/pdf/objects.rs"]
mod objects;

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
};

use wait4::Wait4;

use objects::pdf_of;

const MIB: u64 = 1 << 20;

/// An array of repeated `value`, in `bytes` bytes.
fn array_of(value: &str, bytes: u64) -> Vec<u8> {
    format!("[{}]", value.repeat(bytes as usize / value.len())).into_bytes()
}

/// Returns the peak memory, in bytes, of `arcfour pdf encrypt` on a file. The command must end by
/// itself, with one line if it fails.
fn peak(file: &[u8]) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.pdf");
    fs::write(&path, file).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_arcfour"));
    command.args(["pdf", "encrypt", "--i-know-rc4-is-broken"]).arg(&path);
    peak_of(&mut command)
}

/// Returns the peak memory of a command.
fn peak_of(command: &mut Command) -> u64 {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let ended = child.wait4().unwrap();
    let mut said = String::new();
    child.stderr.as_mut().unwrap().read_to_string(&mut said).unwrap();
    match ended.status.code() {
        Some(0) => assert_eq!(said, ""),
        code => assert!(code == Some(1) && said.lines().count() == 1, "{code:?}: {said}"),
    }
    println!("{} MiB; {said}", ended.rusage.maxrss / MIB);
    ended.rusage.maxrss
}

fn catalog() -> Vec<Vec<u8>> {
    [&b"<< /Type /Catalog /Pages 2 0 R >>"[..], b"<< /Type /Pages /Kids [] /Count 0 >>"]
        .map(<[u8]>::to_vec)
        .into()
}

/// `../formats/README.md`: 16 bytes for each byte of an object, plus the command's own memory.
#[test]
fn a_hostile_file_takes_so_much_for_each_byte() {
    for value in ["[]", "[[]]", "<</ 0>>", "<<>>", "()", "/", "0 ", "+1", "<</ []>>"] {
        let file = pdf_of(&[catalog(), vec![array_of(value, MIB)]].concat(), "");
        let (peak, most) = (peak(&file), 16 * file.len() as u64 + 32 * MIB);
        assert!(peak < most, "{value}: {peak}, not {most}");
    }
}

/// A batch reads and writes a file in pieces, and tries the next password if a key belongs to
/// another file.
#[test]
fn a_batch_takes_less_memory_than_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, encrypted) = (folder.path().join("plain.pdf"), folder.path().join("a.pdf"));
    let (list, to) = (folder.path().join("list"), folder.path().join("opened"));
    write_large(&plain);
    fs::write(&list, "Quentin\n").unwrap();
    let arcfour = || Command::new(env!("CARGO_BIN_EXE_arcfour"));
    let mut encrypt = arcfour();
    encrypt.args(["pdf", "encrypt", "--i-know-rc4-is-broken", "--password-file"]);
    peak_of(encrypt.arg(&list).arg(&plain).arg("-o").arg(&encrypted));
    let mut decrypt = arcfour();
    decrypt.args([
        "pdf",
        "decrypt",
        "--file-key",
        "00112233445566778899aabbccddeeff",
        "--passwords",
    ]);
    let peak = peak_of(decrypt.arg(&list).arg(&encrypted).arg("--to").arg(&to));
    assert!(peak < 64 * MIB, "{} MiB", peak / MIB);
    let mut start = vec![];
    let opened = fs::File::open(to.join("a.pdf")).unwrap();
    assert!(opened.metadata().unwrap().len() > 128 * MIB);
    opened.take(MIB).read_to_end(&mut start).unwrap();
    assert!(memchr::memmem::find(&start, &[b'x'; 1 << 19]).is_some());
}

/// A PDF file with a stream of 128 MiB. The kernel counts memory of this process as its child's, so the file is never held.
fn write_large(path: &Path) {
    let stream = "<< /Length 134217728 >>\nstream\n\nendstream";
    let small = pdf_of(&[catalog(), vec![stream.into()]].concat(), "/X 3 0 R");
    let at = memchr::memmem::find(&small, b"stream\n").unwrap() + 7;
    let text = String::from_utf8(small[at..].to_vec()).unwrap();
    let table = memchr::memmem::rfind(&small, b"xref\n0 4").unwrap();
    let table = format!("startxref\n{table}");
    let moved = format!("startxref\n{}", table[10..].parse::<u64>().unwrap() + 128 * MIB);
    let mut file = fs::File::create(path).unwrap();
    file.write_all(&small[..at]).unwrap();
    for _ in 0..128 {
        file.write_all(&[b'x'; 1 << 20]).unwrap();
    }
    file.write_all(text.replace(&table, &moved).as_bytes()).unwrap();
}
