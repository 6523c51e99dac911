//! Exports of the registry: `.reg`, of version 5 (Windows 2000 and later) and 4.

use super::{
    super::unicode::{text, utf16le},
    Data, Setting, Settings,
};

/// The first lines of both versions.
const VERSIONS: [&str; 2] = ["windows registry editor version 5", "regedit4"];

/// Returns true if a text begins as an export does.
pub(super) fn is_export(text: &str) -> bool {
    let first = first_line(text);
    VERSIONS.iter().any(|version| first.starts_with(version))
}

fn first_line(text: &str) -> String {
    text.trim_start().lines().next().unwrap_or_default().to_ascii_lowercase()
}

/// Reads the settings of an export. `"name"=-` deletes a value, `[-key]` deletes a key.
pub(super) fn read(export: &str, settings: &mut Settings) {
    let is_wide = !first_line(export).starts_with(VERSIONS[1]);
    let mut key = "";
    let mut lines = export.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let line = line.trim();
        if let Some(path) = line.strip_prefix('[') {
            let path = path.rsplit_once(']').map_or(path, |(path, _)| path);
            match path.strip_prefix('-') {
                Some(path) => {
                    settings.delete_key(path);
                    key = "";
                }
                None => key = path,
            }
            continue;
        }
        let Some((name, value)) = line.strip_prefix('"').and_then(quoted) else { continue };
        let Some(value) = value.trim_start().strip_prefix('=') else { continue };
        // A list of bytes goes on after a backslash.
        let mut value = value.trim().to_owned();
        while value.starts_with("hex") && value.ends_with('\\') {
            value.pop();
            let Some((_, line)) = lines.next() else { break };
            value += line.trim();
        }
        if value == "-" {
            settings.delete(key, &name);
        } else if let Some(data) = data(&value, is_wide) {
            settings.set(Setting { number: at + 1, key: key.to_owned(), name, data });
        }
    }
}

/// Reads a text up to its closing quotation mark, and returns the rest.
fn quoted(line: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut signs = line.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => return Some((text, &line[at + 1..])),
            '\\' => text.extend(signs.next().map(|(_, sign)| sign)),
            _ => text.push(sign),
        }
    }
    None
}

/// Reads a value: `"text"`, `dword:0000001c`, or bytes with the number of their type.
fn data(value: &str, is_wide: bool) -> Option<Data> {
    if let Some(rest) = value.strip_prefix('"') {
        return quoted(rest).map(|(text, _)| Data::Text(text));
    }
    let (kind, digits) = value.split_once(':')?;
    let digits = digits.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("dword") {
        return u32::from_str_radix(digits, 16).ok().map(Data::Number);
    }
    let digits = digits.split(',').map(str::trim).filter(|two| !two.is_empty());
    let bytes: Vec<u8> =
        digits.map(|two| u8::from_str_radix(two, 16).ok()).collect::<Option<_>>()?;
    match kind.to_ascii_lowercase().as_str() {
        "hex(4)" => Some(Data::Number(u32::from_le_bytes(bytes.try_into().ok()?))),
        "hex(1)" | "hex(2)" | "hex(7)" => {
            let text = if is_wide { utf16le(&bytes) } else { text(&bytes) };
            Some(Data::Text(text.trim_end_matches('\0').replace('\0', ",")))
        }
        _ => None,
    }
}
