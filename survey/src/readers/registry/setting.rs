//! The settings of the registry that allow RC4.

use std::collections::BTreeMap;

use crate::{RuleId, readers::kerberos::RC4_BIT};

const SCHANNEL: RuleId = RuleId::new("schannel");
const KERBEROS: RuleId = RuleId::new("kerberos-policy");
const NETLOGON: RuleId = RuleId::new("netlogon");
const RDP: RuleId = RuleId::new("rdp-policy");
const DOTNET: RuleId = RuleId::new("dotnet-tls");

/// The encryption level of RDP that takes 3DES in place of RC4.
const FIPS: u32 = 4;

/// What a value of the registry holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// REG_DWORD.
    Number(u32),
    /// REG_SZ or REG_MULTI_SZ, whose entries are then separated by commas.
    Text(String),
}

/// A value of the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The line or the entry of the file, counted from 1.
    pub(super) number: usize,
    /// The key, from its root or from within it.
    pub(super) key: String,
    pub(super) name: String,
    pub(super) data: Data,
}

/// The names of values that may allow RC4, and the end of their key's path. All in lower case.
const NAMES: [(&str, &str); 16] = [
    ("enabled", r"control\securityproviders\schannel\ciphers\rc4 40/128"),
    ("enabled", r"control\securityproviders\schannel\ciphers\rc4 56/128"),
    ("enabled", r"control\securityproviders\schannel\ciphers\rc4 64/128"),
    ("enabled", r"control\securityproviders\schannel\ciphers\rc4 128/128"),
    // Of the system, and of group policies.
    ("functions", r"cryptography\configuration\local\ssl\00010002"),
    ("functions", r"cryptography\configuration\ssl\00010002"),
    ("supportedencryptiontypes", r"kerberos\parameters"),
    ("defaultdomainsupportedenctypes", r"services\kdc"),
    ("rejectmd5clients", r"netlogon\parameters"),
    ("rejectmd5servers", r"netlogon\parameters"),
    ("securitylayer", r"terminal server\winstations\rdp-tcp"),
    ("minencryptionlevel", r"terminal server\winstations\rdp-tcp"),
    ("securitylayer", r"windows nt\terminal services"),
    ("minencryptionlevel", r"windows nt\terminal services"),
    ("schusestrongcrypto", r"microsoft\.netframework\v2.0.50727"),
    ("schusestrongcrypto", r"microsoft\.netframework\v4.0.30319"),
];
/// Returns true if a value of the registry may allow RC4. Both names are in lower case.
fn is_known(key: &str, name: &str) -> bool {
    NAMES.iter().filter(|(known, _)| *known == name).any(|(_, end)| {
        key.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('\\'))
    })
}

/// Returns true for `ControlSet001`.
fn is_numbered(part: &str) -> bool {
    let is_set = part.get(..10).is_some_and(|name| name.eq_ignore_ascii_case("ControlSet"));
    is_set && part[10..].parse::<u16>().is_ok()
}

/// The settings of a file that may allow RC4. The last one of a name applies.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// By the names of key and value, in lower case.
    known: BTreeMap<(String, String), Setting>,
    /// True if the file has the control set in use. The numbered sets are then copies, or not used.
    has_current: bool,
}

impl Settings {
    /// Takes a value of the registry, if it may allow RC4.
    pub(super) fn set(&mut self, setting: Setting) {
        let mut parts = setting.key.split('\\');
        self.has_current |= parts.any(|part| part.eq_ignore_ascii_case("CurrentControlSet"));
        let at = (setting.key.to_ascii_lowercase(), setting.name.to_ascii_lowercase());
        if is_known(&at.0, &at.1) {
            self.known.insert(at, setting);
        }
    }

    /// Takes a value away.
    pub(super) fn delete(&mut self, key: &str, name: &str) {
        self.known.remove(&(key.to_ascii_lowercase(), name.to_ascii_lowercase()));
    }

    /// Takes a key away, and the keys below it.
    pub(super) fn delete_key(&mut self, key: &str) {
        let key = key.to_ascii_lowercase();
        let below = format!(r"{key}\");
        let its =
            self.known.range((key.clone(), String::new())..).take_while(|(at, _)| at.0 == key);
        let under = self.known.range((below.clone(), String::new())..);
        let under = under.take_while(|(at, _)| at.0.starts_with(&below));
        let deleted: Vec<_> = its.chain(under).map(|(at, _)| at.clone()).collect();
        deleted.iter().for_each(|at| drop(self.known.remove(at)));
    }

    /// Returns the settings that allow RC4, in the order of the file: their numbers, rules and
    /// evidence.
    pub(super) fn allowed(&self) -> Vec<(usize, RuleId, String)> {
        let is_copy = |key: &str| self.has_current && key.split('\\').any(is_numbered);
        let used = self.known.iter().filter(|(_, one)| !is_copy(&one.key));
        let mut allowed: Vec<_> = used
            .filter_map(|(at, one)| {
                let (rule, why) = self.why(at, &one.data)?;
                Some((one.number, rule, format!("{} {why}, in {}", one.name, one.key)))
            })
            .collect();
        allowed.sort_by_key(|(number, ..)| *number);
        allowed
    }

    /// Returns the rule of a setting that allows RC4, and its value in words.
    fn why(&self, at: &(String, String), data: &Data) -> Option<(RuleId, String)> {
        match (at.1.as_str(), data) {
            ("enabled", Data::Number(value @ 1..)) => Some((SCHANNEL, format!("is {value:#x}"))),
            ("functions", Data::Text(list)) => {
                let mut suites = list.split(',').map(str::trim).filter(|one| one.contains("_RC4_"));
                let first = suites.next()?;
                let more = match suites.count() {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                Some((SCHANNEL, format!("has {first}{more}")))
            }
            (
                "supportedencryptiontypes" | "defaultdomainsupportedenctypes",
                Data::Number(types),
            ) => (types & RC4_BIT != 0)
                .then(|| (KERBEROS, format!("is {types:#x}, which has 0x4 (RC4)"))),
            ("rejectmd5clients" | "rejectmd5servers", Data::Number(0)) => {
                Some((NETLOGON, "is 0, so that a channel without AES takes RC4".to_owned()))
            }
            ("securitylayer", Data::Number(0)) if !self.is_fips(&at.0) => {
                Some((RDP, "is 0, for RDP's own security, which takes RC4".to_owned()))
            }
            ("securitylayer", Data::Number(1)) if !self.is_fips(&at.0) => {
                Some((RDP, "is 1, for RDP's own security if the client has no TLS".to_owned()))
            }
            ("schusestrongcrypto", Data::Number(0)) => Some((DOTNET, "is 0".to_owned())),
            _ => None,
        }
    }

    /// Returns true if the encryption level of a key takes 3DES in place of RC4.
    fn is_fips(&self, key: &str) -> bool {
        let level = self.known.get(&(key.to_owned(), "minencryptionlevel".to_owned()));
        level.is_some_and(|level| level.data == Data::Number(FIPS))
    }
}
