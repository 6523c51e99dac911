//! Exports of a directory, LDIF (RFC 2849) and CSV: the accounts that may get RC4 tickets.
//!
//! `msDS-SupportedEncryptionTypes` is a sum of bits: 4 is RC4, 8 and 16 are AES, as [MS-KILE]
//! 2.2.7 says. An account without this attribute, or with 0, has the domain's default. This default
//! has no RC4 since April 2026.

use std::path::Path;

use super::{ReadError, Reader, kerberos::RC4_BIT, unicode::text};
use crate::{Finding, Input, RuleId};

const ONLY: RuleId = RuleId::new("directory-rc4-only");
const ALLOWED: RuleId = RuleId::new("directory-rc4");

/// The reader of LDIF and CSV.
#[derive(Debug)]
pub struct Ldif;

/// Limit of the file size, larger than the export of a large directory.
const LIMIT: u64 = 512 << 20;
/// The attribute, and the corresponding property of PowerShell.
const ATTRIBUTES: [&str; 2] = ["msds-supportedencryptiontypes", "kerberosencryptiontype"];
/// Attributes that name an account, best first.
const NAMES: [&str; 6] =
    ["samaccountname", "dn", "distinguishedname", "userprincipalname", "name", "cn"];

const AES: u32 = 0x8 | 0x10 | 0x40 | 0x80;

impl Reader for Ldif {
    fn name(&self) -> &'static str {
        "directory export"
    }

    fn recognises(&self, path: &Path, head: &[u8]) -> bool {
        let named = path
            .extension()
            .is_some_and(|ext| ["ldif", "ldf"].iter().any(|ldif| ext.eq_ignore_ascii_case(ldif)));
        let text = text(head).to_ascii_lowercase();
        named || is_ldif(&text) || is_csv(&text)
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let bytes = input.all(LIMIT)?;
        let text = text(&bytes);
        drop(bytes);
        let mut tell = |line: u64, account: &str, value: &str| {
            let Some(bits) = bits(value).filter(|bits| bits & RC4_BIT != 0) else { return };
            let rule = if bits & AES == 0 { ONLY } else { ALLOWED };
            let place = input.at(format!("line {line}"));
            let evidence = format!("{account}: encryption types {}", value.trim());
            found(Finding::new(rule, place, evidence).with("account", account));
        };
        let start = text.len().min(super::HEAD);
        let start = (0..=start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        if is_csv(&text[..start].to_ascii_lowercase()) {
            csv(&text, &mut tell)
        } else {
            ldif(&text, &mut tell)
        }
    }
}

/// Returns true if the first line is the name of an entry. A version, comments and empty lines may
/// stand before it.
fn is_ldif(lower: &str) -> bool {
    let mut lines = lower.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', ' ']));
    let first = lines.next();
    let first =
        if first.is_some_and(|line| line.starts_with("version:")) { lines.next() } else { first };
    first.is_some_and(|line| line.starts_with("dn:"))
}

/// Returns true if the first line that is no comment is a heading with the attribute.
fn is_csv(lower: &str) -> bool {
    let Some(first) = lower.lines().find(|line| !line.starts_with('#')) else { return false };
    delimiter(first).is_some()
        && !first.starts_with("dn:")
        && ATTRIBUTES.iter().any(|name| first.contains(name))
}

fn delimiter(heading: &str) -> Option<u8> {
    [b',', b';', b'\t']
        .into_iter()
        .max_by_key(|sign| heading.bytes().filter(|byte| byte == sign).count())
        .filter(|sign| heading.bytes().any(|byte| byte == *sign))
}

