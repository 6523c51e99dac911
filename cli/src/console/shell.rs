//! Commands to type, in messages.

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "/._-+,:@%=".contains(char);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
