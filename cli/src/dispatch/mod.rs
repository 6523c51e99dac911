//! `arcfour`: the toolbox. Parses its command line and runs the command.

mod wrong;

use std::{
    ffi::OsString,
    io::{IsTerminal, stdout},
    process::ExitCode,
};

use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{
    WARNING,
    commands::{
        attack, backends, bench, bias, completions, crypt, ent, families, find, inspect, keygen,
        keystream, man, office, open, pdf, seal, survey,
    },
    console::{
        failure::{self, Failure},
        output::print,
        program::Program,
    },
};

/// The command line.
#[derive(Parser)]
#[command(
    name = "arcfour",
    version,
    about = "Decrypt old RC4 data, recover lost keys, find RC4 that is still in use, study the cipher",
    after_help = "\
Examples:
  arcfour inspect old.doc letter.pdf backup.enc
  arcfour crypt old.rc4 -o old.txt --key-file key.bin
  arcfour crypt --openssl -d --guess --key-file pass.txt old.enc -o old.txt
  arcfour pdf decrypt old.pdf -o plain.pdf --password
  arcfour find --office old.doc --estimate
  arcfour survey /srv/archive
  arcfour keystream --key-hex 0102030405 --bytes 1GiB | arcfour ent

`arcfour COMMAND --help` has examples of each command.

Exit codes: 0 done (or the pipe was closed), 1 the work failed, 2 wrong usage.",
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

// In the order of the help: identify and read old data, recover keys, find RC4, study it, measure, seal.
#[derive(Subcommand)]
enum Command {
    Inspect(inspect::Args),
    Crypt(crypt::Args),
    Pdf(pdf::Args),
    Office(office::Args),
    Find(Box<find::Args>),
    Attack(attack::Args),
    Survey(survey::Args),
    Families(families::Args),
    Keystream(keystream::Args),
    Ent(ent::Args),
    Bias(bias::Args),
    Backends(backends::Args),
    Bench(bench::Args),
    Keygen(keygen::Args),
    Seal(seal::Args),
    Open(open::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The program.
pub fn main() -> ExitCode {
    let usage = "\nFor more information, try '--help'.\n";
    let line: Vec<OsString> = std::env::args_os().collect();
    match parse(&line) {
        Ok(cli) => {
            let refused = wrong::secret_for_a_file(&line).map(Failure::Usage);
            failure::finish("arcfour", usage, refused.map_or_else(|| cli.run(), Err))
        }
        Err(error) if wrong::is_wrong_usage(&error) => {
            let text = wrong::text(error, &line, &command(), usage);
            failure::write_stderr(&text.replacen("error:", "arcfour:", 1));
            ExitCode::from(2)
        }
        // Returns the requested command. Without arguments, prints the help as wrong usage.
        Err(error) if error.use_stderr() => {
            failure::write_stderr(&error.to_string());
            ExitCode::from(2)
        }
        Err(error) => {
            let text = error.render();
            let text =
                if stdout().is_terminal() { text.ansi().to_string() } else { text.to_string() };
            failure::finish("arcfour", usage, print(text.as_bytes()))
        }
    }
}

/// Parses a command line, the program's name first.
///
/// # Errors
/// If the usage is wrong, or help or version were asked for.
pub fn parse<T>(line: impl IntoIterator<Item = T>) -> Result<Cli, clap::Error>
where
    T: Into<OsString> + Clone,
{
    let mut matches = command().try_get_matches_from(line)?;
    Cli::from_arg_matches_mut(&mut matches)
}

/// Returns the command line for `clap`, with the warning before every help text. A help text is as
/// wide as the terminal, up to 100 columns.
fn command() -> clap::Command {
    fn warned(command: clap::Command) -> clap::Command {
        command.before_help(WARNING).max_term_width(100).mut_subcommands(warned)
    }
    warned(Cli::command())
}

impl Cli {
    fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Inspect(args) => args.run(),
            Command::Crypt(args) => args.run(),
            Command::Pdf(args) => args.run(),
            Command::Office(args) => args.run(),
            Command::Find(args) => args.run(),
            Command::Attack(args) => args.run(),
            Command::Survey(args) => args.run(),
            Command::Families(args) => args.run(),
            Command::Keystream(args) => args.run(),
            Command::Ent(args) => args.run(),
            Command::Bias(args) => args.run(),
            Command::Backends(args) => args.run(),
            Command::Bench(args) => args.run(),
            Command::Keygen(args) => args.run(),
            Command::Seal(args) => args.run(),
            Command::Open(args) => args.run(),
            Command::Completions(args) => args.run(described),
            Command::Man(args) => args.run(described),
        }
    }
}

/// Returns either command for `clap`.
fn described(program: Program) -> clap::Command {
    match program {
        Program::Arcfour => command(),
        Program::Rc4 => rc4(),
    }
}

