//! The two commands, for those that write about both.

/// A command.
#[derive(Clone, Copy, Default, clap::ValueEnum)]
pub enum Program {
    #[default]
    Arcfour,
    Rc4,
}
