//! Gives the shared library the name that programs linked to it look for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!(
            "cargo:rustc-cdylib-link-arg=-Wl,-soname,libarcfour.so.{}",
            env!("CARGO_PKG_VERSION_MAJOR")
        );
    }
}
