//! `arcfour`: the toolbox. One file per subcommand.

mod backends;
mod bench;
mod bias;
mod completions;
mod crypt;
mod ent;
mod families;
mod inspect;
mod keygen;
mod keystream;
mod man;
mod open;
mod seal;

use std::{ffi::OsString, io::Write, process::ExitCode};

use clap::{
    CommandFactory, Parser, Subcommand, error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
};

use crate::failure::{self, Failure};

/// The command line.
#[derive(Parser)]
#[command(
    name = "arcfour",
    version,
    about = "The RC4 workbench",
    before_help = crate::WARNING,
    after_help = "\
Examples:
  arcfour crypt old.rc4 -o old.txt --key-file key.bin
  arcfour crypt --key Quentin --out-hex < letter.txt
  arcfour keystream --key-hex 0102030405 --bytes 1GiB | ent
  arcfour seal --key-file key backup.tar -o backup.sealed

Exit codes: 0 done, 1 the work failed, 2 wrong usage. A closed pipe is not an error.
`arcfour COMMAND --help` has examples of each command.",
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Crypt(crypt::Args),
    Keystream(keystream::Args),
    Ent(ent::Args),
    Families(families::Args),
    Seal(seal::Args),
    Open(open::Args),
    Inspect(inspect::Args),
    Keygen(keygen::Args),
    Bias(bias::Args),
    Backends(backends::Args),
    Bench(bench::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The program.
pub fn main() -> ExitCode {
    match parse(std::env::args_os()) {
        Ok(cli) => failure::finish("arcfour", "\nFor more information, try '--help'.\n", cli.run()),
        Err(error)
            if error.use_stderr() && error.kind() != DisplayHelpOnMissingArgumentOrSubcommand =>
        {
            let text = error.to_string();
            failure::complain(&text.replacen("error:", "arcfour:", 1));
            ExitCode::from(2)
        }
        Err(error) => error.exit(),
    }
}

/// Parses a command line, the program's name first.
///
/// # Errors
/// If the usage is wrong, or help or version were asked for.
pub fn parse(line: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(line)
}

impl Cli {
    fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Crypt(args) => args.run(),
            Command::Keystream(args) => args.run(),
            Command::Ent(args) => args.run(),
            Command::Families(args) => args.run(),
            Command::Seal(args) => args.run(),
            Command::Open(args) => args.run(),
            Command::Inspect(args) => args.run(),
            Command::Keygen(args) => args.run(),
            Command::Bias(args) => args.run(),
            Command::Backends(args) => args.run(),
            Command::Bench(args) => args.run(),
            Command::Completions(args) => args.run(),
            Command::Man(args) => args.run(),
        }
    }
}

/// Prints a finished text to standard output.
fn print(text: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text).and_then(|()| out.flush());
    written.map_err(|error| Failure::write("standard output", &error))
}

/// The two commands, as `clap` knows them.
#[derive(Clone, Copy, Default, clap::ValueEnum)]
enum Program {
    #[default]
    Arcfour,
    Rc4,
}

impl Program {
    fn command(self) -> clap::Command {
        match self {
            Self::Arcfour => Cli::command(),
            Self::Rc4 => crate::rc4::Args::command(),
        }
    }
}