fn csv(text: &str, tell: &mut dyn FnMut(u64, &str, &str)) -> Result<(), ReadError> {
    let skipped = text.lines().take_while(|line| line.starts_with('#')).count();
    let start: usize = text.split_inclusive('\n').take(skipped).map(str::len).sum();
    let heading = text[start..].lines().next().unwrap_or_default();
    let sign = delimiter(heading).unwrap_or(b',');
    let mut rows = csv::ReaderBuilder::new()
        .delimiter(sign)
        .flexible(true)
        .from_reader(&text.as_bytes()[start..]);
    let damaged = |fault: csv::Error| ReadError::Damaged(fault.to_string());
    let heading = rows.headers().map_err(damaged)?.clone();
    let column =
        |name: &str| heading.iter().position(|other| other.trim().eq_ignore_ascii_case(name));
    let values: Vec<usize> = ATTRIBUTES.iter().filter_map(|name| column(name)).collect();
    let account = NAMES.iter().find_map(|name| column(name));
    let (mut counted, mut line) = (0, 1);
    for row in rows.records() {
        let row = row.map_err(damaged)?;
        // The CSV reader's line numbers are one too low if lines end with CR LF.
        let at = start + row.position().map_or(0, |position| position.byte() as usize);
        let at = at + text[at..].bytes().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        line += text.as_bytes()[counted..at].iter().filter(|byte| **byte == b'\n').count() as u64;
        counted = at;
        let name = account.and_then(|at| row.get(at)).unwrap_or("an account");
        if let Some(value) =
            values.iter().filter_map(|at| row.get(*at)).find(|value| bits(value).is_some())
        {
            tell(line, name, value);
        }
    }
    Ok(())
}

fn ldif(text: &str, tell: &mut dyn FnMut(u64, &str, &str)) -> Result<(), ReadError> {
    let mut names: [Option<String>; NAMES.len()] = Default::default();
    let mut types: Option<(u64, String)> = None;
    let mut is_deleted = false; // within a modification that takes the attribute away
    let mut line = String::new();
    let mut number = 0;
    for (at, next) in text.lines().chain(["", ""]).enumerate() {
        if let Some(more) = next.strip_prefix(' ') {
            line.push_str(more); // a line that begins with a space continues the line before
            continue;
        }
        if let Some((name, value)) = attribute(&line) {
            let name = name.split(';').next().unwrap_or_default().to_ascii_lowercase();
            if ["add", "delete", "replace"].contains(&name.as_str()) {
                let value = value.to_ascii_lowercase();
                is_deleted = name == "delete" && ATTRIBUTES.contains(&value.as_str());
            } else if let Some(at) = NAMES.iter().position(|other| *other == name) {
                names[at].get_or_insert(value);
            } else if ATTRIBUTES.contains(&name.as_str()) && !is_deleted {
                types.get_or_insert((number, value));
            }
        }
        if line.is_empty() {
            let account = names.iter_mut().find_map(Option::take);
            if let Some((number, value)) = types.take() {
                tell(number, account.as_deref().unwrap_or("an account"), &value);
            }
            names = Default::default();
            is_deleted = false;
        }
        line.clear();
        line.push_str(next);
        number = at as u64 + 1;
    }
    Ok(())
}

