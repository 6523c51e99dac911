//! The families of ciphers, by name: what they are, and how they start.

use std::str::FromStr;

use arcfour::{
    Backend, Keystream, Parc4r, Plain, Rc4, Rc4a,
    families::{
        parc4i::{self, Reading},
        rc4plus, spritz,
        vmpc::{self, LengthError},
    },
};
use clap::ValueEnum;

use crate::{
    failure::Failure,
    hex::{self, HexError},
};

/// A family of ciphers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Family {
    /// RC4 itself
    #[default]
    Rc4,
    /// RC4A, two tables that look up each other
    Rc4a,
    /// VMPC, with an IV
    Vmpc,
    /// VMPC with the later key schedule of its author
    VmpcKsa3,
    /// RC4+: RC4 with three look-ups a byte
    Rc4plus,
    /// Spritz, the sponge
    Spritz,
    /// PARC4-I as its algorithm 2 is printed
    Parc4i,
    /// PARC4-I as the text above describes it
    Parc4iText,
    /// PARC4-R, our repair of PARC4-I
    Parc4r,
}

/// What there is to know of a family: a row of `arcfour families`.
pub struct Facts {
    /// Who proposed it.
    pub paper: &'static str,
    /// Whether it takes an IV beside the key, of as many bytes as the key may have.
    pub iv: bool,
    /// Whether there is more than the plain definition, and so a choice of backend.
    pub fast: bool,
    /// In a word.
    pub status: &'static str,
    /// What is known against it.
    pub how: &'static str,
    /// Who showed it.
    pub source: &'static str,
}

impl Family {
    /// The name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().expect("no family is hidden").get_name().to_owned()
    }

    /// What there is to know of it.
    pub fn facts(self) -> Facts {
        let vmpc = Facts {
            paper: "Zoltak, FSE 2004",
            iv: true,
            fast: false,
            status: "broken",
            how: "told from random after 2^38 bytes",
            source: "Tsunoo et al., SKEW 2005",
        };
        let parc4i = Facts {
            paper: "Handa & Kapoor 2015",
            iv: false,
            fast: false,
            status: "broken",
            how: "RC4 with every byte written four times",
            source: "shown in cipher/src/families/parc4i.rs",
        };
        match self {
            Self::Rc4 => Facts {
                paper: "Rivest 1987",
                iv: false,
                fast: true,
                status: "broken",
                how: "biased from the first byte on; repeated plaintext is recovered",
                source: "RFC 7465",
            },
            Self::Rc4a => Facts {
                paper: "Paul & Preneel, FSE 2004",
                iv: false,
                fast: true,
                status: "broken",
                how: "told from random after 2^23 bytes",
                source: "Tsunoo et al., SKEW 2005",
            },
            Self::Vmpc => vmpc,
            Self::VmpcKsa3 => Facts { paper: "Zoltak, after FSE 2004", ..vmpc },
            Self::Rc4plus => Facts {
                paper: "Maitra & Paul, Indocrypt 2008",
                iv: false,
                fast: false,
                status: "broken",
                how: "biased from the first byte on; faults give the state away",
                source: "Banik, Sarkar & Kacker, Indocrypt 2013",
            },
            Self::Spritz => Facts {
                paper: "Rivest & Schuldt 2014",
                iv: false,
                fast: false,
                status: "weakened",
                how: "told from random after 2^60.8 bytes; 2^81 were expected",
                source: "Banik & Isobe, FSE 2016",
            },
            Self::Parc4i => parc4i,
            Self::Parc4iText => parc4i,
            Self::Parc4r => Facts {
                paper: "this project",
                iv: false,
                fast: true,
                status: "unreviewed",
                how: "its lanes are RC4-drop[3072] and keep RC4's long-term biases",
                source: "cipher/src/families/parc4r.rs",
            },
        }
    }

    /// The cipher of this family with `key` and, if it takes one, `iv`, at position 0, on `backend`
    /// if it has a choice.
    ///
    /// # Errors
    /// If the family refuses the key or the IV, or takes none, or has no choice of backend.
    pub fn start(
        self,
        key: &[u8],
        iv: Option<&Iv>,
        backend: Option<Backend>,
    ) -> Result<Box<dyn Keystream + Send>, Failure> {
        self.check(iv.is_some(), "--iv-hex", |facts| facts.iv)?;
        self.check(backend.is_some(), "--backend", |facts| facts.fast)?;
        if self.facts().iv && iv.is_none() {
            return Err(Failure::Usage(format!(
                "the family {} needs an IV of 1 to 256 bytes beside the key: --iv-hex",
                self.name()
            )));
        }
        let iv = iv.map_or(&[][..], |Iv(iv)| iv);
        let backend = backend.unwrap_or_else(Backend::detect);
        Ok(match self {
            Self::Rc4 => Box::new(Rc4::with_backend(key, backend)?),
            Self::Rc4a => Box::new(Rc4a::with_backend(key, backend)?),
            Self::Vmpc => Box::new(Plain::new(vmpc::State::ksa(key, iv)?)),
            Self::VmpcKsa3 => Box::new(Plain::new(vmpc::State::ksa3(key, iv)?)),
            Self::Rc4plus => Box::new(Plain::new(rc4plus::State::ksa(key)?)),
            Self::Spritz => Box::new(Plain::new(spritz::State::key_setup(key)?)),
            Self::Parc4i => Box::new(Plain::new(parc4i::State::ksa(key, Reading::Printed)?)),
            Self::Parc4iText => Box::new(Plain::new(parc4i::State::ksa(key, Reading::Text)?)),
            Self::Parc4r => Box::new(Parc4r::with_backend(key, backend)?),
        })
    }

    /// Refuses an option that was given and has no meaning for this family.
    fn check(self, given: bool, option: &str, takes: fn(Facts) -> bool) -> Result<(), Failure> {
        if !given || takes(self.facts()) {
            return Ok(());
        }
        let takers = Self::value_variants().iter().filter(|family| takes(family.facts()));
        let names: Vec<_> = takers.map(|family| family.name()).collect();
        let (name, names) = (self.name(), names.join(", "));
        Err(Failure::Usage(format!("the family {name} takes no {option}; these do: {names}")))
    }
}

/// An initialization vector, for `--iv-hex`. Its length is for the cipher to judge.
#[derive(Clone, Debug)]
pub struct Iv(Vec<u8>);

impl FromStr for Iv {
    type Err = HexError;

    fn from_str(digits: &str) -> Result<Self, HexError> {
        hex::decode(digits.as_bytes()).map(Self)
    }
}

impl From<LengthError> for Failure {
    fn from(error: LengthError) -> Self {
        Self::Usage(error.to_string())
    }
}
