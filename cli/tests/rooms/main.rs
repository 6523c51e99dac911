//! Tests of the source tree: dependencies of crates, imports of files, and places of tests.

mod arrows;
mod circles;
mod code;
mod dependencies;
mod imports;
mod layout;
mod libraries;
mod plan;

use std::path::{Path, PathBuf};

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_owned()
}