/// Reads `name: value` or `name:: value in base64`; `None` for a comment.
fn attribute(line: &str) -> Option<(&str, String)> {
    let (name, value) = line.split_once(':').filter(|(name, _)| !name.starts_with('#'))?;
    let value = match value.strip_prefix(':') {
        Some(coded) => {
            let bytes = data_encoding::BASE64.decode(coded.trim().as_bytes()).ok()?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        None => value.trim().to_owned(),
    };
    Some((name, value))
}

/// Returns the bits of a value: a number, `0x1c`, or PowerShell's names `{RC4, AES128, AES256}`.
fn bits(value: &str) -> Option<u32> {
    let value = value.trim();
    if let Some(hex) = value.strip_prefix("0x").or_else(|| value.strip_prefix("0X")) {
        let end = hex.find(|sign: char| !sign.is_ascii_hexdigit()).unwrap_or(hex.len());
        return u32::from_str_radix(&hex[..end], 16).ok();
    }
    if let Ok(number) = value.parse::<i64>() {
        return Some(number as u32);
    }
    let names = value.trim_matches(['{', '}']);
    let mut bits = 0;
    for name in names.split([',', ' ', '|']).filter(|name| !name.is_empty()) {
        bits |= match name.to_ascii_uppercase().as_str() {
            "NONE" => 0,
            "DES" | "DES_CBC_CRC" | "DES_CBC_MD5" => 0x3,
            "RC4" | "RC4_HMAC" | "RC4_HMAC_MD5" => RC4_BIT,
            "AES128" | "AES128_HMAC_SHA1" | "AES128_CTS_HMAC_SHA1_96" => 0x8,
            "AES256" | "AES256_HMAC_SHA1" | "AES256_CTS_HMAC_SHA1_96" => 0x10,
            _ => return None,
        };
    }
    (!names.is_empty()).then_some(bits)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn read(name: &str, bytes: &[u8]) -> Vec<(RuleId, String, String)> {
        let path = Path::new(name);
        assert!(Ldif.recognises(path, &bytes[..bytes.len().min(crate::readers::HEAD)]), "{name}");
        let mut source = Cursor::new(bytes);
        let mut input = Input::new(path, &mut source).unwrap();
        let mut found = vec![];
        Ldif.read(&mut input, &mut |one| {
            found.push((
                one.rule,
                one.place.within.clone().unwrap(),
                one.fact("account").unwrap().to_owned(),
            ));
        })
        .unwrap();
        found
    }

    #[test]
    fn ldif_tells_accounts_by_their_bits() {
        let text = "# msDS-SupportedEncryptionTypes: 4\nversion: 1\n\ndn: CN=old,DC=x\nmsDS-SupportedEncryption\n Types: 4\nsAMAccountName: old\n\n\
                    dn: CN=new,DC=x\nmsDS-SupportedEncryptionTypes: 24\n\ndn:: Q049bWl4,DC=x\nmsDS-SupportedEncryptionTypes:: Mjg=\ncn: mix\n\n\
                    dn: CN=none,DC=x\nmsDS-SupportedEncryptionTypes: 0\n";
        let found = read("a.ldif", text.as_bytes());
        let at = |rule, line: &str, name: &str| (rule, line.to_owned(), name.to_owned());
        assert_eq!(found, [at(ONLY, "line 5", "old"), at(ALLOWED, "line 13", "mix")]);
    }

    #[test]
    fn ldif_is_recognised_after_comments_and_a_version() {
        for before in [
            "",
            "version:1\n",
            "# extended LDIF\n#\n# base\n  DC=x\n\n",
            "\n# a\nversion: 1\n\n# b\n",
        ] {
            let text = format!("{before}dn:CN=a,DC=x\nmsDS-SupportedEncryptionTypes:4\n");
            let line = format!("line {}", before.lines().count() + 2);
            assert_eq!(read("out.txt", text.as_bytes()), [(ONLY, line, "CN=a,DC=x".to_owned())]);
        }
        for text in ["", "version:1\n", "# dn: a\n", "name: a\ndn: b\n"] {
            assert!(!Ldif.recognises(Path::new("out.txt"), text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn a_value_that_is_deleted_is_not_told() {
        let change = |lines: &str| {
            let text = format!("dn: CN=a\nchangetype: modify\n{lines}");
            let found =
                read("a.ldif", text.replace("TYPES", "msDS-SupportedEncryptionTypes").as_bytes());
            found.into_iter().map(|(_, line, _)| line).collect::<Vec<_>>()
        };
        assert_eq!(change("delete: TYPES\nTYPES: 4\n-\n"), [""; 0]);
        assert_eq!(change("delete: TYPES\nTYPES: 4\n-\nadd: TYPES\nTYPES: 24\n-\n"), [""; 0]);
        assert_eq!(change("delete: TYPES\nTYPES: 24\n-\nadd: TYPES\nTYPES: 4\n-\n"), ["line 7"]);
        assert_eq!(change("delete: cn\ncn: b\n-\nreplace: TYPES\nTYPES: 4\n-\n"), ["line 7"]);
        assert_eq!(change("delete: TYPES\n\ndn: CN=b\nTYPES: 4\n"), ["line 6"]);
    }

    #[test]
    fn csv_of_powershell_is_read_in_both_encodings() {
        let text = "#TYPE Selected\r\n\"Name\",\"msDS-SupportedEncryptionTypes\",\"KerberosEncryptionType\"\r\n\"a, b\",\"4\",\"{RC4}\"\r\n\
                    \"c\",\"\",\"{RC4, AES256}\"\r\n\"d\",\"24\",\"{AES128, AES256}\"\r\n\"e\",\"\",\"\"\r\n";
        let expected = [
            (ONLY, "line 3".to_owned(), "a, b".to_owned()),
            (ALLOWED, "line 4".to_owned(), "c".to_owned()),
        ];
        assert_eq!(read("a.csv", text.as_bytes()), expected);
        let wide: Vec<u8> = [0xfeff_u16]
            .into_iter()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(read("a.csv", &wide), expected);
    }
}
