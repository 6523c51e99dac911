//! Compares the output of `arcfour ent` with the output of Debian's ent, byte for byte.

use std::{
    fs,
    process::{Command, Stdio},
};

use arcfour::Rc4;

fn keystream(key: &[u8], len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    Rc4::from_key(key).unwrap().fill(&mut bytes);
    bytes
}

/// Keystream reduced to `bits` bits per byte, so that every test has a clear result.
fn skewed(bits: u32, len: usize) -> Vec<u8> {
    keystream(&bits.to_le_bytes(), len).iter().map(|byte| byte >> (8 - bits)).collect()
}

/// The number of inputs at the start that are each of a different kind.
const NAMED: usize = 8;

fn inputs() -> Vec<(String, Vec<u8>)> {
    let mut inputs = vec![
        ("text".into(), include_bytes!("../README.md").to_vec()),
        ("every byte".into(), (0..=255).collect()),
        ("every byte, falling, 999 times".into(), (0..=255).rev().cycle().take(255_744).collect()),
        ("zeros".into(), vec![0; 100_000]),
        ("255s".into(), vec![255; 3_000_001]),
        ("alternating".into(), [0, 255].repeat(5000)),
        ("one bit".into(), [vec![0; 4999], vec![1]].concat()),
        ("large".into(), keystream(b"large", 12_000_000)),
    ];
    assert_eq!(inputs.len(), NAMED);
    for len in (0..=20).chain([255, 256, 257, 65_535, 65_536, 65_537, 524_288, 1_048_577]) {
        inputs.push((format!("{len} bytes"), keystream(b"length", len)));
    }
    for key in 0_u32..50 {
        let len = 1000 + 3989 * key as usize;
        inputs.push((format!("key {key}"), keystream(&key.to_be_bytes(), len)));
    }
    for bits in 1..=7 {
        inputs.push((format!("{bits} bits"), skewed(bits, 54_321)));
    }
    inputs
}

#[test]
fn every_digit_is_that_of_the_real_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in");
    let mut percentiles = 0;
    for (at, (name, bytes)) in inputs().into_iter().enumerate() {
        fs::write(&path, &bytes).unwrap();
        let large = bytes.len() > 10_000_000;
        let mut options = if large {
            vec!["-c", "-bf"]
        } else {
            vec!["-c", "-b", "-bc", "-cf", "-t", "-ct", "-bct"]
        };
        // Each of the many inputs of one kind is tested with three options, in rotation.
        if at >= NAMED {
            options.rotate_left(at % 7);
            options.truncate(3);
        }
        for option in options {
            let run = |program: &mut Command| {
                let output = program.arg(option).arg(&path).output().unwrap();
                assert!(output.status.success(), "{name} {option}");
                String::from_utf8_lossy(&output.stdout).into_owned()
            };
            let theirs = run(&mut Command::new("ent"));
            let ours = run(Command::new(env!("CARGO_BIN_EXE_arcfour")).arg("ent"));
            assert!(ours == theirs, "{name} {option}\n--- ours\n{ours}\n--- ent's\n{theirs}");
            percentiles += usize::from(
                theirs.contains("exceed this value ")
                    && !theirs.contains("than 0.01")
                    && !theirs.contains("than 99.99"),
            );
        }
    }
    assert!(percentiles > 80, "the inputs reach the chi-square distribution: {percentiles}");
}

#[test]
fn a_pipe_is_read_as_a_file_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in");
    fs::write(&path, keystream(b"pipe", 3_333_333)).unwrap();
    let arcfour = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_arcfour"));
        command.arg("ent");
        command
    };
    let named = arcfour().arg(&path).output().unwrap();
    let mut cat = Command::new("cat").arg(&path).stdout(Stdio::piped()).spawn().unwrap();
    let piped = arcfour().stdin(cat.stdout.take().unwrap()).output().unwrap();
    assert!(cat.wait().unwrap().success() && named.status.success());
    assert_eq!(piped, named);
}
