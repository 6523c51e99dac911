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
        match self.shell {
            Shell::Fish => {
                print(escaped_values(&String::from_utf8(text).expect("helps are UTF-8")).as_bytes())
            }
            _ => print(&text),
        }
    }
}

/// Escapes `$` in the lists of values of a script for fish. clap_complete writes them between double
/// quotes, where fish reads `$` as a variable.
fn escaped_values(script: &str) -> String {
    const LIST: &str = " -a \"";
    let mut parts = script.split(LIST);
    let mut escaped = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (values, rest) = part.split_once('"').expect("a list ends");
        escaped += &[LIST, &values.replace('$', r"\$"), "\"", rest].concat();
    }
    escaped
}
