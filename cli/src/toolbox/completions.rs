//! `arcfour completions`

use clap_complete::Shell;

use super::Program;
use crate::failure::Failure;

/// Print the completions of a command for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour completions bash > ~/.local/share/bash-completion/completions/arcfour
  arcfour completions --program rc4 fish > ~/.config/fish/completions/rc4.fish")]
pub struct Args {
    /// The shell
    shell: Shell,
    /// The command to be completed
    #[arg(long, value_enum, default_value_t)]
    program: Program,
}

impl Args {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut text = Vec::new();
        let mut command = self.program.command();
        let name = command.get_name().to_owned();
        clap_complete::generate(self.shell, &mut command, name, &mut text);
        super::print(&text)
    }
}
