//! Group Policy Preferences: `Registry.xml` ([MS-GPPREF] 2.2.1.17).

use quick_xml::{
    Error, Reader, XmlVersion,
    events::{BytesStart, Event},
};

use super::{Data, Settings, setting::shown};

/// Returns true if a text begins as preferences do.
pub(super) fn is_preferences(head: &str) -> bool {
    head.trim_start().starts_with('<') && head.contains("<RegistrySettings")
}

/// Reads the settings of preferences, up to the first fault of XML. Disabled items do nothing.
pub(super) fn read(text: &str, settings: &mut Settings) {
    let mut line = 1;
    if let Err(error) = items(text, &mut line, settings) {
        settings.fault(|| format!("line {line}: wrong XML: {}", shown(&error.to_string())));
    }
}

/// Obeys the items in turn. `line` is the line of the element that is read.
fn items(text: &str, line: &mut usize, settings: &mut Settings) -> Result<(), Error> {
    let mut reader = Reader::from_str(text);
    let (mut counted, mut disabled) = (0, 0_u64);
    loop {
        let start = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        *line += text[counted..start].matches('\n').count();
        counted = start;
        match reader.read_event()? {
            Event::Start(element) if disabled > 0 || is_disabled(&element) => disabled += 1,
            Event::End(_) => disabled = disabled.saturating_sub(1),
            Event::Start(element) | Event::Empty(element) if disabled == 0 => {
                item(&element, *line, settings)?;
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Returns true for an item or a collection that its author switched off.
fn is_disabled(element: &BytesStart<'_>) -> bool {
    let mut attributes = element.attributes();
    attributes
        .with_checks(false)
        .flatten()
        .any(|one| one.key.as_ref() == "disabled" && one.value == "1")
}

/// What an item does: the attributes of its element `Properties`.
#[derive(Default)]
struct Properties {
    action: String,
    default: String,
    hive: String,
    key: String,
    name: String,
    kind: String,
    value: String,
}

/// Obeys an item. Other elements are passed over.
fn item(element: &BytesStart<'_>, line: usize, settings: &mut Settings) -> Result<(), Error> {
    if element.local_name().as_ref() != "Properties" {
        return Ok(());
    }
    let mut item = Properties::default();
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute?;
        let field = match attribute.key.as_ref() {
            "action" => &mut item.action,
            "default" => &mut item.default,
            "hive" => &mut item.hive,
            "key" => &mut item.key,
            "name" => &mut item.name,
            "type" => &mut item.kind,
            "value" => &mut item.value,
            _ => continue,
        };
        *field = attribute.normalized_value(XmlVersion::Explicit1_0)?.into_owned();
    }
    let key = format!(r"{}\{}", item.hive, item.key.trim_start_matches('\\'));
    let of_key = item.name.is_empty() && item.default != "1";
    match &*item.action {
        "D" | "R" if of_key => settings.delete_key(&key),
        _ if of_key => {}
        action => {
            settings.enter(&key);
            if action == "D" {
                settings.delete(&item.name);
            } else {
                settings.set(line, &item.name, || {
                    data(&item.kind, &item.value).ok_or_else(|| item.value.clone())
                });
            }
        }
    }
    Ok(())
}

/// Reads a value. Windows writes numbers in hexadecimal, and lists with spaces.
fn data(kind: &str, value: &str) -> Option<Data> {
    match kind {
        "REG_DWORD" => u32::from_str_radix(value, 16).ok().map(Data::Number),
        "REG_SZ" | "REG_EXPAND_SZ" => Some(Data::Text(value.to_owned())),
        "REG_MULTI_SZ" => Some(Data::Text(value.replace(' ', ","))),
        _ => None,
    }
}
