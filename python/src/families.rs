//! The families of ciphers, by the names of the command line.

use std::fmt::Display;

use arcfour::{
    Keystream, Parc4r, Plain, Rc4, Rc4a,
    families::{
        parc4i::{self, Reading},
        rc4plus, spritz, vmpc,
    },
};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
};

/// A cipher at work that can be copied.
pub trait Engine: Keystream + Send + Sync {
    /// The same cipher at the same position.
    fn copied(&self) -> Box<dyn Engine>;
}

impl<T: Keystream + Clone + Send + Sync + 'static> Engine for T {
    fn copied(&self) -> Box<dyn Engine> {
        Box::new(self.clone())
    }
}

/// An engine at position 0, or why there is none.
type Started = PyResult<Box<dyn Engine>>;

/// How a family starts.
enum Start {
    Key(fn(&[u8]) -> Started),
    KeyIv(fn(&[u8], &[u8]) -> Started),
}

/// A family of ciphers.
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Whether a skip takes the same time however far it goes.
    pub jumps: bool,
    start: Start,
}

/// Plain RC4.
pub static RC4: &Family = &FAMILIES[0];

/// All of them.
pub static FAMILIES: [Family; 9] = [
    keyed("rc4", |key| boxed(Rc4::from_key(key))),
    keyed("rc4a", |key| boxed(Rc4a::from_key(key))),
    with_iv("vmpc", |key, iv| boxed(vmpc::State::ksa(key, iv).map(Plain::new))),
    with_iv("vmpc-ksa3", |key, iv| boxed(vmpc::State::ksa3(key, iv).map(Plain::new))),
    keyed("rc4plus", |key| boxed(rc4plus::State::ksa(key).map(Plain::new))),
    keyed("spritz", |key| boxed(spritz::State::key_setup(key).map(Plain::new))),
    keyed("parc4i", |key| boxed(parc4i::State::ksa(key, Reading::Printed).map(Plain::new))),
    keyed("parc4i-text", |key| boxed(parc4i::State::ksa(key, Reading::Text).map(Plain::new))),
    Family { jumps: true, ..keyed("parc4r", |key| boxed(Parc4r::from_key(key))) },
];

const fn keyed(name: &'static str, start: fn(&[u8]) -> Started) -> Family {
    Family { name, jumps: false, start: Start::Key(start) }
}

const fn with_iv(name: &'static str, start: fn(&[u8], &[u8]) -> Started) -> Family {
    Family { name, jumps: false, start: Start::KeyIv(start) }
}

fn boxed<T: Engine + 'static>(cipher: Result<T, impl Display>) -> Started {
    match cipher {
        Ok(cipher) => Ok(Box::new(cipher)),
        Err(error) => Err(PyValueError::new_err(error.to_string())),
    }
}

impl Family {
    /// The family of that name.
    ///
    /// # Errors
    /// `ValueError` if there is none.
    pub fn named(name: &str) -> PyResult<&'static Self> {
        FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| {
            let names = FAMILIES.each_ref().map(|family| family.name).join(", ");
            PyValueError::new_err(format!("there is no family {name:?}; there are {names}"))
        })
    }

    /// The cipher at position 0.
    ///
    /// # Errors
    /// `ValueError` if the key or the IV is too short or too long, `TypeError` if an IV is missing or
    /// one too many.
    pub fn start(&self, key: &[u8], iv: Option<&[u8]>) -> Started {
        match (&self.start, iv) {
            (Start::Key(start), None) => start(key),
            (Start::KeyIv(start), Some(iv)) => start(key, iv),
            (Start::Key(_), Some(_)) => {
                Err(PyTypeError::new_err(format!("the family {} takes no IV", self.name)))
            }
            (Start::KeyIv(_), None) => Err(PyTypeError::new_err(format!(
                "the family {} needs an IV of 1 to 256 bytes beside the key",
                self.name
            ))),
        }
    }
}
