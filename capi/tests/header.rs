//! arcfour.h says what the library has.

use std::{env, fs, path::Path, process::Command};

#[test]
fn header_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    config.after_includes = Some(format!(
        "
/* The version of this header. The library says its own: arcfour_version(). */
#define ARCFOUR_VERSION_MAJOR {}
#define ARCFOUR_VERSION_MINOR {}
#define ARCFOUR_VERSION_PATCH {}",
        env!("CARGO_PKG_VERSION_MAJOR"),
        env!("CARGO_PKG_VERSION_MINOR"),
        env!("CARGO_PKG_VERSION_PATCH"),
    ));
    let mut header = Vec::new();
    cbindgen::generate_with_config(root, config).unwrap().write(&mut header);
    // C++98 allows no comma after the last of an enum, and C89 no comment that begins with //.
    let header = String::from_utf8(header)
        .unwrap()
        .replace(",\n}", "\n}")
        .replace("// __cplusplus", "/* __cplusplus */")
        .replace("// extern \"C\"", "/* extern \"C\" */")
        .into_bytes();
    let path = root.join("include/arcfour.h");
    if env::var_os("ARCFOUR_WRITE_HEADER").is_some() {
        assert!(env::var_os("CI").is_none(), "ARCFOUR_WRITE_HEADER must not be set where CI is");
        fs::write(&path, &header).unwrap();
    }
    let committed = fs::read(&path).unwrap_or_default();
    assert!(committed == header, "arcfour.h is stale: write it anew by `make capi-header`");
}

/// Runs a test of this program where CI is, told to write: it refuses.
#[test]
fn nothing_is_written_where_ci_is() {
    let done = Command::new(env::current_exe().unwrap())
        .args(["header_is_fresh", "--exact"])
        .envs([("CI", "true"), ("ARCFOUR_WRITE_HEADER", "1")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(
        !done.status.success() && said.contains("ARCFOUR_WRITE_HEADER must not be set where CI is"),
        "{said}"
    );
}
