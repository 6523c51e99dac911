//! Untrusted text, shown on one line.

use std::fmt::{self, Display, Write};

/// Shows untrusted text, such as a file's name or contents, on one line of a terminal. Control
/// characters become escapes, and so do characters that reorder or hide others.
#[derive(Debug)]
pub struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|char| match char {
            _ if is_hidden(char) => write!(f, "{}", char.escape_default()),
            _ => f.write_char(char),
        })
    }
}

/// Returns true for a control character, and for one that reorders or hides others.
pub(crate) fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}
