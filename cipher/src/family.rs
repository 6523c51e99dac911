//! The registry: every family of ciphers by name, what is known against it, and how to start it.
//!
//! Every program of the project reads this list; none has its own.

use alloc::{borrow::ToOwned, boxed::Box, string::String};
use core::{error, fmt, ops::RangeInclusive, str::FromStr};

#[cfg(feature = "parc4r")]
use crate::Parc4r;
use crate::{
    Backend, KeyLengthError, Keystream, MAX_KEY, MIN_KEY, Parc4i, Parc4iText, Rc4, Rc4a, Rc4plus,
    Spritz, Vmpc, VmpcKsa3, families::vmpc::LengthError, wipe::wipe_stack,
};

/// Stack bytes in which a cipher may leave its state while it is made and moved to a box.
const MOVED: usize = 32 << 10;

/// A family of ciphers, chosen at run time.
///
/// ```
/// use arcfour::{Family, Keystream};
///
/// let family: Family = "VMPC".parse()?;
/// let mut cipher = family.start(b"Key", Some(b"IV"), None)?;
/// let mut text = *b"Plaintext";
/// cipher.clone().apply(&mut text);
/// cipher.apply(&mut text);
/// assert_eq!(&text, b"Plaintext");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// RC4 (Rivest 1987).
    #[default]
    Rc4,
    /// RC4A (Paul & Preneel 2004).
    Rc4a,
    /// VMPC (Zoltak 2004). Takes an IV.
    Vmpc,
    /// VMPC with its author's later key schedule, KSA3. Takes an IV.
    VmpcKsa3,
    /// RC4+ (Maitra & Paul 2008).
    Rc4plus,
    /// Spritz (Rivest & Schuldt 2014).
    Spritz,
    /// PARC4-I (Handa & Kapoor 2015), as its Algorithm 2 is printed.
    Parc4i,
    /// PARC4-I, as the text above Algorithm 2 describes it.
    Parc4iText,
    /// PARC4-R, this project's repair of PARC4-I (feature `parc4r`).
    #[cfg(feature = "parc4r")]
    Parc4r,
}

/// A family's resistance to the published attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// A practical attack, or a distinguisher within reach of a computer, is published.
    Broken,
    /// An attack beats the designers' claim, and is out of reach.
    Weakened,
    /// Only its designers have published an analysis.
    Unreviewed,
}

/// Facts about a family.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// Describes the family in a few words.
    pub about: &'static str,
    /// Who proposed it, where and when.
    pub paper: &'static str,
    /// How well the family resists the published attacks.
    pub status: Status,
    /// The best known attack or weakness.
    pub attack: &'static str,
    /// The source of that: a paper, or a file of this project.
    pub source: &'static str,
    /// Range of key lengths in bytes.
    pub key_bytes: RangeInclusive<usize>,
    /// Range of IV lengths in bytes; `None` if the family takes no IV.
    pub iv_bytes: Option<RangeInclusive<usize>>,
    /// True if the family has a backend besides its definition, so that a [`Backend`] can be
    /// chosen.
    pub fast: bool,
    /// True if [`Keystream::skip`] takes the same time for every distance.
    pub seekable: bool,
}

