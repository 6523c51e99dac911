//! The native half of the Python package `arcfour`. Documentation comments on what
//! Python sees are its docstrings; `python/arcfour/_native.pyi` repeats them with the types.

mod arc4;
mod attacks;
#[allow(unsafe_code)]
mod buffer;
mod campaign;
mod cipher;
mod counts;
mod documents;
mod errors;
mod families;
mod find;
mod many;
mod numbers;
mod openssl;
mod sealed;
mod shard;
mod streams;
mod survey;
mod verdicts;

use pyo3::{prelude::*, types::PyTuple};

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::arc4::{Arc4Cipher, new};
    #[pymodule_export]
    use super::attacks::{key_from_state, memory_states, wep_capture, wep_key};
    #[pymodule_export]
    use super::campaign::Campaign;
    #[pymodule_export]
    use super::cipher::Cipher;
    #[pymodule_export]
    use super::counts::{Counts, merge, read_table};
    #[pymodule_export]
    use super::documents::{
        WrongPasswordError, office_decrypt, office_inspect, pdf_decrypt, pdf_inspect,
    };
    #[pymodule_export]
    use super::find::find;
    #[pymodule_export]
    use super::many::keystreams;
    #[pymodule_export]
    use super::openssl::{openssl_decrypt, openssl_encrypt};
    #[pymodule_export]
    use super::sealed::{SealedFileError, new_key, open, seal, threads_of};
    #[pymodule_export]
    use super::shard::run_shard;
    #[pymodule_export]
    use super::streams::create_file;
    #[pymodule_export]
    use super::survey::{Finding, Survey, survey};
    #[pymodule_export]
    use super::verdicts::{compare, verify};
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let names = arcfour::Family::ALL.iter().map(|family| family.name());
        module.add("families", PyTuple::new(module.py(), names)?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
