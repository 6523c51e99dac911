//! The families of ciphers, by number.

use std::ffi::c_int;

use arcfour::{DynKeystream, Keystream, Rc4, StartError};

use crate::error::Error;

/// A family of ciphers. `arcfour families`, or the README of the crate `arcfour`, says what each is
/// and what is known against it.
#[repr(C)]
#[allow(non_camel_case_types, dead_code)] // C has but one name space, and it is C that uses them
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

// The numbers are places in the library's list of families.
const _: () = {
    use arcfour::Family as Known;
    assert!(Known::ALL.len() == 9);
    assert!(Known::Rc4 as isize == Family::ARCFOUR_RC4 as isize);
    assert!(Known::Rc4a as isize == Family::ARCFOUR_RC4A as isize);
    assert!(Known::Vmpc as isize == Family::ARCFOUR_VMPC as isize);
    assert!(Known::VmpcKsa3 as isize == Family::ARCFOUR_VMPC_KSA3 as isize);
    assert!(Known::Rc4plus as isize == Family::ARCFOUR_RC4PLUS as isize);
    assert!(Known::Spritz as isize == Family::ARCFOUR_SPRITZ as isize);
    assert!(Known::Parc4i as isize == Family::ARCFOUR_PARC4I as isize);
    assert!(Known::Parc4iText as isize == Family::ARCFOUR_PARC4I_TEXT as isize);
    assert!(Known::Parc4r as isize == Family::ARCFOUR_PARC4R as isize);
    let mut n = 0;
    while n < Known::ALL.len() {
        assert!(Known::ALL[n] as usize == n);
        n += 1;
    }
};

/// Returns the family of a number, which may be any, as C passes it.
pub fn numbered(number: c_int) -> Result<arcfour::Family, Error> {
    let known = usize::try_from(number).ok().and_then(|n| arcfour::Family::ALL.get(n));
    known.copied().ok_or(Error::ARCFOUR_FAMILY)
}

/// A cipher of any family. RC4 is held in place: it takes a new key without an allocation, and
/// goes from one buffer to another without a copy.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "most streams are of RC4")]
pub enum Cipher {
    Rc4(Rc4),
    Other(Box<dyn DynKeystream>),
}

impl Cipher {
    /// Starts a cipher at position 0. An IV of no bytes means no IV, because C cannot express the
    /// difference.
    pub fn start(family: arcfour::Family, key: &[u8], iv: &[u8]) -> Result<Self, Error> {
        if let (arcfour::Family::Rc4, []) = (family, iv) {
            return Ok(Self::Rc4(Rc4::from_key(key)?));
        }
        let iv = (family.takes_iv() || !iv.is_empty()).then_some(iv);
        Ok(Self::Other(family.start(key, iv, None)?))
    }

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

impl From<StartError> for Error {
    fn from(error: StartError) -> Self {
        match error {
            StartError::KeyLength(_) => Self::ARCFOUR_KEY_LENGTH,
            // No backend is ever chosen, so all other errors concern the IV.
            _ => Self::ARCFOUR_IV_LENGTH,
        }
    }
}
