//! `arcfour office inspect`

use arcfour_formats::office::Document;

use crate::console::{
    document::read_all, facts::office::Facts, failure::Failure, shown::InspectArgs, table::named,
};

/// Show the protection of a Word, Excel, PowerPoint or Access file, without its password
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour office inspect old.doc
  arcfour office inspect --hash old.xls > hash.txt")]
pub(super) struct Args {
    #[command(flatten)]
    shown: InspectArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let input = self.shown.open()?;
        let name = input.name().to_owned();
        let document = Document::read(read_all(input)?);
        let document =
            document.map_err(|error| Failure::Work(format!("cannot inspect {name}: {error}")))?;
        let facts = Facts::of(&document);
        self.shown.print(&name, &facts, facts.hash(), |facts| named(facts.rows()) + &facts.end())
    }
}
