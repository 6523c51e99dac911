//! Reads the facts of files that describe themselves.

use std::io::Seek;

use arcfour_formats::{office, pdf};
use serde::Serialize;

use super::sealed;
use crate::console::{
    document::read_rest,
    facts::{office::Facts as OfficeFacts, pdf::Facts as PdfFacts, pdf::source},
    failure::Failure,
    input::Input,
};

/// The facts in a file.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Known {
    Sealed(sealed::Facts),
    Pdf(Box<PdfFacts>),
    Office(OfficeFacts),
    /// A document that its reader refuses.
    Refused {
        refused: String,
    },
}

/// The reason for which a file has no facts.
pub(super) enum NotKnown {
    /// The content is damaged.
    Wrong(String),
    /// The work failed.
    Failed(Failure),
}

impl From<Failure> for NotKnown {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Known {
    /// Reads the facts of a file of this kind, which begins with `start`; `None` if the kind has no
    /// facts.
    pub(super) fn read(
        kind: &str,
        start: &[u8],
        mut input: Input,
    ) -> Result<Option<Self>, NotKnown> {
        let refused = |error: String| Self::Refused { refused: error };
        Ok(Some(match kind {
            "sealed file" => {
                Self::Sealed(sealed::Facts::read(start, input.size()).map_err(NotKnown::Wrong)?)
            }
            "PDF file" => {
                let source = match input.rewind() {
                    Ok(()) => source(input)?,
                    Err(_) => read_rest(start, input)?.into(),
                };
                pdf::Document::repair(source).map_or_else(
                    |error| refused(error.to_string()),
                    |document| Self::Pdf(Box::new(PdfFacts::of(&document))),
                )
            }
            "compound file, as of Word, Excel and PowerPoint of 97 to 2003"
            | "database of Access" => {
                let document = office::Document::read(read_rest(start, input)?);
                document.map_or_else(
                    |error| refused(error.to_string()),
                    |document| Self::Office(OfficeFacts::of(&document)),
                )
            }
            _ => return Ok(None),
        }))
    }

    /// Returns the next command, where FILE stands for the file; `None` if the kind has it.
    pub(super) fn next(&self) -> Option<&'static str> {
        match self {
            Self::Sealed(facts) => Some(facts.opened_by()),
            Self::Pdf(facts) => facts.next(),
            Self::Office(facts) => facts.next(),
            Self::Refused { .. } => None,
        }
    }

    /// Returns the facts by name.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Sealed(facts) => facts.rows(),
            Self::Pdf(facts) => facts.rows(),
            Self::Office(facts) => facts.rows(),
            Self::Refused { refused } => vec![("refused", refused.clone())],
        }
    }

    /// Returns the hash of the password, in the form of hashcat and john.
    pub(super) fn hash(&self) -> Option<&str> {
        match self {
            Self::Pdf(facts) => facts.hash(),
            Self::Office(facts) => facts.hash(),
            Self::Sealed(_) | Self::Refused { .. } => None,
        }
    }

    /// Returns the text after the facts.
    pub(super) fn end(&self) -> String {
        match self {
            Self::Sealed(_) => {
                "Nothing of this is verified: that takes `arcfour open`.\n".to_owned()
            }
            Self::Pdf(facts) => facts.end(),
            Self::Office(facts) => facts.end(),
            Self::Refused { .. } => String::new(),
        }
    }
}
