#![doc = include_str!("../README.md")]
#![doc(hidden)] // the command; its parts are public for its manual page, its completions and for fuzzing

mod args;
mod bench;

use std::{ffi::OsString, os::unix::ffi::OsStrExt, process::ExitCode};

use arcfour::{Backend, Rc4};
use arcfour_console::{
    failure::{self, Failure},
    filter::Filter,
    input::Input,
    output::Output,
    stdio,
    stream::{self, Sink},
};

pub use args::{Args, NOTES, OPTIONS, Request, USAGE, parse};

/// The program.
pub fn main() -> ExitCode {
    failure::finish("rc4", USAGE, run(std::env::args_os()))
}

fn run(line: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    match parse(line)? {
        Request::Print(text) => {
            let written =
                stdio::stdout().and_then(|mut out| stdio::write_all(&mut out, text.as_bytes()));
            written.map_err(|error| Failure::write("standard output", &error))
        }
        Request::Run(args) => match args.bench {
            Some(bytes) => bench::run(args.key.as_bytes(), bytes, args.bench_loop.unwrap_or(1)),
            None => crypt(&args),
        },
    }
}

fn crypt(args: &Args) -> Result<(), Failure> {
    let cipher = Rc4::boxed(args.key.as_bytes(), Backend::detect())?;
    let input = Input::stdin()?;
    let mut output = Output::stdout(&[Some(&input.guard())])?;
    stream::send_through(input, Filter::new(cipher, args.in_hexa, args.out_hexa), &mut output)?;
    if args.out_hexa && output.is_terminal() {
        output.write(b"\n")?;
    }
    Ok(())
}
