//! The settings of the registry that allow RC4.

use std::{collections::BTreeMap, rc::Rc};

use crate::{RuleId, readers::kerberos::RC4_BIT};

const SCHANNEL: RuleId = RuleId::new("schannel");
const KERBEROS: RuleId = RuleId::new("kerberos-policy");
const PHASE: RuleId = RuleId::new("kerberos-phase");
const NETLOGON: RuleId = RuleId::new("netlogon");
const RDP: RuleId = RuleId::new("rdp-policy");
const DOTNET: RuleId = RuleId::new("dotnet-tls");

/// The encryption level of RDP that takes 3DES in place of RC4.
const FIPS: u32 = 4;

/// The longest path of a key and the longest name of a value, in characters.
pub(super) const LONGEST: usize = 16_384;
/// The part of a value that a message shows, in characters.
const SHOWN: usize = 60;

/// Returns the part of a text that a message shows.
pub(super) fn shown(text: &str) -> String {
    let more = if text.chars().count() > SHOWN { "…" } else { "" };
    text.chars().take(SHOWN).collect::<String>() + more
}

/// The types of values, as `winnt.h` numbers them.
pub(super) const REG_SZ: u32 = 1;
pub(super) const REG_EXPAND_SZ: u32 = 2;
pub(super) const REG_DWORD: u32 = 4;
const REG_DWORD_BIG_ENDIAN: u32 = 5;
pub(super) const REG_MULTI_SZ: u32 = 7;

/// What a value of the registry holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// REG_DWORD.
    Number(u32),
    /// REG_SZ or REG_MULTI_SZ, whose entries are then separated by commas.
    Text(String),
}

impl Data {
    /// Reads the bytes of a value. `decode` reads text as the file has it.
    pub(super) fn of(kind: u32, bytes: &[u8], decode: fn(&[u8]) -> String) -> Option<Self> {
        match kind {
            REG_SZ | REG_EXPAND_SZ | REG_MULTI_SZ => {
                Some(Self::Text(decode(bytes).trim_end_matches('\0').replace('\0', ",")))
            }
            REG_DWORD => {
                bytes.first_chunk().map(|number| Self::Number(u32::from_le_bytes(*number)))
            }
            REG_DWORD_BIG_ENDIAN => {
                bytes.first_chunk().map(|number| Self::Number(u32::from_be_bytes(*number)))
            }
            _ => None,
        }
    }
}

/// A value of the registry.
#[derive(Debug)]
struct Setting {
    /// The line or the entry of the file, counted from 1.
    number: usize,
    /// The key, from its root or from within it, and the name, as the file writes them.
    key: Rc<str>,
    name: String,
    data: Data,
}

/// The names of values that may allow RC4, and the end of their key's path. All in lower case.
const NAMES: [(&str, &str); 19] = [
    ("enabled", r"control\securityproviders\schannel\ciphers\rc4 40/128"),
    ("enabled", r"control\securityproviders\schannel\ciphers\rc4 56/128"),
    ("enabled", r"control\securityproviders\schannel\ciphers\rc4 64/128"),
    ("enabled", r"control\securityproviders\schannel\ciphers\rc4 128/128"),
    // Of the system, and of group policies.
    ("functions", r"cryptography\configuration\local\ssl\00010002"),
    ("functions", r"cryptography\configuration\ssl\00010002"),
    ("supportedencryptiontypes", r"kerberos\parameters"),
    ("defaultdomainsupportedenctypes", r"services\kdc"),
    ("rc4defaultdisablementphase", r"policies\system\kerberos\parameters"),
    ("rejectmd5clients", r"netlogon\parameters"),
    ("rejectmd5servers", r"netlogon\parameters"),
    ("securitylayer", r"terminal server\winstations\rdp-tcp"),
    ("minencryptionlevel", r"terminal server\winstations\rdp-tcp"),
    ("userauthentication", r"terminal server\winstations\rdp-tcp"),
    ("securitylayer", r"windows nt\terminal services"),
    ("minencryptionlevel", r"windows nt\terminal services"),
    ("userauthentication", r"windows nt\terminal services"),
    ("schusestrongcrypto", r"microsoft\.netframework\v2.0.50727"),
    ("schusestrongcrypto", r"microsoft\.netframework\v4.0.30319"),
];

/// The settings of a file that may allow RC4. The last one of a name applies.
#[derive(Debug)]
pub(super) struct Settings {
    /// The word for a part of the file: `line`.
    part: &'static str,
    /// The values by their names, by their keys. Both names are in lower case.
    known: BTreeMap<Rc<str>, BTreeMap<&'static str, Setting>>,
    /// The key whose values are read, as the file writes it and in lower case.
    key: Rc<str>,
    lower: Rc<str>,
    /// The first part that is not understood, and the number of these parts.
    fault: Option<String>,
    faults: u64,
}

impl Settings {
    /// Returns no settings. `part` is the word for a part of the file: `line`.
    pub(super) fn new(part: &'static str) -> Self {
        let (key, lower) = ("".into(), "".into());
        Self { part, known: BTreeMap::new(), key, lower, fault: None, faults: 0 }
    }

    /// Goes to a key, which need not begin at its root. No key is longer than [`LONGEST`]. Windows
    /// drops backslashes at the end.
    pub(super) fn enter(&mut self, key: &str) {
        let key = if key.chars().count() > LONGEST { "" } else { key.trim_end_matches('\\') };
        self.key = key.into();
        self.lower = key.to_ascii_lowercase().into();
    }

