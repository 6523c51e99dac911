//! The ciphertext and what is known of its plaintext.

use std::{
    io::Read,
    path::{Path, PathBuf},
    str::FromStr,
};

use arcfour_attacks::search::{Kind, Known, Pattern, Plaintext, WINDOW};

use crate::{failure::Failure, input::Input, size};

const HEADING: &str = "Text";

/// The ciphertext and what is known of its plaintext.
#[derive(clap::Args)]
pub(super) struct KnownArgs {
    /// The file that was encrypted; - is standard input
    #[arg(short, long, value_name = "FILE", required = true, help_heading = HEADING)]
    ciphertext: Option<PathBuf>,
    /// The plaintext matches this pattern from OFFSET on, 0 if not said; may be repeated
    #[arg(long, value_name = "[OFFSET:]PATTERN", help_heading = HEADING)]
    plain: Vec<At<Pattern>>,
    /// The plaintext is this text from OFFSET on; may be repeated
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
}

impl KnownArgs {
    /// Whether the ciphertext comes from standard input.
    pub(super) fn is_stdin(&self) -> bool {
        self.ciphertext.as_deref() == Some(Path::new("-"))
    }

    /// The test of a keystream.
    ///
    /// # Errors
    /// If the ciphertext cannot be read, or does not go with what is said of its plaintext.
    pub(super) fn read(&self) -> Result<Known, Failure> {
        let mut plain = Plaintext::new();
        for At { offset, what } in &self.plain {
            plain = plain.with(*offset, what.clone());
        }
        for At { offset, what: Text(pattern) } in &self.plain_text {
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
        Known::new(&plain, &start, self.drop).map_err(|error| Failure::Usage(error.to_string()))
    }
}

/// Something at an offset of the plaintext.
#[derive(Clone, Debug)]
struct At<T> {
    offset: u64,
    what: T,
}

impl<T: FromStr<Err: std::fmt::Display>> FromStr for At<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (offset, what) = match text.split_once(':') {
            Some((digits, rest))
                if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                let too_large = |_| format!("the offset {digits} is above {}", u64::MAX);
                (digits.parse().map_err(too_large)?, rest)
            }
            _ => (0, text),
        };
        Ok(Self { offset, what: what.parse().map_err(|error: T::Err| error.to_string())? })
    }
}

/// A pattern given as text.
#[derive(Clone, Debug)]
struct Text(Pattern);

impl FromStr for Text {
    type Err = arcfour_attacks::search::PatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Pattern::exact(text.as_bytes()).map(Self)
    }
}
