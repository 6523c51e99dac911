//! Security templates: `GptTmpl.inf` of a group policy ([MS-GPSB] 2.2), and exports of `secedit`.

use super::{
    super::unicode::text,
    Data, Settings,
    setting::{REG_DWORD, REG_EXPAND_SZ, REG_MULTI_SZ, REG_SZ},
};

/// The section of values of the registry, and another that every template has.
const VALUES: &str = "[registry values]";
const UNICODE: &str = "[unicode]";

/// Returns true if a text has a section of a template.
pub(super) fn is_template(head: &str) -> bool {
    let is_one = |line: &str| [UNICODE, VALUES].iter().any(|one| line.eq_ignore_ascii_case(one));
    head.lines().map(without_comment).any(is_one)
}

/// Reads the settings of a template: `MACHINE\key\name=type,data`.
pub(super) fn read(template: &str, settings: &mut Settings) {
    let mut is_within = false;
    for (line, number) in template.lines().map(without_comment).zip(1..) {
        if line.starts_with('[') {
            is_within = line.eq_ignore_ascii_case(VALUES);
        }
        let Some((path, value)) = line.split_once('=').filter(|_| is_within) else { continue };
        let Some((key, name)) = path.trim().trim_matches('"').rsplit_once('\\') else { continue };
        settings.enter(key);
        settings.set(number, name, || data(value).ok_or_else(|| value.trim().to_owned()));
    }
}

/// Returns a line without its comment. A semicolon in a text is none.
fn without_comment(line: &str) -> &str {
    let mut is_text = false;
    let comment = line.find(|sign| {
        is_text ^= sign == '"';
        sign == ';' && !is_text
    });
    line[..comment.unwrap_or(line.len())].trim()
}

/// Reads `type,data`.
fn data(value: &str) -> Option<Data> {
    let value = value.replace('"', "");
    let (kind, data) = value.split_once(',')?;
    match kind.trim().parse().ok()? {
        REG_DWORD => number(data.trim()).map(Data::Number),
        kind @ (REG_SZ | REG_EXPAND_SZ | REG_MULTI_SZ) => {
            Data::of(kind, data.trim().as_bytes(), text)
        }
        _ => None,
    }
}

/// Reads an integer as `SetupGetIntField` does: with or without a sign, decimal or after `0x`
/// hexadecimal.
fn number(digits: &str) -> Option<u32> {
    let positive = digits.trim_start_matches(['+', '-']);
    let hex = positive.strip_prefix("0x").or_else(|| positive.strip_prefix("0X"));
    let number = hex.map_or_else(|| positive.parse(), |hex| u32::from_str_radix(hex, 16)).ok()?;
    Some(if digits.starts_with('-') { number.wrapping_neg() } else { number })
}
