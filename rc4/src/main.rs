//! `rc4`: the filter of Galvane & Uzel.

use std::process::ExitCode;

fn main() -> ExitCode {
    arcfour_rc4::main()
}
