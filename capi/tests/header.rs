//! arcfour.h says what the library has.

use std::{env, fs, path::Path};

#[test]
fn header_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut header = Vec::new();
    cbindgen::generate_with_config(root, config).unwrap().write(&mut header);
    let path = root.join("include/arcfour.h");
    if env::var_os("ARCFOUR_WRITE_HEADER").is_some() {
        assert!(env::var_os("CI").is_none(), "ARCFOUR_WRITE_HEADER must not be set where CI is");
        fs::write(&path, &header).unwrap();
    }
    let committed = fs::read(&path).unwrap_or_default();
    assert!(committed == header, "arcfour.h is stale: write it anew by `make capi-header`");
}
