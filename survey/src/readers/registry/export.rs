//! Exports of the registry: `.reg`, of version 5 (Windows 2000 and later) and 4.
//!
//! Windows documents little of the format. The import tests of Wine's `reg` and `regedit`, which also
//! run on Windows, record its rules.

use super::{
    super::unicode::{text, utf16le},
    Data, Settings,
};

/// The first lines of both versions.
const VERSIONS: [&str; 2] = ["windows registry editor version 5", "regedit4"];

/// Returns true if a text begins as an export does.
pub(super) fn is_export(text: &str) -> bool {
    let first = first_line(text);
    VERSIONS.iter().any(|version| first.starts_with(version))
}

fn first_line(text: &str) -> String {
    lines(text.trim_start()).next().unwrap_or_default().to_ascii_lowercase()
}

/// Returns the lines of a text. They end with CR, LF or both.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('\r'))
}

/// Reads the settings of an export. `"name"=-` deletes a value, `[-key]` deletes a key.
pub(super) fn read(export: &str, settings: &mut Settings) {
    let decode = if first_line(export).starts_with(VERSIONS[1]) { text } else { utf16le };
    let mut lines = lines(export).zip(1..);
    while let Some((line, number)) = lines.next() {
        let line = line.trim();
        if let Some(path) = line.strip_prefix('[') {
            let path = path.rsplit_once(']').map_or(path, |(path, _)| path);
            match path.strip_prefix('-') {
                Some(path) => {
                    settings.delete_key(path);
                    settings.enter("");
                }
                None => settings.enter(path),
            }
            continue;
        }
        let Some((name, value)) = name(line) else { continue };
        let Some(value) = value.trim_start().strip_prefix('=') else { continue };
        let value = whole(value.trim_start(), &mut lines.by_ref().map(|(line, _)| line));
        if value == "-" {
            settings.delete(&name);
        } else {
            settings.set(number, &name, || data(&value, decode).ok_or_else(|| value.clone()));
        }
    }
}

/// Reads the name of a value, and returns the rest of its line. `@` is the value without a name.
fn name(line: &str) -> Option<(String, &str)> {
    match line.strip_prefix('@') {
        Some(rest) => Some((String::new(), rest)),
        None => quoted(line.strip_prefix('"')?),
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

fn without_comment(line: &str) -> &str {
    line.split(';').next().unwrap_or_default().trim()
}

/// Returns a value without its comments, and with the next lines if it goes on there.
fn whole<'a>(first: &str, lines: &mut impl Iterator<Item = &'a str>) -> String {
    if let Some(text) = first.strip_prefix('"') {
        let mut value = first.to_owned();
        let mut is_open = quoted(text).is_none();
        while is_open && let Some(line) = lines.next() {
            value.push('\n');
            value += line;
            is_open = quoted(line).is_none();
        }
        return value;
    }
    let mut value = without_comment(first).to_owned();
    // A list of bytes goes on after a comma and a backslash, or after a backslash in place of bytes.
    while value.starts_with("hex")
        && let Some(bytes) = value.strip_suffix('\\').map(str::trim_end)
        && bytes.ends_with([',', ':'])
    {
        value.truncate(bytes.len());
        let Some(line) = lines.map(without_comment).find(|line| !line.is_empty()) else { break };
        value += line;
        if !line.starts_with(|sign: char| sign.is_ascii_hexdigit()) {
            break;
        }
    }
    value
}

/// Reads a value: `"text"`, `dword:0000001c`, or bytes with the number of their type.
fn data(value: &str, decode: fn(&[u8]) -> String) -> Option<Data> {
    if let Some(rest) = value.strip_prefix('"') {
        let (text, rest) = quoted(rest)?;
        return without_comment(rest).is_empty().then_some(Data::Text(text));
    }
    let (kind, digits) = value.split_once(':')?;
    let digits = digits.trim();
    if kind.eq_ignore_ascii_case("dword") {
        let number = u32::from_str_radix(digits, 16).ok()?;
        return (digits.len() <= 8).then_some(Data::Number(number));
    }
    let kind = kind.strip_prefix("hex(")?.strip_suffix(')')?;
    let bytes = digits.split_terminator(',').map(|two| u8::from_str_radix(two.trim(), 16));
    let bytes = bytes.collect::<Result<Vec<_>, _>>().ok()?;
    Data::of(u32::from_str_radix(kind, 16).ok()?, &bytes, decode)
}
