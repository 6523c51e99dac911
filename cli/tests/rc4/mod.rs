//! The program `rc4`, which another package builds beside this one.

use std::{path::Path, sync::LazyLock};

/// The path of `rc4`. `cargo test -p arcfour-cli` alone does not build it.
pub static RC4: LazyLock<&str> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_BIN_EXE_arcfour")).with_file_name("rc4");
    assert!(path.exists(), "{} is missing: cargo build -p arcfour-rc4", path.display());
    Box::leak(path.to_string_lossy().into_owned().into_boxed_str())
});
