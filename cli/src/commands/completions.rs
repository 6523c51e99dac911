//! `arcfour completions`

use clap_complete::Shell;

use crate::console::{failure::Failure, output::print, program::Program};

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
    pub(crate) fn run(&self, described: fn(Program) -> clap::Command) -> Result<(), Failure> {
        let mut text = Vec::new();
        let mut command = described(self.program);
        let name = command.get_name().to_owned();
        clap_complete::generate(self.shell, &mut command, name, &mut text);
        print(&text)
    }
}
