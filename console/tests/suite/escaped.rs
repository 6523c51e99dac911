//! Untrusted text on a terminal.

use arcfour_console::failure::Escaped;

#[test]
fn what_a_terminal_would_obey_is_shown() {
    let name = "a\u{1b}]0;pwned\u{7}\n\r\t\u{9b}31m\u{7f}\u{202e}\u{61c}é '";
    let shown = r"a\u{1b}]0;pwned\u{7}\n\r\t\u{9b}31m\u{7f}\u{202e}\u{61c}é '";
    assert_eq!(Escaped(name).to_string(), shown);
}