impl Family {
    /// All families, RC4 first.
    pub const ALL: &'static [Self] = &[
        Self::Rc4,
        Self::Rc4a,
        Self::Vmpc,
        Self::VmpcKsa3,
        Self::Rc4plus,
        Self::Spritz,
        Self::Parc4i,
        Self::Parc4iText,
        #[cfg(feature = "parc4r")]
        Self::Parc4r,
    ];

    /// Returns the name that [`FromStr`] reads, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rc4 => "rc4",
            Self::Rc4a => "rc4a",
            Self::Vmpc => "vmpc",
            Self::VmpcKsa3 => "vmpc-ksa3",
            Self::Rc4plus => "rc4plus",
            Self::Spritz => "spritz",
            Self::Parc4i => "parc4i",
            Self::Parc4iText => "parc4i-text",
            #[cfg(feature = "parc4r")]
            Self::Parc4r => "parc4r",
        }
    }

    /// Returns true if the family takes an IV beside the key.
    pub const fn takes_iv(self) -> bool {
        matches!(self, Self::Vmpc | Self::VmpcKsa3)
    }

    /// Returns the facts about the family.
    pub fn facts(self) -> Facts {
        let bytes = MIN_KEY..=MAX_KEY;
        let plain = Facts {
            about: "RC4 itself",
            paper: "Rivest 1987",
            status: Status::Broken,
            attack: "biased from the first byte on; repeated plaintext is recovered",
            source: "RFC 7465",
            key_bytes: bytes.clone(),
            iv_bytes: self.takes_iv().then_some(bytes),
            fast: false,
            seekable: false,
        };
        let vmpc = Facts {
            about: "VMPC, with an IV",
            paper: "Zoltak, FSE 2004",
            attack: "distinguished from random after 2^38 bytes",
            source: "Tsunoo et al., SKEW 2005",
            ..plain.clone()
        };
        let parc4i = Facts {
            about: "PARC4-I as its algorithm 2 is printed",
            paper: "Handa & Kapoor 2015",
            attack: "byte 4 of each round is RC4's; all four are equal in 99.2 % of rounds",
            source: "shown in cipher/src/families/parc4i.rs",
            ..plain.clone()
        };
        match self {
            Self::Rc4 => Facts { fast: true, ..plain },
            Self::Rc4a => Facts {
                about: "RC4A, two tables that look up each other",
                paper: "Paul & Preneel, FSE 2004",
                attack: "distinguished from random after 2^23 bytes",
                source: "Tsunoo et al., SKEW 2005",
                fast: true,
                ..plain
            },
            Self::Vmpc => vmpc,
            Self::VmpcKsa3 => Facts {
                about: "VMPC with the later key schedule of its author",
                paper: "Zoltak, after FSE 2004",
                ..vmpc
            },
            Self::Rc4plus => Facts {
                about: "RC4+: RC4 with three look-ups a byte",
                paper: "Maitra & Paul, Indocrypt 2008",
                attack: "biased from the first byte on; faults give the state away",
                source: "Banik, Sarkar & Kacker, Indocrypt 2013",
                ..plain
            },
            Self::Spritz => Facts {
                about: "Spritz, the sponge",
                paper: "Rivest & Schuldt 2014",
                status: Status::Weakened,
                attack: "distinguished from random after 2^60.8 bytes; 2^81 were expected",
                source: "Banik & Isobe, FSE 2016",
                ..plain
            },
            Self::Parc4i => parc4i,
            Self::Parc4iText => Facts {
                about: "PARC4-I as the text above algorithm 2 describes it",
                attack: "bytes 2 and 4 of each round are RC4's; all four are equal in 99.2 % of \
                         rounds",
                ..parc4i
            },
            #[cfg(feature = "parc4r")]
            Self::Parc4r => Facts {
                about: "PARC4-R, our repair of PARC4-I",
                paper: "this project",
                status: Status::Unreviewed,
                attack: "its lanes are RC4-drop[3072] and keep RC4's long-term biases",
                source: "cipher/src/families/parc4r.rs",
                fast: true,
                seekable: true,
                ..plain
            },
        }
    }

    /// Starts a cipher of this family at position 0, by the fastest backend unless another is given.
    ///
    /// An `iv` of no bytes is an IV: leave it `None` for the families that take none.
    ///
    /// # Errors
    ///
    /// Fails if the key or the IV is outside 1 to 256 bytes. Fails if an IV is missing, or given to
    /// a family that takes none. Fails if a backend is given to a family that has only its
    /// definition.
    pub fn start(
        self,
        key: &[u8],
        iv: Option<&[u8]>,
        backend: Option<Backend>,
    ) -> Result<Box<dyn DynKeystream>, StartError> {
        if backend.is_some() && !self.facts().fast {
            return Err(StartError::BackendRefused { family: self });
        }
        let iv = match (self.takes_iv(), iv) {
            (true, Some(iv)) => iv,
            (false, None) => &[],
            (true, None) => return Err(StartError::IvMissing { family: self }),
            (false, Some(_)) => return Err(StartError::IvRefused { family: self }),
        };
        let backend = backend.unwrap_or_else(Backend::detect);
        if self == Self::Rc4 {
            return Ok(Rc4::boxed(key, backend)?);
        }
        let cipher = self.moved_to_box(key, iv, backend);
        wipe_stack::<MOVED>();
        cipher
    }

    /// Not inlined, so that [`wipe_stack`] reaches its stack frame.
    #[inline(never)]
    fn moved_to_box(
        self,
        key: &[u8],
        iv: &[u8],
        backend: Backend,
    ) -> Result<Box<dyn DynKeystream>, StartError> {
        Ok(match self {
            Self::Rc4 => Rc4::boxed(key, backend)?,
            Self::Rc4a => Box::new(Rc4a::with_backend(key, backend)?),
            Self::Vmpc => Box::new(Vmpc::from_key_iv(key, iv)?),
            Self::VmpcKsa3 => Box::new(VmpcKsa3::from_key_iv(key, iv)?),
            Self::Rc4plus => Box::new(Rc4plus::from_key(key)?),
            Self::Spritz => Box::new(Spritz::from_key(key)?),
            Self::Parc4i => Box::new(Parc4i::from_key(key)?),
            Self::Parc4iText => Box::new(Parc4iText::from_key(key)?),
            #[cfg(feature = "parc4r")]
            Self::Parc4r => Box::new(Parc4r::with_backend(key, backend)?),
        })
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Family {
    type Err = UnknownFamily;

    /// Reads a name, in upper or lower case.
    fn from_str(name: &str) -> Result<Self, UnknownFamily> {
        let known = Self::ALL.iter().find(|family| family.name().eq_ignore_ascii_case(name));
        known.copied().ok_or_else(|| UnknownFamily { name: name.to_owned() })
    }
}

impl Status {
    /// Returns the status as one word in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Weakened => "weakened",
            Self::Unreviewed => "unreviewed",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A [`Keystream`] behind a pointer that can be cloned and sent to another thread: what
/// [`Family::start`] returns.
pub trait DynKeystream: Keystream + Send + Sync {
    /// Clones the cipher, at the position it has reached, into a new box.
    fn clone_box(&self) -> Box<dyn DynKeystream>;
}

impl<T: Keystream + Clone + Send + Sync + 'static> DynKeystream for T {
    fn clone_box(&self) -> Box<dyn DynKeystream> {
        /// Not inlined, so that [`wipe_stack`] reaches its stack frame.
        #[inline(never)]
        fn moved_to_box<T: Clone>(cipher: &T) -> Box<T> {
            Box::new(cipher.clone())
        }
        let cipher = moved_to_box(self);
        wipe_stack::<MOVED>();
        cipher
    }
}

impl Clone for Box<dyn DynKeystream> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

/// An error: no family has the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFamily {
    /// The refused name.
    pub name: String,
}

