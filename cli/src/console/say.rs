//! Messages beside the result.

use super::failure::warn;

/// Prints a message on one line of standard error, which begins with the command's name.
pub fn say(message: &str) {
    warn("arcfour", message);
}
