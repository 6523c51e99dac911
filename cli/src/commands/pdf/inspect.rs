//! `arcfour pdf inspect`

use arcfour_formats::pdf::Document;

use super::files::failed;
use crate::console::{
    facts::pdf::{Facts, source},
    failure::Failure,
    shown::InspectArgs,
    table::named,
};

/// Show the encryption of a PDF file, without its password
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour pdf inspect old.pdf
  arcfour pdf inspect --hash old.pdf > hash.txt")]
pub(super) struct Args {
    #[command(flatten)]
    shown: InspectArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let input = self.shown.open()?;
        let name = input.name().to_owned();
        let document = Document::repair(source(input)?);
        let document = document.map_err(|error| failed("inspect", &name, &error))?;
        let facts = Facts::of(&document);
        self.shown.print(&name, &facts, facts.hash(), |facts| named(facts.rows()) + &facts.end())
    }
}
