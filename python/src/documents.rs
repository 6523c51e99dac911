//! `pdf` and `office`: documents that hold RC4.

use std::io::{self, Read, Seek, SeekFrom};

use arcfour_formats::{
    office::{self, Handler, Protection},
    pdf,
};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBytes, PyDict},
};
use zeroize::Zeroizing;

use crate::{
    buffer::Buffer,
    errors::os_error,
    sealed::text,
    streams::{Sink, Source, extend},
};

/// Bytes between two looks at the signals, and the most that a piece holds.
const PIECE: usize = 1 << 20;
/// Maximum size of a document, in bytes.
const MOST: u64 = (1 << 31) - 1;

pyo3::create_exception!(
    arcfour,
    WrongPasswordError,
    PyValueError,
    "The password or the key does not open the document."
);

/// A password or a key of a document.
enum Opens {
    Password(Zeroizing<Vec<u8>>),
    Key(Zeroizing<Vec<u8>>),
}

impl Opens {
    fn of(
        password: Option<&Bound<'_, PyAny>>,
        file_key: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        match (password, file_key) {
            (Some(_), Some(_)) => Err(PyTypeError::new_err("give either password= or file_key=")),
            (_, Some(key)) => Buffer::of(key)?.secret().map(Self::Key),
            (Some(password), None) => text(password).map(Self::Password),
            (None, None) => Ok(Self::Password(Zeroizing::default())),
        }
    }
}

/// Decrypt a PDF file that is encrypted with RC4.
///
/// `source`, `target` and `overwrite` are as for `seal`. `password` is the user's or the owner's,
/// by default the empty one. `file_key` is the key of 5 to 16 bytes that a password makes. `repair`
/// reads the intact parts of a damaged file. The whole document is decrypted before any byte is
/// written.
///
/// Raises WrongPasswordError if the password or the key is wrong. Raises ValueError if the file is
/// damaged, not encrypted, encrypted with another cipher, or longer than 2147483647 bytes.
#[pyfunction]
#[pyo3(signature = (source, target=None, *, password=None, file_key=None, repair=false, overwrite=false))]
pub fn pdf_decrypt<'py>(
    source: &Bound<'py, PyAny>,
    target: Option<&Bound<'py, PyAny>>,
    password: Option<&Bound<'py, PyAny>>,
    file_key: Option<&Bound<'py, PyAny>>,
    repair: bool,
    overwrite: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let opens = Opens::of(password, file_key)?;
    convert(source, target, overwrite, move |bytes| {
        let mut document =
            if repair { pdf::Document::repair(bytes)? } else { pdf::Document::read(bytes)? };
        let security = document.security().ok_or(pdf::Error::NotEncrypted)?;
        let key = match opens {
            Opens::Password(password) => security.open(&password)?.0,
            Opens::Key(key) => pdf::FileKey::new(&key)?,
        };
        document.decrypt(&key)?;
        let mut plain = vec![];
        document.write(&mut plain).map_err(Refused::other)?;
        Ok(plain)
    })
}

/// Return a dict that describes the encryption of a PDF file, without its password.
///
/// The dict has `encrypted` and `pdf_version`. Its `damaged` says which parts could not be read, or
/// is None. For an encrypted file it has V, R, Length, P, ID, O and U, unchanged from the
/// encryption dictionary. It also has `handler`, `strings`, `streams`, `embedded_files` and
/// `metadata_encrypted`, and `key_bits` if the cipher is RC4.
///
/// Raises ValueError if the file cannot be read.
#[pyfunction]
pub fn pdf_inspect<'py>(source: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = source.py();
    let bytes = read_all(source)?;
    let document = py.detach(|| pdf::Document::repair(bytes)).map_err(refused)?;
    let facts = PyDict::new(py);
    facts.set_item("pdf_version", document.version())?;
    facts.set_item("encrypted", document.security().is_some())?;
    facts.set_item("damaged", document.lost())?;
    let Some(security) = document.security() else { return Ok(facts) };
    facts.set_item("handler", &security.handler)?;
    facts.set_item("V", security.version)?;
    facts.set_item("R", security.revision)?;
    facts.set_item("Length", security.length)?;
    facts.set_item("P", security.permissions)?;
    facts.set_item("ID", PyBytes::new(py, &security.id))?;
    facts.set_item("O", PyBytes::new(py, &security.owner))?;
    facts.set_item("U", PyBytes::new(py, &security.user))?;
    facts.set_item("strings", security.strings.to_string())?;
    facts.set_item("streams", security.streams.to_string())?;
    facts.set_item("embedded_files", security.embedded_files.to_string())?;
    facts.set_item("metadata_encrypted", security.encrypt_metadata)?;
    let bits = security.rc4().ok().map(|standards| 8 * standards[0].key_len);
    facts.set_item("key_bits", bits)?;
    Ok(facts)
}

