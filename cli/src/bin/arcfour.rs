//! `arcfour`: the toolbox.

use std::process::ExitCode;

fn main() -> ExitCode {
    arcfour_cli::dispatch::main()
}
