//! Evaluates OpenSSL's cipher strings like `openssl ciphers`:
//! <https://docs.openssl.org/3.0/man1/openssl-ciphers/>.
//!
//! The result assumes a library that still has RC4, such as a build with `enable-weak-ssl-ciphers`.

use std::sync::LazyLock;

/// The properties of a suite in the output of `openssl ciphers`.
struct Suite {
    name: &'static str,
    version: &'static str,
    exchange: &'static str,
    authentication: &'static str,
    cipher: &'static str,
    hash: &'static str,
    strength: &'static str,
    is_default: bool,
}

static SUITES: LazyLock<Vec<Suite>> = LazyLock::new(|| {
    let lines = include_str!("ciphers.tsv").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [name, version, exchange, authentication, cipher, hash, strength, default] => {
                Some(Suite {
                    name,
                    version,
                    exchange,
                    authentication,
                    cipher,
                    hash,
                    strength,
                    is_default: default == "yes",
                })
            }
            _ => None,
        })
        .collect()
});

/// The result of a cipher string.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Allowed {
    /// Suites up to TLS 1.2, in the order of the table.
    pub(super) suites: Vec<&'static str>,
    /// The security level that the string sets.
    pub(super) level: Option<u8>,
}

impl Allowed {
    /// Returns the suites with RC4. A level above 1 forbids all of them.
    pub(super) fn rc4(&self) -> Vec<&'static str> {
        if self.level.is_some_and(|level| level > 1) {
            return Vec::new();
        }
        let is_rc4 = |name: &&&str| {
            SUITES.iter().any(|suite| suite.name == **name && suite.cipher.starts_with("RC4"))
        };
        self.suites.iter().filter(is_rc4).copied().collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Out,
    In,
    /// Removed permanently.
    Killed,
}

/// Evaluates a string.
pub(super) fn evaluate(string: &str) -> Allowed {
    let mut states = vec![State::Out; SUITES.len()];
    let mut level = None;
    let rules = match string.strip_prefix("DEFAULT") {
        Some(rules) => {
            apply(&mut states, b' ', |suite| suite.is_default);
            rules
        }
        None => string,
    };
    for element in rules.split([':', ',', ' ', ';', '\t', '\n']) {
        let mut rest = element;
        // A sign begins a rule without a separator too: `ALL!RC4@SECLEVEL=0` has three.
        while let Some(&first) = rest.as_bytes().first() {
            let signed = matches!(first, b'!' | b'-' | b'+' | b'@');
            let (sign, rule) = if signed { (first, &rest[1..]) } else { (b' ', rest) };
            let is_part = |part: char| part.is_ascii_alphanumeric() || "-_.=+".contains(part);
            let (words, next) =
                rule.split_at(rule.find(|part| !is_part(part)).unwrap_or(rule.len()));
            if sign == b'@' {
                if let Some(number) =
                    words.strip_prefix("SECLEVEL=").and_then(|number| number.parse().ok())
                {
                    level = Some(number);
                }
                break; // OpenSSL ignores the rest of the element
            }
            // An unknown word selects nothing, and neither does the rest of the element.
            if words.split('+').any(|word| SUITES[0].is(word).is_none()) {
                break;
            }
            apply(&mut states, sign, |suite| {
                words.split('+').all(|word| suite.is(word) == Some(true))
            });
            rest = next;
        }
    }
    let suites = SUITES.iter().zip(states).filter(|(_, state)| *state == State::In);
    Allowed { suites: suites.map(|(suite, _)| suite.name).collect(), level }
}

/// Applies a rule to the suites that it selects.
fn apply(states: &mut [State], sign: u8, selects: impl Fn(&Suite) -> bool) {
    for (_, state) in SUITES.iter().zip(states).filter(|(suite, _)| selects(suite)) {
        *state = match (sign, *state) {
            (_, State::Killed) | (b'!', _) => State::Killed,
            (b'-', _) => State::Out,
            (b'+', state) => state, // moves selected suites to the end
            _ => State::In,
        };
    }
}

