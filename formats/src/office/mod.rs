//! Documents of Word, Excel and PowerPoint 97 to 2003 encrypted with RC4: [MS-OFFCRYPTO] §2.3.5 and
//! §2.3.6, [MS-DOC] §2.2.6, [MS-XLS] §2.2.10, [MS-PPT] §2.3.7.
//!
//! [`Handler`] is the two handlers as pure functions from passwords to keys: that of Office 97, with a file
//! key of 40 bits, and RC4 CryptoAPI, with keys of 40 to 128 bits. [`Document`] is a whole file.
//!
//! | | .doc | .xls | .ppt |
//! |---|---|---|---|
//! | Office 97 RC4 | decrypted | decrypted | there is none |
//! | RC4 CryptoAPI | decrypted, but for the summary | decrypted, but for the summary | slides decrypted; not the summary, nor pictures |
//! | XOR obfuscation | named | named | there is none |
//!
//! Files of Office 2007 and later (.docx, .xlsx, .pptx) hold AES; they are named, and
//! `msoffcrypto-tool` opens them.

mod document;
mod error;
mod handler;
mod header;

pub use document::{Document, Format, OpenedWith};
pub use error::Error;
pub use handler::{BlockKey, CryptoApi, FileKey, Handler, Office97};
pub use header::Protection;
