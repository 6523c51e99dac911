//! The ciphertext and what is known of its plaintext.

use std::{
    io::Read,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use arcfour::Family;
use arcfour_attacks::search::{
    DOCUMENT_KEY, KeyTest, Kind, Known, KnownError, OfficeVerifier, PasswordTest, Pattern,
    PdfVerifier, Plaintext, WINDOW,
};
use arcfour_formats::{
    office::{self, Handler},
    pdf,
    text::quoted_path,
};

use super::{password, report::hex};
use crate::console::{at::At, document::read_all, failure::Failure, input::Input, say::say, size};

const HEADING: &str = "Ciphertext or document, and known plaintext";
/// The test of a document.
const TEXT: [&str; 8] =
    ["plain", "plain_text", "printable", "utf8", "zip", "drop", "family", "iv_hex"];

/// The ciphertext and what is known of its plaintext.
#[derive(clap::Args)]
pub(super) struct KnownArgs {
    /// The file that was encrypted; - is standard input
    #[arg(
        short,
        long,
        value_name = "FILE",
        required_unless_present_any = ["pdf", "office"],
        conflicts_with_all = ["pdf", "office"],
        help_heading = HEADING
    )]
    ciphertext: Option<PathBuf>,
    /// Search for the key of 40 bits of this PDF file, for `arcfour pdf decrypt --file-key`
    ///
    /// A key takes one RC4 key schedule with R 2, which nearly all 40-bit files have, and twenty
    /// with R 3 and 4. `arcfour pdf inspect` prints R.
    #[arg(long, value_name = "FILE", group = "document", conflicts_with_all = TEXT, help_heading = HEADING)]
    pdf: Option<PathBuf>,
    /// Search for the key of 40 bits of this Word or Excel file of Office 97, for `arcfour office decrypt --file-key`
    ///
    /// Not possible for RC4 CryptoAPI (Office 2002 and 2003), even with 40-bit keys. Every block of
    /// 512 or 1024 bytes, and every object of a presentation, has a different 40-bit key. These
    /// keys are derived from one hash of 160 bits, so one key opens only its own block.
    #[arg(long, value_name = "FILE", group = "document", conflicts_with_all = TEXT, conflicts_with = "pdf", help_heading = HEADING)]
    office: Option<PathBuf>,
    /// The plaintext matches this pattern from OFFSET on, 0 by default; may be repeated
    #[arg(long, value_name = "[OFFSET:]PATTERN", help_heading = HEADING)]
    plain: Vec<At<Pattern>>,
    /// The plaintext is this text from OFFSET on; may be repeated
    ///
    /// Digits before the first colon are the offset: write 0:10:15 for the text 10:15.
    #[arg(long, value_name = "[OFFSET:]TEXT", help_heading = HEADING)]
    plain_text: Vec<At<Text>>,
    /// The plaintext is printable ASCII, tabs and line ends: its first 64 bytes are tested
    #[arg(long, help_heading = HEADING)]
    printable: bool,
    /// The plaintext is UTF-8: its first 64 bytes are tested
    #[arg(long, help_heading = HEADING)]
    utf8: bool,
    /// The plaintext is a ZIP archive, also .docx, .odt, .jar: its header is tested
    #[arg(long, help_heading = HEADING)]
    zip: bool,
    /// Bytes of keystream discarded before the first byte of the ciphertext
    #[arg(long, value_name = "N", default_value = "0", value_parser = size::parse, help_heading = HEADING)]
    drop: u64,
    /// The kind of PDF password to search
    ///
    /// The user password opens the document, the owner password permits everything. The user
    /// password alone takes a third of the time, the owner password two thirds.
    #[arg(
        long,
        value_enum,
        value_name = "WHOSE",
        default_value = "either",
        requires = "passwords-tried",
        conflicts_with = "office",
        help_heading = "Password (of --pdf or --office)"
    )]
    password_of: password::Of,
}

