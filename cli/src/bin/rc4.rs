//! `rc4`: the filter of Galvane & Uzel.

use std::process::ExitCode;

fn main() -> ExitCode {
    arcfour_cli::rc4::main()
}
