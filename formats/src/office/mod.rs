//! Documents of Word, Excel, PowerPoint and Access 97 to 2003 encrypted with RC4. Sources:
//! [MS-OFFCRYPTO] §2.3.5 and §2.3.6, [MS-DOC] §2.2.6, [MS-XLS] §2.2.10, [MS-PPT] §2.3.7. For
//! Access, `access.rs` has the sources.
//!
//! [`Handler`] has two handlers, as pure functions from passwords to keys. Office 97 has a file key
//! of 40 bits, and RC4 CryptoAPI has keys of 40 to 128 bits. [`Xor`] is the obfuscation of older
//! programs, and of some countries' versions of 97 to 2003. [`Document`] is a whole file.
//!
//! | | .doc | .xls | .ppt |
//! |---|---|---|---|
//! | Office 97 RC4 | decrypted | decrypted | does not exist |
//! | RC4 CryptoAPI | decrypted | decrypted, except embedded objects | decrypted |
//! | XOR obfuscation | decrypted | decrypted, of Excel 5 and 95 too | does not exist |
//!
//! Databases of Access 97 to 2003 contain their key. RC4 databases of Access 2007 use one of the
//! handlers.
//!
//! Files of Office 2007 and later (.docx, .xlsx, .pptx) use AES. The error names them;
//! `msoffcrypto-tool` opens them.

mod access;
mod cipher;
mod compound;
mod document;
mod error;
mod excel;
mod format;
mod handler;
mod header;
mod powerpoint;
mod summary;
mod word;
mod xor;

pub use document::{Decrypted, Document, OpenedWith};
pub use error::Error;
pub use format::Format;
pub use handler::{BlockKey, CryptoApi, FileKey, Handler, Office97};
pub use header::{Jet, Protection};
pub use xor::Xor;
