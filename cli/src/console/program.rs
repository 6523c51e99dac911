//! The two commands, for the modules that document both.

/// A command.
#[derive(Clone, Copy, Default, clap::ValueEnum)]
pub enum Program {
    #[default]
    Arcfour,
    Rc4,
}