/// Decrypt a Word, Excel, PowerPoint or Access file of 97 to 2003 that is encrypted with RC4.
///
/// `source`, `target` and `overwrite` are as for `seal`. Without a password, the empty one is
/// tried, and for a workbook Excel's default password. `file_key` is the key that a password makes:
/// 5 bytes with the handler of Office 97, 20 with RC4 CryptoAPI and 16 with XOR obfuscation. The
/// whole document is decrypted before any byte is written.
///
/// Raises WrongPasswordError if the password or the key is wrong. Raises ValueError if the document
/// is damaged, not encrypted, encrypted with another cipher, or longer than 2147483647 bytes.
#[pyfunction]
#[pyo3(signature = (source, target=None, *, password=None, file_key=None, overwrite=false))]
pub fn office_decrypt<'py>(
    source: &Bound<'py, PyAny>,
    target: Option<&Bound<'py, PyAny>>,
    password: Option<&Bound<'py, PyAny>>,
    file_key: Option<&Bound<'py, PyAny>>,
    overwrite: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let opens = Opens::of(password, file_key)?;
    convert(source, target, overwrite, move |bytes| {
        let document = office::Document::read(bytes)?;
        let key = match opens {
            Opens::Password(password) => document.open(&password)?.0,
            Opens::Key(key) => document.key(&key)?,
        };
        Ok(document.decrypt(&key)?.file)
    })
}

/// Return a dict that describes the protection of a Word, Excel, PowerPoint or Access file.
///
/// Files of 97 to 2003 are read. The dict has `format` and `protection`. If the protection is RC4,
/// it also has `key_bits`, `salt`, `verifier` and `verifier_hash`.
///
/// Raises ValueError if the file cannot be read.
#[pyfunction]
pub fn office_inspect<'py>(source: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = source.py();
    let bytes = read_all(source)?;
    let document = py.detach(|| office::Document::read(bytes)).map_err(refused)?;
    let facts = PyDict::new(py);
    facts.set_item("format", document.format().to_string())?;
    let protection = match document.protection() {
        Protection::None => "none",
        Protection::Rc4(Handler::Office97(_)) => "Office 97 RC4",
        Protection::Rc4(Handler::CryptoApi(_)) => "RC4 CryptoAPI",
        Protection::Xor(_) => "XOR obfuscation",
        Protection::Jet(_) => "Jet encoding",
        Protection::Other(name) => name,
        _ => "unknown",
    };
    facts.set_item("protection", protection)?;
    let Ok(handler) = document.handler() else { return Ok(facts) };
    let (bits, salt, verifier, hash) = match handler {
        Handler::Office97(header) => {
            (40, &header.salt, &header.verifier, &header.verifier_hash[..])
        }
        Handler::CryptoApi(header) => {
            (header.key_bits, &header.salt, &header.verifier, &header.verifier_hash[..])
        }
    };
    facts.set_item("key_bits", bits)?;
    facts.set_item("salt", PyBytes::new(py, salt))?;
    facts.set_item("verifier", PyBytes::new(py, verifier))?;
    facts.set_item("verifier_hash", PyBytes::new(py, hash))?;
    Ok(facts)
}

/// The exception for a refused document.
struct Refused {
    is_wrong_password: bool,
    message: String,
}

impl Refused {
    fn other(error: io::Error) -> Self {
        Self { is_wrong_password: false, message: error.to_string() }
    }
}

impl From<pdf::Error> for Refused {
    fn from(error: pdf::Error) -> Self {
        let is_wrong_password = matches!(error, pdf::Error::WrongPassword | pdf::Error::WrongKey);
        Self { is_wrong_password, message: error.to_string() }
    }
}

impl From<office::Error> for Refused {
    fn from(error: office::Error) -> Self {
        use office::Error::{WrongKey, WrongPassword};
        let is_wrong_password = matches!(error, WrongPassword | WrongKey);
        Self { is_wrong_password, message: error.to_string() }
    }
}

fn refused(error: impl Into<Refused>) -> PyErr {
    let Refused { is_wrong_password, message } = error.into();
    match is_wrong_password {
        true => WrongPasswordError::new_err(message),
        false => PyValueError::new_err(message),
    }
}

/// Reads all bytes of a source, if it is no longer than a document may be.
fn read_all(source: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let py = source.py();
    let source = Source::of(source)?;
    let path = source.path();
    let mut reader = source.bytes;
    if source.any_thread {
        let size = reader.seek(SeekFrom::End(0)).and_then(|size| reader.rewind().map(|()| size));
        let size = size.map_err(|error| os_error(error, path.as_deref()))?;
        if size > MOST {
            return Err(too_long(&size.to_string()));
        }
    }
    let (mut all, mut piece) = (vec![], vec![0; PIECE]);
    loop {
        match py.detach(|| reader.read(&mut piece)) {
            Ok(0) => return Ok(all),
            Ok(len) => extend(&mut all, &piece[..len])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(os_error(error, path.as_deref())),
        }
        if all.len() as u64 > MOST {
            return Err(too_long(&format!("more than {MOST}")));
        }
        py.check_signals()?;
    }
}

fn too_long(size: &str) -> PyErr {
    PyValueError::new_err(format!("the source has {size} bytes; a document has at most {MOST}"))
}

/// Reads the source, then writes what `work` makes of it to the target.
fn convert<'py>(
    source: &Bound<'py, PyAny>,
    target: Option<&Bound<'py, PyAny>>,
    overwrite: bool,
    work: impl FnOnce(Vec<u8>) -> Result<Vec<u8>, Refused> + Send,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = source.py();
    let mut sink = Sink::of(target, overwrite)?;
    let bytes = read_all(source)?;
    let made = py.detach(|| work(bytes)).map_err(refused)?;
    for piece in made.chunks(PIECE) {
        sink.write(py, piece)?;
        py.check_signals()?;
    }
    sink.finish(py)
}