    /// Returns the name in lower case, if the value of this name may allow RC4.
    fn known_name(&self, name: &str) -> Option<&'static str> {
        let mut same = NAMES.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let is_end = |end: &str| {
            self.lower.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('\\'))
        };
        same.find(|(_, end)| is_end(end)).map(|(known, _)| *known)
    }

    /// Takes a value of the key, if it may allow RC4. `read` returns its data, or the data as the
    /// file has them.
    pub(super) fn set(
        &mut self,
        number: usize,
        name: &str,
        read: impl FnOnce() -> Result<Data, String>,
    ) {
        let Some(known) = self.known_name(name) else { return };
        match read() {
            Ok(data) => {
                let setting =
                    Setting { number, key: self.key.clone(), name: name.to_owned(), data };
                self.known.entry(self.lower.clone()).or_default().insert(known, setting);
            }
            Err(value) => {
                let (part, shown) = (self.part, shown(&value));
                self.fault(|| {
                    format!("{part} {number}: {name} has a value that is not understood: {shown:?}")
                });
            }
        }
    }

    /// Returns true if the key has a value that may allow RC4.
    pub(super) fn has(&self, name: &str) -> bool {
        self.known.get(&self.lower).is_some_and(|values| {
            self.known_name(name).is_some_and(|name| values.contains_key(name))
        })
    }

    /// Takes a value of the key away.
    pub(super) fn delete(&mut self, name: &str) {
        if let Some(name) = self.known_name(name)
            && let Some(values) = self.known.get_mut(&self.lower)
        {
            values.remove(name);
        }
    }

    /// Takes all values of the key away.
    pub(super) fn delete_values(&mut self) {
        self.known.remove(&self.lower);
    }

    /// Takes a key away, and the keys below it.
    pub(super) fn delete_key(&mut self, key: &str) {
        let key = key.trim_end_matches('\\').to_ascii_lowercase();
        self.known.remove(key.as_str());
        let below: Rc<str> = format!(r"{key}\").into();
        let keys = self.known.range(below.clone()..).map(|(key, _)| key);
        let keys: Vec<_> = keys.take_while(|key| key.starts_with(&*below)).cloned().collect();
        keys.iter().for_each(|key| drop(self.known.remove(key)));
    }

    /// Notes a part that is not understood.
    pub(super) fn fault(&mut self, what: impl FnOnce() -> String) {
        self.fault.get_or_insert_with(what);
        self.faults += 1;
    }

    /// Returns the parts that are not understood, in words.
    pub(super) fn faults(self) -> Option<String> {
        let first = self.fault?;
        Some(match self.faults {
            1 => first,
            faults => format!("{first}; {faults} faults in all"),
        })
    }

    /// Returns the settings that allow RC4, in the order of the file: their places, rules and
    /// evidence.
    pub(super) fn allowed(&self) -> Vec<(String, RuleId, String)> {
        let mut allowed = Vec::new();
        for (key, values) in &self.known {
            for (name, one) in values.iter().filter(|(name, _)| !self.is_copy(key, name)) {
                if let Some((rule, why)) = why(name, &one.data, values) {
                    allowed.push((one.number, rule, format!("{} {why}, in {}", one.name, one.key)));
                }
            }
        }
        allowed.sort_by_key(|(number, ..)| *number);
        let placed = |(number, rule, evidence)| (format!("{} {number}", self.part), rule, evidence);
        allowed.into_iter().map(placed).collect()
    }

    /// Returns true for a value of a numbered control set that the control set in use has too. The
    /// numbered sets are copies of the set in use, or are not used.
    fn is_copy(&self, key: &str, name: &str) -> bool {
        let is_numbered = |part: &&str| {
            part.strip_prefix("controlset").is_some_and(|number| number.parse::<u16>().is_ok())
        };
        let Some(numbered) = key.split('\\').find(is_numbered) else { return false };
        let used = key.replacen(numbered, "currentcontrolset", 1);
        self.known.get(used.as_str()).is_some_and(|values| values.contains_key(name))
    }
}

/// Returns the rule of a setting that allows RC4 beside the other values of its key, and the reason.
fn why(name: &str, data: &Data, values: &BTreeMap<&str, Setting>) -> Option<(RuleId, String)> {
    let is = |name, number| values.get(name).is_some_and(|one| one.data == Data::Number(number));
    match (name, data) {
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
        ("supportedencryptiontypes" | "defaultdomainsupportedenctypes", Data::Number(types)) => {
            (types & RC4_BIT != 0)
                .then(|| (KERBEROS, format!("is {types:#x}, which has 0x4 (RC4)")))
        }
        ("rc4defaultdisablementphase", Data::Number(phase @ (0 | 1))) => {
            Some((PHASE, format!("is {phase}, so that RC4 stays a default of the KDC")))
        }
        ("rejectmd5clients" | "rejectmd5servers", Data::Number(0)) => {
            Some((NETLOGON, "is 0, so that a channel without AES takes RC4".to_owned()))
        }
        ("securitylayer", Data::Number(_)) if is("minencryptionlevel", FIPS) => None,
        ("securitylayer", Data::Number(0)) => {
            Some((RDP, "is 0, for RDP's own security, which takes RC4".to_owned()))
        }
        // A server that requires Network Level Authentication refuses a client without TLS
        // ([MS-RDPBCGR] 2.2.1.2.2, HYBRID_REQUIRED_BY_SERVER; 5.4.5.2).
        ("securitylayer", Data::Number(1)) if !is("userauthentication", 1) => {
            Some((RDP, "is 1, for RDP's own security if the client has no TLS".to_owned()))
        }
        ("schusestrongcrypto", Data::Number(0)) => Some((DOTNET, "is 0".to_owned())),
        _ => None,
    }
}
