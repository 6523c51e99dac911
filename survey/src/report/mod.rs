//! Reports of the findings: for other programs, and as a page.

mod cyclonedx;
mod html;
mod json;
mod sarif;

use std::path::Path;

pub use cyclonedx::cyclonedx;
pub use html::html;
pub use json::{finding, summary};
pub use sarif::sarif;

/// The limits of such a survey, for every report.
pub const BLIND: [&str; 8] = [
    "Members of archives that are encrypted, and archives in other formats than ZIP, tar and gzip.",
    "Renegotiation inside TLS, and what TLS, SSH and VPNs carry.",
    "Kerberos over TLS (KKDCP), and with a KDC on another port than 88.",
    "Connections whose beginning the capture lacks, fragments of IP, tunnels such as GRE, and lost packets.",
    "Source code, scripts, programs for Java or .NET, packed programs, and programs that load RC4 by a name made at run time.",
    "RC4 in hardware, in firmware images and in file systems that are not mounted.",
    "Configuration that is made at run time, comes from the network, or is compiled in.",
    "States in memory whose indexes lie apart, as in Java: `arcfour attack memory --all-indexes` finds them.",
];

/// The project's address.
const HOME: &str = env!("CARGO_PKG_NAME");
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes a path as a reference (RFC 3986); absolute paths become `file:` references.
fn uri(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let text: String = bytes
        .iter()
        .map(|&byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect();
    if path.is_absolute() { format!("file://{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri(Path::new("/a b/ü#?.doc")), "file:///a%20b/%C3%BC%23%3F.doc");
        assert_eq!(uri(Path::new("a:b/c")), "a%3Ab/c");
    }
}
