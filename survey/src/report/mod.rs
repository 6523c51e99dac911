//! Reports of the findings: for other programs, and as a page.

mod cyclonedx;
mod html;
mod json;
mod sarif;

pub use cyclonedx::cyclonedx;
pub use html::html;
pub use json::{finding, summary};
pub use sarif::sarif;

/// The limits of such a survey, for the end of every report.
pub const BLIND: [&str; 8] = [
    "Members of archives that are encrypted, and archives in other formats than ZIP, tar and gzip.",
    "Renegotiation inside TLS, and what TLS, SSH and VPNs carry.",
    "Kerberos over TLS (KKDCP), and with a KDC on another port than 88.",
    "Connections whose beginning the capture lacks, fragments of IP, tunnels such as GRE, and lost packets.",
    "Programs for Java or .NET, programs that are packed, and those that load RC4 by a name made at run time.",
    "RC4 in hardware, in firmware images and in file systems that are not mounted.",
    "Configuration that is made at run time, comes from the network, or is compiled in.",
    "States in memory whose indexes lie apart, as in Java: `arcfour attack memory --all-indexes` finds them.",
];

/// The project's address.
const HOME: &str = env!("CARGO_PKG_NAME");
const VERSION: &str = env!("CARGO_PKG_VERSION");