/// `rc4`, which parses its few options itself.
fn rc4() -> clap::Command {
    let option = |(name, value, does): (&'static str, Option<&'static str>, &'static str)| {
        let option = Arg::new(name).long(name).help(does);
        match value {
            Some(value) => option.value_name(value).require_equals(true),
            None => option.action(ArgAction::SetTrue),
        }
    };
    clap::Command::new("rc4")
        .version(env!("CARGO_PKG_VERSION"))
        .about("encrypt or decrypt a plain/cipher text using the RC4 algorithm")
        .after_help(arcfour_rc4::NOTES)
        .override_usage("rc4 [OPTION]... KEY")
        .args(arcfour_rc4::OPTIONS.map(option))
        .arg(Arg::new("key").value_name("KEY").required(true).help("1 to 256 ASCII characters"))
}

#[cfg(test)]
mod tests {
    use std::{env, fmt::Write, fs};

    use super::{command, described};
    use crate::{EXIT_CODES, WARNING, console::program::Program};

    /// Calls `check` with every command, its name and the text of its long help.
    fn each_command(
        command: &mut clap::Command,
        check: &mut dyn FnMut(&clap::Command, &str, &str),
    ) {
        command.build();
        let help = command.render_long_help().to_string();
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        check(command, &name, &help);
        let subcommands = command.get_subcommands_mut().filter(|sub| sub.get_name() != "help");
        subcommands.for_each(|subcommand| each_command(subcommand, check));
    }

    #[test]
    fn every_command_warns_and_has_an_example() {
        let mut count = 0;
        each_command(&mut command().term_width(100), &mut |_, name, help| {
            count += 1;
            assert!(help.starts_with(WARNING), "{name}: {help}");
            let examples = help.split("Example").nth(1).unwrap_or_else(|| panic!("{name}: {help}"));
            let words = name.replace('-', " ");
            assert!(examples.contains(&words), "{name} is not in its own examples");
        });
        assert!(count > 30);
    }

    #[test]
    fn help_fits_the_terminal() {
        for width in [60, 80, 100] {
            each_command(&mut command().term_width(width), &mut |_, name, help| {
                let mut of_examples = false; // may be longer, and continue at the margin
                for line in help.lines() {
                    of_examples = line.starts_with("Example") || of_examples && !line.is_empty();
                    // A usage line cannot be broken.
                    let usage = line.starts_with("Usage:") && line.chars().count() <= 80;
                    let fits = line.chars().count() <= width;
                    assert!(usage || of_examples || fits, "{name}, {width} columns: {line}");
                }
            });
        }
    }

    /// A line end within a paragraph would leave a ragged line wherever the terminal is narrower or wider.
    #[test]
    fn paragraphs_of_a_help_are_wrapped_by_the_terminal_alone() {
        each_command(&mut command(), &mut |command, name, _| {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for paragraph in help.split("\n\n") {
                let list = paragraph.lines().all(|line| line.starts_with("  "));
                let ragged = paragraph.contains('\n') && !paragraph.starts_with("Example") && !list;
                assert!(!ragged, "{name}: {paragraph}");
            }
        });
    }

    /// Adds a line for a command, a line for each of its arguments, then its subcommands.
    fn list(command: &clap::Command, name: &str, text: &mut String) {
        let aliases: String =
            command.get_all_aliases().map(|alias| format!(" = {alias}")).collect();
        writeln!(text, "\n{name}{aliases}").unwrap();
        for argument in command.get_arguments() {
            let short = argument.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
            write!(text, "  {short}{argument}").unwrap();
            for alias in argument.get_all_aliases().unwrap_or_default() {
                write!(text, " = --{alias}").unwrap();
            }
            // A flag has values and a default inside of clap, and none on a command line.
            if argument.get_action().takes_values() {
                let values = argument.get_possible_values();
                let values: Vec<_> = values.iter().map(|value| value.get_name()).collect();
                if !values.is_empty() {
                    write!(text, ", one of {}", values.join(" ")).unwrap();
                }
                for value in argument.get_default_values() {
                    write!(text, ", default {}", value.display()).unwrap();
                }
            }
            text.push_str(if argument.is_required_set() { ", required\n" } else { "\n" });
        }
        for subcommand in command.get_subcommands() {
            list(subcommand, &format!("{name} {}", subcommand.get_name()), text);
        }
    }

    /// The listing holds every name on a command line, so that no name changes unnoticed.
    #[test]
    fn the_listing_of_commands_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../interfaces/commands.txt");
        let mut text = format!("{EXIT_CODES}\n");
        for program in [Program::Rc4, Program::Arcfour] {
            let mut command = described(program).disable_help_subcommand(true);
            command.build();
            list(&command, command.get_name(), &mut text);
        }
        if env::var_os("ARCFOUR_WRITE_INTERFACES").is_some() {
            assert!(env::var_os("CI").is_none(), "written by hand only");
            fs::write(path, &text).unwrap();
        }
        let recorded = fs::read_to_string(path).unwrap_or_default();
        let changed = text.lines().find(|line| !recorded.lines().any(|each| each == *line));
        assert!(
            text == recorded,
            "`make interfaces` writes it anew; the first new line: {changed:?}"
        );
    }
}
