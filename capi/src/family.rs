//! The families of ciphers, by number.

use std::ffi::c_int;

use arcfour::{
    Keystream, Parc4r, Plain, Rc4, Rc4a,
    families::{
        parc4i::{self, Reading},
        rc4plus, spritz,
        vmpc::{self, LengthError},
    },
};

use crate::error::Error;

/// A family of ciphers. `arcfour families`, or the README of the crate `arcfour`, says what each is
/// and what is known against it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types)] // C has but one name space
pub enum Family {
    /// RC4 itself.
    ARCFOUR_RC4 = 0,
    /// RC4A (Paul & Preneel 2004).
    ARCFOUR_RC4A = 1,
    /// VMPC (Zoltak 2004). Takes an IV.
    ARCFOUR_VMPC = 2,
    /// VMPC with the key schedule KSA3. Takes an IV.
    ARCFOUR_VMPC_KSA3 = 3,
    /// RC4+ (Maitra & Paul 2008).
    ARCFOUR_RC4PLUS = 4,
    /// Spritz (Rivest & Schuldt 2014).
    ARCFOUR_SPRITZ = 5,
    /// PARC4-I (Handa & Kapoor 2015) as its algorithm 2 is printed.
    ARCFOUR_PARC4I = 6,
    /// PARC4-I as the text above describes it.
    ARCFOUR_PARC4I_TEXT = 7,
    /// PARC4-R, our repair of PARC4-I.
    ARCFOUR_PARC4R = 8,
}

impl Family {
    const ALL: [Self; 9] = [
        Self::ARCFOUR_RC4,
        Self::ARCFOUR_RC4A,
        Self::ARCFOUR_VMPC,
        Self::ARCFOUR_VMPC_KSA3,
        Self::ARCFOUR_RC4PLUS,
        Self::ARCFOUR_SPRITZ,
        Self::ARCFOUR_PARC4I,
        Self::ARCFOUR_PARC4I_TEXT,
        Self::ARCFOUR_PARC4R,
    ];

    /// The family of this number: C may pass any.
    pub fn of(number: c_int) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|&family| family as c_int == number);
        known.ok_or(Error::ARCFOUR_FAMILY)
    }

    /// The cipher at position 0.
    pub fn start(self, key: &[u8], iv: &[u8]) -> Result<Cipher, Error> {
        let takes_iv = matches!(self, Self::ARCFOUR_VMPC | Self::ARCFOUR_VMPC_KSA3);
        if !takes_iv && !iv.is_empty() {
            return Err(Error::ARCFOUR_IV_LENGTH);
        }
        Ok(Cipher::Other(match self {
            Self::ARCFOUR_RC4 => return Ok(Cipher::Rc4(Rc4::from_key(key)?)),
            Self::ARCFOUR_RC4A => Box::new(Rc4a::from_key(key)?),
            Self::ARCFOUR_VMPC => Box::new(Plain::new(vmpc::State::ksa(key, iv)?)),
            Self::ARCFOUR_VMPC_KSA3 => Box::new(Plain::new(vmpc::State::ksa3(key, iv)?)),
            Self::ARCFOUR_RC4PLUS => Box::new(Plain::new(rc4plus::State::ksa(key)?)),
            Self::ARCFOUR_SPRITZ => Box::new(Plain::new(spritz::State::key_setup(key)?)),
            Self::ARCFOUR_PARC4I => {
                Box::new(Plain::new(parc4i::State::ksa(key, Reading::Printed)?))
            }
            Self::ARCFOUR_PARC4I_TEXT => {
                Box::new(Plain::new(parc4i::State::ksa(key, Reading::Text)?))
            }
            Self::ARCFOUR_PARC4R => Box::new(Parc4r::from_key(key)?),
        }))
    }
}

/// A cipher of any family. RC4 stands in place: it takes a new key without an allocation, and
/// goes from one buffer to another without a copy.
#[expect(clippy::large_enum_variant, reason = "most streams are of RC4")]
pub enum Cipher {
    Rc4(Rc4),
    Other(Box<dyn Keystream + Send>),
}

impl Cipher {
    pub fn keystream(&mut self) -> &mut dyn Keystream {
        match self {
            Self::Rc4(rc4) => rc4,
            Self::Other(cipher) => &mut **cipher,
        }
    }

    pub fn position(&self) -> u64 {
        match self {
            Self::Rc4(rc4) => rc4.position(),
            Self::Other(cipher) => cipher.position(),
        }
    }
}

impl From<LengthError> for Error {
    fn from(error: LengthError) -> Self {
        match error {
            LengthError::Key(_) => Self::ARCFOUR_KEY_LENGTH,
            LengthError::Iv { .. } => Self::ARCFOUR_IV_LENGTH,
        }
    }
}
