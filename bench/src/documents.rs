//! PDF files: `arcfour pdf decrypt` beside qpdf and pypdf.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use memchr::memmem;
use rand::RngExt;
use tempfile::{NamedTempFile, TempDir};

use crate::{commands::Filter, machine::installed};

/// Bytes of a stream.
const STREAM: usize = 100_000;
/// The row of a large file, which is there for its memory.
pub const LARGE_DOCUMENT: &str = "arcfour pdf decrypt, large";
/// The password of the file.
const PASSWORD: &str = "Quentin";
/// pypdf, used as in its documentation.
const PYPDF: &str = "import io, sys, pypdf; out = io.BytesIO(); \
    pypdf.PdfWriter(clone_from=pypdf.PdfReader(sys.stdin.buffer, password=sys.argv[1])).write(out); \
    sys.stdout.buffer.write(out.getbuffer())";

/// Streams of random bytes, the file that has them, encrypted with RC4 and a key of 128 bits, and the
/// commands that decrypt it.
pub struct Documents {
    /// Ours is the first.
    pub decrypt: Vec<Filter>,
    pub file: NamedTempFile,
    /// Each stream begins a byte after the one before it.
    random: Vec<u8>,
    _password: TempDir,
}

impl Documents {
    /// A file of `bytes` in streams of 100 kB. Ours is in `folder`; qpdf takes part if it is installed, pypdf
    /// if `python` is one that has it.
    pub fn new(folder: &Path, python: Option<&Path>, bytes: u64) -> Result<Self> {
        let mut random = vec![0; STREAM - 1 + bytes.div_ceil(STREAM as u64) as usize];
        rand::rng().fill(&mut random[..]);
        let password_folder = TempDir::new()?;
        let password = password_folder.path().join("password");
        fs::write(&password, PASSWORD)?;
        let (arcfour, password) = (folder.join("arcfour"), password.to_string_lossy());
        let (plain, file) = (NamedTempFile::new()?, NamedTempFile::new()?);
        write_plain(&mut BufWriter::new(plain.as_file()), random.windows(STREAM))?;
        let mut encrypt = Command::new(&arcfour);
        encrypt.args(["pdf", "encrypt", "--i-know-rc4-is-broken", "--password-file", &password]);
        let status = encrypt.stdin(plain.reopen()?).stdout(file.reopen()?).status();
        ensure!(status.context("arcfour")?.success(), "{encrypt:?} failed");
        file.as_file().sync_all()?;

        let args = ["pdf", "decrypt", "--password-file", &password];
        let mut decrypt = vec![Filter::new("arcfour pdf decrypt", arcfour, &args)];
        if installed("qpdf") {
            let password = format!("--password={PASSWORD}");
            let args = [&password, "--decrypt", "/dev/stdin", "-"];
            decrypt.push(Filter::new("qpdf --decrypt", "qpdf".into(), &args));
        }
        if let Some(python) = python {
            let args = ["-c", PYPDF, PASSWORD];
            decrypt.push(Filter::new("pypdf", python.to_path_buf(), &args));
        }
        Ok(Self { decrypt, file, random, _password: password_folder })
    }

    /// Compares the output of each command with the streams from which the file was made.
    pub fn verify(&self) -> Result<()> {
        for command in &self.decrypt {
            let output = command.command(self.file.path())?.stderr(Stdio::inherit()).output();
            let output = output.with_context(|| command.line())?;
            ensure!(output.status.success(), "{}: {}", command.line(), output.status);
            let mut rest = &output.stdout[..];
            for (n, stream) in self.random.windows(STREAM).enumerate() {
                let at = memmem::find(rest, stream);
                let at = at.with_context(|| format!("{}: no stream {n}", command.line()))?;
                rest = &rest[at + stream.len()..];
            }
        }
        Ok(())
    }
}

/// Writes a PDF file with a page for each stream. A stream is an image in a format that these
/// programs do not change.
pub fn write_plain<'a>(
    to: &mut impl Write,
    streams: impl ExactSizeIterator<Item = &'a [u8]>,
) -> io::Result<()> {
    let head = b"%PDF-1.4\n";
    to.write_all(head)?;
    let (mut starts, mut at) = (vec![], head.len());
    let mut object = |body: &[&[u8]]| {
        starts.push(at);
        let begin = format!("{} 0 obj\n", starts.len());
        [&[begin.as_bytes()], body, &[b"\nendobj\n"]].concat().into_iter().try_for_each(|part| {
            at += part.len();
            to.write_all(part)
        })
    };
    object(&[b"<< /Type /Catalog /Pages 2 0 R >>"])?;
    let kids: String = (0..streams.len()).map(|n| format!("{} 0 R ", 3 + 2 * n)).collect();
    let pages = format!("<< /Type /Pages /Count {} /Kids [{kids}] >>", streams.len());
    object(&[pages.as_bytes()])?;
    for (n, stream) in streams.enumerate() {
        let image = format!("<< /XObject << /Image {} 0 R >> >>", 4 + 2 * n);
        let page =
            format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 72] /Resources {image} >>");
        object(&[page.as_bytes()])?;
        let dictionary = "/Type /XObject /Subtype /Image /Width 100 /Height 100 /Filter /JPXDecode";
        let head = format!("<< {dictionary} /Length {} >>\nstream\n", stream.len());
        object(&[head.as_bytes(), stream, b"\nendstream"])?;
    }
    let count = starts.len() + 1;
    write!(to, "xref\n0 {count}\n0000000000 65535 f \n")?;
    starts
        .iter()
        .try_for_each(|start| to.write_all(format!("{start:010} 00000 n \n").as_bytes()))?;
    let trailer = format!("<< /Root 1 0 R /Size {count} /ID [<00><00>] >>");
    write!(to, "trailer\n{trailer}\nstartxref\n{at}\n%%EOF\n")?;
    to.flush()
}