impl Suite {
    /// Returns true if a word selects the suite; `None` if the word is unknown.
    fn is(&self, word: &str) -> Option<bool> {
        let cipher = |name: &str| self.cipher.starts_with(name);
        let bits = |bits: &str| self.cipher.ends_with(bits);
        let null = cipher("None");
        let none = self.authentication == "None";
        let aes = cipher("AES");
        let is_psk = matches!(self.exchange, "PSK" | "DHEPSK" | "ECDHEPSK" | "RSAPSK");
        Some(match word {
            "ALL" => !null,
            "COMPLEMENTOFALL" | "eNULL" | "NULL" => null,
            "COMPLEMENTOFDEFAULT" => !self.is_default && !null,
            "HIGH" | "MEDIUM" | "LOW" => self.strength == word,
            "EXP" | "EXPORT" => self.strength == "EXPORT",
            "EXPORT40" => self.strength == "EXPORT" && bits("(40)"),
            "EXPORT56" => self.strength == "EXPORT" && bits("(56)"),
            "aNULL" => none,
            "RSA" | "kRSA" => self.exchange == "RSA",
            "aRSA" => self.authentication == "RSA",
            "DH" | "kDHE" | "kEDH" => self.exchange == "DH",
            "DHE" | "EDH" => self.exchange == "DH" && !none,
            "ADH" => self.exchange == "DH" && none,
            "ECDH" | "kECDHE" | "kEECDH" => self.exchange == "ECDH",
            "ECDHE" | "EECDH" => self.exchange == "ECDH" && !none,
            "AECDH" => self.exchange == "ECDH" && none,
            "DSS" | "aDSS" => self.authentication == "DSS",
            "ECDSA" | "aECDSA" => self.authentication == "ECDSA",
            "PSK" => is_psk,
            "aPSK" => self.authentication == "PSK",
            "kPSK" => self.exchange == "PSK",
            "kDHEPSK" => self.exchange == "DHEPSK",
            "kECDHEPSK" => self.exchange == "ECDHEPSK",
            "kRSAPSK" => self.exchange == "RSAPSK",
            "SRP" | "kSRP" => self.exchange == "SRP",
            "aSRP" => self.authentication == "SRP",
            "SSLv3" | "TLSv1.2" => self.version == word,
            "TLSv1" | "TLSv1.0" => self.version == "TLSv1",
            "AES" => aes,
            "AES128" => aes && bits("(128)"),
            "AES256" => aes && bits("(256)"),
            "AESGCM" | "CHACHA20" | "ARIAGCM" => cipher(word),
            "AESCCM" => cipher("AESCCM"),
            "AESCCM8" => cipher("AESCCM8"),
            "CBC" => {
                matches!(self.cipher, "AES(128)" | "AES(256)" | "Camellia(128)" | "Camellia(256)")
            }
            "ARIA" => cipher("ARIA"),
            "ARIA128" => cipher("ARIA") && bits("(128)"),
            "ARIA256" => cipher("ARIA") && bits("(256)"),
            "CAMELLIA" => cipher("Camellia"),
            "CAMELLIA128" => cipher("Camellia") && bits("(128)"),
            "CAMELLIA256" => cipher("Camellia") && bits("(256)"),
            "RC4" => cipher("RC4"),
            // Ciphers without a table here. None is RC4.
            "DES" | "3DES" | "IDEA" | "SEED" | "RC2" | "GOST" | "GOST89" | "GOST94" => false,
            "MD5" => self.hash == "MD5",
            "SHA" | "SHA1" => self.hash == "SHA1",
            "SHA256" | "SHA384" => self.hash == word,
            "FIPS" => self.strength == "HIGH" && aes,
            _ if SUITES.iter().any(|suite| suite.name == word) => self.name == word,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, process::Command};

    use super::*;

    fn rc4(string: &str) -> Vec<&'static str> {
        evaluate(string).rc4()
    }

    #[test]
    fn strings_that_forbid_rc4_allow_none() {
        for string in [
            "HIGH",
            "DEFAULT",
            "ALL:!RC4",
            "ALL:-RC4",
            "RC4-SHA:!RC4",
            "!RC4:RC4-SHA:ALL",
            "ALL:!MEDIUM:!EXPORT",
            "ALL:RC4-SHA:@SECLEVEL=2",
            "ECDHE+AESGCM:DHE+AESGCM",
            "HIGH:!aNULL:!MD5",
            "HIGH:MEDIUM:!MEDIUM:!EXP",
            "RC4+AES",
            "+RC4",
            "no-such:RC4+no-such",
            "ALL!RC4",
            "RC4-SHA!RC4!MD5",
            "no-such!RC4:HIGH",
            "ALL@SECLEVEL=2",
            "",
        ] {
            assert_eq!(rc4(string), [""; 0], "{string}");
        }
    }

    #[test]
    fn strings_that_allow_rc4_name_its_suites() {
        assert_eq!(rc4("HIGH:RC4-SHA"), ["RC4-SHA"]);
        assert_eq!(rc4("HIGH:-RC4:RC4-MD5"), ["RC4-MD5"]);
        assert_eq!(rc4("RC4+kRSA+SHA"), ["RC4-SHA"]);
        assert_eq!(rc4("EXPORT"), ["EXP-RC4-MD5", "EXP-ADH-RC4-MD5"]);
        assert_eq!(rc4("ALL:!aNULL:!PSK:!EXP:!ECDHE"), ["RC4-MD5", "RC4-SHA"]);
        assert_eq!(rc4("MEDIUM:@SECLEVEL=0").len(), 10);
        assert_eq!(rc4("ALL").len(), 12);
        assert_eq!(rc4("DEFAULT@SECLEVEL=0:RC4-SHA"), ["RC4-SHA"]);
        assert_eq!(rc4("HIGH!aNULL:RC4-SHA@STRENGTH"), ["RC4-SHA"]);
        assert_eq!(rc4("RC4-SHA:no-such!RC4"), ["RC4-SHA"]);
        assert_eq!(rc4("COMPLEMENTOFDEFAULT:!EXP").len(), 10);
    }

    /// Compares with OpenSSL, on the suites that it has.
    #[test]
    fn openssl_evaluates_alike() {
        let strings = [
            "DEFAULT",
            "ALL",
            "HIGH",
            "HIGH:!aNULL:!MD5",
            "ALL:!aNULL:!eNULL",
            "ECDHE+AESGCM:DHE+CHACHA20",
            "DEFAULT:!kRSA:-SHA1",
            "eNULL",
            "COMPLEMENTOFALL",
            "COMPLEMENTOFDEFAULT",
            "ALL:-AES:AES128-SHA",
            "!AES128:ALL",
            "RSA",
            "kRSA",
            "aRSA",
            "PSK",
            "kECDHEPSK+AES256",
            "DH",
            "DHE",
            "ADH",
            "ECDH",
            "ECDHE",
            "AECDH",
            "aECDSA",
            "DSS",
            "SRP",
            "aSRP",
            "aPSK",
            "TLSv1.2+SHA256",
            "TLSv1",
            "SSLv3",
            "ARIA",
            "ARIA128",
            "CAMELLIA",
            "CAMELLIA256",
            "AESCCM",
            "AESCCM8",
            "CHACHA20",
            "SHA",
            "SHA384",
            "MD5:AES128-SHA",
            "AES+SHA:-PSK",
            "no-such:AES128-SHA",
            "AES128-SHA+no-such:AES256-SHA",
            "HIGH:+SHA1:!DSS",
            "AES:!AES256 ECDHE,-aRSA;AES256-SHA",
            "ALL:!ALL:AES128-SHA:HIGH:-HIGH:AES256-SHA",
            "HIGH:@STRENGTH",
            "AES128-SHA:DEFAULT",
            "EECDH:EDH:!SHA1",
            "kEDH+AES",
            "AES128+kPSK",
            "aNULL:-aNULL:HIGH:MEDIUM:+RC4:@STRENGTH",
            "ALL!aNULL!AES256@STRENGTH",
            "DEFAULT!kRSA",
            "AES128-SHA!ALL:AES256-SHA",
            "ALL:no-such!AES128",
            "HIGH@STRENGTH!AES",
            "AES256+SHA!PSK:AES128-SHA",
        ];
        let whole = listed("ALL:COMPLEMENTOFALL")
            .expect("OpenSSL is installed, as every test of this project expects");
        assert!(whole.len() > 100);
        let mut differ = Vec::new();
        for string in strings {
            let ours = evaluate(string).suites.into_iter().filter(|name| whole.contains(*name));
            let ours: BTreeSet<String> = ours.map(str::to_owned).collect();
            let theirs = listed(string).unwrap_or_default();
            differ
                .extend(ours.symmetric_difference(&theirs).map(|name| format!("{string}: {name}")));
        }
        assert_eq!(differ, [""; 0]);
    }

    /// Returns the list of `openssl ciphers`, without the suites of TLS 1.3, which no string
    /// removes.
    fn listed(string: &str) -> Option<BTreeSet<String>> {
        let out = Command::new("openssl")
            .args(["ciphers", &format!("{string}:@SECLEVEL=0")])
            .output()
            .unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        out.status.success().then(|| {
            text.trim()
                .split(':')
                .filter(|name| !name.starts_with("TLS_"))
                .map(str::to_owned)
                .collect()
        })
    }
}
