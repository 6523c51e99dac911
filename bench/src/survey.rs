//! `arcfour survey` of a tree of small files, and of a large capture.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
};

use anyhow::{Context, Result, ensure};
use arcfour_measure::{Goal, Meter};
use etherparse::PacketBuilder;
use rand::RngExt;
use serde_json::Value;
use tempfile::{NamedTempFile, TempDir};

use crate::{
    commands::{CommandTiming, Filter, Place, measure},
    documents::write_plain,
};

/// The row of the tree.
pub const TREE: &str = "arcfour survey, small files";
/// The row of the capture.
pub const CAPTURE: &str = "arcfour survey, capture";
/// Files of a folder of the tree, and bytes of most of them.
const FOLDER: u64 = 100;
const SMALL: usize = 4096;
/// Each tenth folder and each tenth connection has RC4.
const PLANTED: u64 = 10;
/// Bytes of TCP in a packet, and packets of a connection after its handshake.
const SEGMENT: usize = 1460;
const SEGMENTS: u64 = 700;

/// Files, and the command that surveys them.
pub struct Surveyed {
    pub survey: Filter,
    bytes: u64,
    files: u64,
    /// Findings that a survey must report, and no more.
    planted: u64,
    _folder: TempDir,
}

impl Surveyed {
    /// A tree of `files` files: text, PDF files and other data, and the configuration of SSH in each
    /// folder. The command is in `programs`.
    pub fn tree(programs: &Path, files: u64) -> Result<Self> {
        let folder = TempDir::new()?;
        let tree = folder.path().join("tree");
        let mut random = vec![0; SMALL];
        rand::rng().fill(&mut random[..]);
        let mut pdf = vec![];
        write_plain(&mut pdf, random.chunks(SMALL - 1024).take(1))?;
        let text = "A file of a long line.\n".repeat(SMALL / 23);
        // No reader takes it.
        random[0] = 0;
        let (mut bytes, mut planted) = (0, 0);
        for n in 0..files {
            let inside = tree.join((n / FOLDER).to_string());
            let (name, data) = match n % FOLDER {
                0 => {
                    fs::create_dir_all(&inside)?;
                    let rc4 = (n / FOLDER).is_multiple_of(PLANTED);
                    planted += u64::from(rc4);
                    let cipher = if rc4 { "arcfour256" } else { "aes256-ctr" };
                    ("sshd_config".to_string(), format!("Ciphers {cipher}\n").into_bytes())
                }
                at if at % 3 == 0 => (format!("{at}.txt"), text.clone().into_bytes()),
                at if at % 3 == 1 => (format!("{at}.pdf"), pdf.clone()),
                at => (format!("{at}.bin"), random.clone()),
            };
            bytes += data.len() as u64;
            fs::write(inside.join(name), data)?;
        }
        Ok(Self { survey: command(TREE, programs, &tree), bytes, files, planted, _folder: folder })
    }

    /// A capture of at least `bytes` bytes: TLS connections to different servers. The command is in
    /// `programs`.
    pub fn capture(programs: &Path, bytes: u64) -> Result<Self> {
        let folder = TempDir::new()?;
        let path = folder.path().join("capture.pcap");
        let mut file = BufWriter::new(File::create(&path)?);
        for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0xffff, 1] {
            file.write_all(&word.to_le_bytes())?;
        }
        let mut data = vec![0; SEGMENT];
        rand::rng().fill(&mut data[..]);
        data[..5].copy_from_slice(&[23, 3, 1, ((SEGMENT - 5) >> 8) as u8, (SEGMENT - 5) as u8]);
        let (mut written, mut planted, mut n) = (24, 0, 0_u32);
        while written < bytes {
            // The server chooses RC4 if the client offers it. Both are findings.
            let rc4 = u64::from(n).is_multiple_of(PLANTED);
            planted += 2 * u64::from(rc4);
            let chosen = if rc4 { [0, 5] } else { [0, 0x2f] };
            let asked = hello(1, &[&[0, 2], &chosen[..], &[1, 0]].concat());
            let answered = hello(2, &[&chosen[..], &[0]].concat());
            let [_, b, c, d] = n.to_be_bytes();
            let (client, server) = (([10, 0, 0, 5], 40_000), ([11 + b, c, d, 7], 443));
            let mut send = |from: ([u8; 4], u16), to: ([u8; 4], u16), at: u32, data: &[u8]| {
                let packet = PacketBuilder::ethernet2([2; 6], [4; 6])
                    .ipv4(from.0, to.0, 64)
                    .tcp(from.1, to.1, at, 1024);
                let packet = if at == 0 { packet.syn() } else { packet.ack(1) };
                let len = packet.size(data.len()) as u32;
                for word in [0, 0, len, len] {
                    file.write_all(&word.to_le_bytes())?;
                }
                written += 16 + u64::from(len);
                packet.write(&mut file, data).context("a packet")
            };
            send(client, server, 0, &[])?;
            send(server, client, 0, &[])?;
            send(client, server, 1, &asked)?;
            send(server, client, 1, &answered)?;
            for segment in 0..SEGMENTS {
                let at = 1 + answered.len() as u64 + segment * SEGMENT as u64;
                send(server, client, at as u32, &data)?;
            }
            n += 1;
        }
        file.into_inner()?.sync_all()?;
        let survey = command(CAPTURE, programs, &path);
        Ok(Self { survey, bytes: written, files: 1, planted, _folder: folder })
    }

    /// Runs the command, and checks that it reads every file and reports what is planted.
    pub fn verify(&self) -> Result<()> {
        let output = self.survey.command(Path::new("/dev/null"))?.output()?;
        let line = self.survey.line();
        ensure!(output.status.success(), "{line}: {}", output.status);
        let text = String::from_utf8(output.stdout)?;
        let end: Value = serde_json::from_str(text.lines().next_back().context("no line")?)?;
        let counts = ["files", "findings"].map(|name| end[name].as_u64().unwrap_or_default());
        ensure!(counts == [self.files, self.planted], "{line}: {counts:?} files and findings");
        ensure!(end["unread"] == Value::Array(vec![]), "{line}: unread {}", end["unread"]);
        Ok(())
    }

    /// Times the command. The row has the size of the surveyed files.
    pub fn measure(&self, meter: &mut Meter, goal: Goal) -> Result<CommandTiming> {
        let empty = NamedTempFile::new()?;
        let rows = measure(meter, [&self.survey], empty.path(), Place::Null, goal)?;
        let row = rows.into_iter().next().context("one command")?;
        Ok(CommandTiming { bytes: self.bytes, ..row })
    }
}

fn command(name: &'static str, programs: &Path, path: &Path) -> Filter {
    Filter::new(name, programs.join("arcfour"), &["survey", "--json", &path.to_string_lossy()])
}

/// A TLS record with one handshake message without extensions.
fn hello(kind: u8, after_random: &[u8]) -> Vec<u8> {
    let body = [&[3, 1][..], &[7; 32], &[0], after_random].concat();
    let message = [&[kind, 0, 0, body.len() as u8][..], &body].concat();
    [&[22, 3, 1, 0, message.len() as u8][..], &message].concat()
}
