//! Hostile documents: what memory they take, by the peak of the whole command.

#[path = "../../formats/tests/pdf/objects.rs"]
mod objects;

use std::{
    fs,
    io::{Read, Write},
    process::{Command, Stdio},
};

use wait4::Wait4;

use objects::pdf_of;

const MIB: u64 = 1 << 20;

/// An array of as many of these values as fill `bytes`.
fn array_of(value: &str, bytes: u64) -> Vec<u8> {
    format!("[{}]", value.repeat(bytes as usize / value.len())).into_bytes()
}

/// The most memory, in bytes, of `arcfour pdf inspect` of a file, which ends by itself and says one line if
/// it fails.
fn peak(file: &[u8]) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.pdf");
    fs::write(&path, file).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_arcfour"));
    command.args(["pdf", "inspect"]).arg(&path).stdout(Stdio::null()).stderr(Stdio::piped());
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

/// `../formats/README.md`: 320 bytes for each byte of the file, and what the command takes for itself.
#[test]
fn a_hostile_file_takes_so_much_for_each_byte() {
    for value in ["[]", "[[]]", "<</ 0>>", "<<>>", "()", "/", "0 ", "+1", "<</ []>>"] {
        let file = pdf_of(&[catalog(), vec![array_of(value, MIB / 4)]].concat(), "");
        let (peak, most) = (peak(&file), 320 * file.len() as u64 + 16 * MIB);
        assert!(peak < most, "{value}: {peak}, not {most}");
    }
}

/// The same: 3 GiB for object streams, however small the file. The streams are just within what is taken.
#[test]
#[ignore = "takes gigabytes"]
fn object_streams_take_so_much_and_no_more() {
    for (value, units) in [("[]", 5), ("<</ 0>>", 8), ("()", 1), ("/", 1), ("0 ", 1), ("+1", 1)] {
        let values = array_of(value, value.len() as u64 * ((1 << 22) - 16) / units);
        let stream = |number: usize| {
            let mut text = flate2::write::ZlibEncoder::new(vec![], flate2::Compression::best());
            text.write_all(format!("{number} 0 ").as_bytes()).unwrap();
            text.write_all(&values).unwrap();
            let text = text.finish().unwrap();
            let entries = "/Type /ObjStm /N 1 /First 5 /Filter /FlateDecode";
            let head = format!("<< {entries} /Length {} >>\nstream\n", text.len());
            [head.as_bytes(), &text, b"\nendstream"].concat()
        };
        let streams = (50..58).map(stream).collect();
        let peak = peak(&pdf_of(&[catalog(), streams].concat(), ""));
        assert!(peak < 3 << 30, "{value}: {peak}");
    }
}