impl fmt::Display for UnknownFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no family {:?}; there are ", self.name)?;
        write_names(f, |_| true)
    }
}

impl error::Error for UnknownFamily {}

/// An error of [`Family::start`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// The key is outside 1 to 256 bytes.
    KeyLength(KeyLengthError),
    /// The IV is outside 1 to 256 bytes.
    IvLength {
        /// The length of the refused IV, in bytes.
        given: usize,
    },
    /// The family takes an IV, and none was given.
    IvMissing {
        /// The family.
        family: Family,
    },
    /// An IV was given to a family that takes none.
    IvRefused {
        /// The family.
        family: Family,
    },
    /// A backend was given to a family that has only its definition.
    BackendRefused {
        /// The family.
        family: Family,
    },
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::KeyLength(error) => error.fmt(f),
            Self::IvLength { given } => LengthError::Iv { given }.fmt(f),
            Self::IvMissing { family } => write!(
                f,
                "the family {family} needs an IV of {MIN_KEY} to {MAX_KEY} bytes beside the key"
            ),
            Self::IvRefused { family } => {
                write!(f, "the family {family} takes no IV; these do: ")?;
                write_names(f, Family::takes_iv)
            }
            Self::BackendRefused { family } => {
                write!(f, "the family {family} has no choice of backend; these have: ")?;
                write_names(f, |family| family.facts().fast)
            }
        }
    }
}

impl error::Error for StartError {}

impl From<KeyLengthError> for StartError {
    fn from(error: KeyLengthError) -> Self {
        Self::KeyLength(error)
    }
}

impl From<LengthError> for StartError {
    fn from(error: LengthError) -> Self {
        match error {
            LengthError::Key(error) => Self::KeyLength(error),
            LengthError::Iv { given } => Self::IvLength { given },
        }
    }
}

/// Writes the names of the families that `which` accepts, with commas between them.
fn write_names(f: &mut fmt::Formatter<'_>, which: fn(Family) -> bool) -> fmt::Result {
    let names = Family::ALL.iter().filter(|family| which(**family));
    names
        .enumerate()
        .try_for_each(|(n, family)| write!(f, "{}{family}", if n > 0 { ", " } else { "" }))
}
