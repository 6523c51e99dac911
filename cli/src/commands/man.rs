//! `arcfour man`

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap_mangen::{
    Man,
    roff::{Roff, roman},
};

use crate::{
    EXIT_CODES, WARNING,
    console::{failure::Failure, output::Output, program::Program, stream::Sink},
};

/// The date of the version, which each page shows.
const RELEASED: &str = "2026-11-29";

/// Write the manual pages of both commands
///
/// There is a page for each command and subcommand: rc4.1, arcfour.1, arcfour-crypt.1 and so on. All
/// are written, or none.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  arcfour man ~/.local/share/man/man1 && man -M ~/.local/share/man arcfour-crypt

Without -M, man looks into ~/.local/share/man if ~/.local/bin is in PATH.")]
pub struct Args {
    /// The folder for the pages; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Replace pages that exist
    #[arg(long)]
    force: bool,
}

impl Args {
    pub(crate) fn run(&self, described: fn(Program) -> clap::Command) -> Result<(), Failure> {
        let mut pages = vec![];
        for program in [Program::Rc4, Program::Arcfour] {
            let mut command = described(program).disable_help_subcommand(true);
            command.build();
            let source = format!("{} {}", command.get_name(), env!("CARGO_PKG_VERSION"));
            add_pages(&command, &source, &mut pages).expect("a Vec takes every page");
        }
        let failed = |error| Failure::write(format_args!("'{}'", self.folder.display()), &error);
        if self.folder.exists() && !self.folder.is_dir() {
            return Err(Failure::Work(format!("'{}' is not a folder", self.folder.display())));
        }
        fs::create_dir_all(&self.folder).map_err(failed)?;
        let outputs = pages.iter().map(|(name, text)| {
            let mut output = self.create(&self.folder.join(name))?;
            output.write(text.as_bytes())?;
            Ok(output)
        });
        // No page gets its name before all pages are written.
        let outputs = outputs.collect::<Result<Vec<_>, Failure>>()?;
        outputs.into_iter().try_for_each(Output::commit)
    }

    fn create(&self, path: &Path) -> Result<Output, Failure> {
        if path.is_symlink() {
            return Err(Failure::Work(format!(
                "'{}' is a symbolic link, and pages are not written through one; remove it",
                path.display()
            )));
        }
        Output::create(path, self.force, &[])
    }
}

/// Adds the pages of a command and of its subcommands: file name and text. `source` is the program
/// with its version.
fn add_pages(
    command: &clap::Command,
    source: &str,
    pages: &mut Vec<(String, String)>,
) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        add_pages(subcommand, source, pages)?;
    }
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    let title = command.get_display_name().unwrap_or(command.get_name()).to_uppercase();
    let man = Man::new(command.clone().override_usage(usage));
    let man = man.title(title).date(RELEASED).source(source);
    let mut page = vec![];
    man.render_title(&mut page)?;
    page.extend_from_slice(b".nh\n"); // a hyphen in a command or an option is one to be typed
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    let mut warning = Roff::new();
    warning.control("SH", ["WARNING"]).text([roman(WARNING)]);
    warning.to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let after_help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    after_sections(&after_help).to_writer(&mut page)?;
    let text = String::from_utf8(page).expect("roff of UTF-8 is UTF-8");
    pages.push((man.get_filename(), ascii(&text)));
    Ok(())
}

/// Turns the part of a help text after the options into sections: paragraphs, examples, exit codes.
fn after_sections(help: &str) -> Roff {
    let (mut notes, mut examples) = (vec![], vec![]);
    for paragraph in help.split("\n\n").filter(|paragraph| *paragraph != EXIT_CODES) {
        let mut lines = paragraph.lines();
        match lines.next() {
            Some("Example:" | "Examples:") => examples.extend(lines),
            _ => notes.push(paragraph),
        }
    }
    let mut roff = Roff::new();
    if !notes.is_empty() {
        roff.control("SH", ["NOTES"]);
    }
    for paragraph in notes {
        roff.control("PP", []).text([roman(paragraph.replace('\n', " "))]);
    }
    if !examples.is_empty() {
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples {
            roff.text([roman(line.trim_start())]);
        }
        roff.control("fi", []);
    }
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in [
        ("0", "The work is done, or the reader of the output has closed the pipe."),
        ("1", "The work failed; standard error says why."),
        ("2", "The usage is wrong; standard error says how."),
    ] {
        roff.control("TP", []).text([roman(code)]).text([roman(meaning)]);
    }
    roff
}

/// Writes characters beyond ASCII by their numbers, which every roff reads in every locale.
fn ascii(text: &str) -> String {
    let escape = |char: char| match char.is_ascii() {
        true => char.to_string(),
        false => format!("\\[u{:04X}]", u32::from(char)),
    };
    text.chars().map(escape).collect()
}