impl KnownArgs {
    /// Returns true if the ciphertext or the document comes from standard input.
    pub(super) fn is_stdin(&self) -> bool {
        let sources = [&self.ciphertext, &self.pdf, &self.office];
        sources.into_iter().flatten().any(|path| path == Path::new("-"))
    }

    /// Returns the test of a key, by a document if there is one.
    ///
    /// # Errors
    /// If the document cannot be read, or has no 40-bit key.
    pub(super) fn document(&self) -> Result<Option<KeyTest>, Failure> {
        match (&self.pdf, &self.office) {
            (Some(path), _) => pdf_test(path).map(Some),
            (_, Some(path)) => office_test(path).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Returns true if the document is an Office file.
    pub(super) fn is_office(&self) -> bool {
        self.office.is_some()
    }

    /// Returns the test of a password of the document.
    ///
    /// # Errors
    /// If the document cannot be read, or has no password.
    pub(super) fn password_test(&self) -> Result<Arc<dyn PasswordTest>, Failure> {
        let path = self.pdf.as_ref().or(self.office.as_ref()).expect("clap requires one");
        let (bytes, name) = read_document(path)?;
        let test = match self.is_office() {
            true => password::office(bytes),
            false => password::pdf(bytes, self.password_of.into()),
        };
        test.map_err(|why| Failure::Work(format!("cannot search the password of {name}: {why}")))
    }

    /// Returns the test of a keystream.
    ///
    /// # Errors
    /// If the ciphertext cannot be read, or contradicts the description of its plaintext.
    pub(super) fn read(&self) -> Result<Known, Failure> {
        let mut plain = Plaintext::new();
        for At { offset, what, .. } in &self.plain {
            plain = plain.with(*offset, what.clone());
        }
        for At { offset, what: Text(pattern), .. } in &self.plain_text {
            plain = plain.with(*offset, pattern.clone());
        }
        let kinds =
            [(self.printable, Kind::Printable), (self.utf8, Kind::Utf8), (self.zip, Kind::Zip)];
        for (_, kind) in kinds.into_iter().filter(|(is, _)| *is) {
            plain = plain.of_kind(kind);
        }
        let path = self.ciphertext.as_ref().expect("clap requires it");
        let input = Input::open(path)?;
        let name = input.name().to_owned();
        let mut start = vec![];
        input
            .take(plain.reach().min(WINDOW))
            .read_to_end(&mut start)
            .map_err(|error| Failure::read(&name, &error))?;
        Known::new(&plain, &start, self.drop).map_err(|error| {
            Failure::Usage(match error {
                KnownError::Contradiction(at) => format!(
                    "the values of {} contradict each other at byte {at} of the plaintext, counted from 0",
                    self.options().join(" and ")
                ),
                KnownError::Nothing => {
                    format!("{error}; give a part by --plain-text TEXT, --plain or --printable")
                }
                error => error.to_string(),
            })
        })
    }

    /// Returns the given options that describe the plaintext.
    fn options(&self) -> Vec<&'static str> {
        let given = [
            ("--plain", !self.plain.is_empty()),
            ("--plain-text", !self.plain_text.is_empty()),
            ("--printable", self.printable),
            ("--utf8", self.utf8),
            ("--zip", self.zip),
        ];
        given.into_iter().filter(|(_, is)| *is).map(|(option, _)| option).collect()
    }

    /// Describes the search in words, but not for a document, which has its own description. Warns
    /// of offsets that may have been meant as text.
    pub(super) fn described(&self) -> Option<String> {
        self.ciphertext.as_ref()?;
        self.plain_text.iter().filter_map(At::note).for_each(|note| say(&note));
        let at = |offset: u64, pattern: &Pattern| match pattern.sets().len() as u64 {
            1 => format!("byte {offset} is "),
            len => format!("bytes {offset} to {} are ", offset.saturating_add(len - 1)),
        };
        let patterns =
            self.plain.iter().map(|plain| at(plain.offset, &plain.what) + plain.rest.trim());
        let texts = self
            .plain_text
            .iter()
            .map(|plain| at(plain.offset, &plain.what.0) + &format!("{:?}", plain.rest));
        let kinds =
            [(self.printable, "printable"), (self.utf8, "UTF-8"), (self.zip, "a ZIP archive")];
        let kinds = kinds.into_iter().filter(|(is, _)| *is);
        let kinds = kinds.map(|(_, kind)| format!("the beginning is {kind}"));
        Some(patterns.chain(texts).chain(kinds).collect::<Vec<_>>().join("; "))
    }

    /// Returns the command that decrypts with the found key or password.
    pub(super) fn next_step(&self, family: Family, iv: Option<&[u8]>, of_password: bool) -> String {
        let with = if of_password { "--password-file FILE" } else { "--file-key KEY" };
        if let Some(path) = &self.pdf {
            return format!("arcfour pdf decrypt {} {with}", quoted_path(path));
        }
        if let Some(path) = &self.office {
            return format!("arcfour office decrypt {} {with}", quoted_path(path));
        }
        let path = self.ciphertext.as_deref().expect("clap requires it");
        let mut next = format!("arcfour crypt {} --key-hex KEY", quoted_path(path));
        if family != Family::Rc4 {
            next += &format!(" --family {}", family.name());
        }
        if let Some(iv) = iv {
            next += &format!(" --iv-hex {}", hex(iv));
        }
        if self.drop > 0 {
            next += &format!(" --drop {}", self.drop);
        }
        next
    }
}

/// U is a known text, encrypted with the key of the file, and twenty times with R 3 and 4.
fn pdf_test(path: &Path) -> Result<KeyTest, Failure> {
    let (bytes, name) = read_document(path)?;
    let failed = |why: String| Failure::Work(format!("cannot search the key of {name}: {why}"));
    let document = pdf::Document::repair(bytes).map_err(|error| failed(error.to_string()))?;
    let security = document.security().ok_or(pdf::Error::NotEncrypted);
    let standards = security.and_then(pdf::Security::rc4);
    let standards = standards.map_err(|error| failed(error.to_string()))?;
    let Some(standard) = standards.iter().find(|standard| standard.key_len == DOCUMENT_KEY) else {
        let bits = 8 * standards[0].key_len;
        return Err(failed(format!(
            "it has {bits} bits; 40 can be searched; --passwords FILE and --password-mask MASK search its password"
        )));
    };
    if standard.revision > 2 {
        let user = *standard.user.first_chunk().expect("32 bytes");
        return Ok(KeyTest::pdf(PdfVerifier { hash: standard.user_hash(), user }));
    }
    let pattern = Pattern::exact(&pdf::PAD).expect("32 bytes");
    let known = Known::new(&Plaintext::new().with(0, pattern), &standard.user, 0);
    let known = known.map_err(|error| failed(error.to_string()))?;
    Ok(KeyTest::new(known, Family::Rc4, None).expect("RC4 takes no IV"))
}

fn office_test(path: &Path) -> Result<KeyTest, Failure> {
    let (bytes, name) = read_document(path)?;
    let failed = |why: String| Failure::Work(format!("cannot search the key of {name}: {why}"));
    let document = office::Document::read(bytes).map_err(|error| failed(error.to_string()))?;
    match document.handler().map_err(|error| failed(error.to_string()))? {
        Handler::Office97(header) => Ok(KeyTest::office(OfficeVerifier {
            verifier: header.verifier,
            verifier_hash: header.verifier_hash,
        })),
        Handler::CryptoApi(header) => Err(failed(format!(
            "RC4 CryptoAPI gives each block a separate key of {} bits; --passwords FILE or --password-mask MASK searches the password",
            header.key_bits
        ))),
    }
}

/// Returns a whole document, and its name for messages.
fn read_document(path: &Path) -> Result<(Vec<u8>, String), Failure> {
    let input = Input::open(path)?;
    let name = input.name().to_owned();
    Ok((read_all(input)?, name))
}

/// Makes a pattern from text.
#[derive(Clone, Debug)]
struct Text(Pattern);

impl FromStr for Text {
    type Err = arcfour_attacks::search::PatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Pattern::exact(text.as_bytes()).map(Self)
    }
}
