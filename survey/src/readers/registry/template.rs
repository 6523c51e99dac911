//! Security templates: `GptTmpl.inf` of a group policy ([MS-GPSB] 2.2), and exports of `secedit`.

use super::{Data, Setting, Settings};

/// The section of values of the registry, and another that every template has.
const VALUES: &str = "[registry values]";
const UNICODE: &str = "[unicode]";

/// Returns true if a text has a section of a template.
pub(super) fn is_template(head: &str) -> bool {
    let is_one = |line: &str| [UNICODE, VALUES].iter().any(|one| line.eq_ignore_ascii_case(one));
    head.lines().map(str::trim).any(is_one)
}

/// Reads the settings of a template: `MACHINE\key\name=type,data`.
pub(super) fn read(template: &str, settings: &mut Settings) {
    let mut is_within = false;
    for (at, line) in template.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') {
            is_within = line.eq_ignore_ascii_case(VALUES);
        }
        let Some((path, value)) = line.split_once('=').filter(|_| is_within) else { continue };
        let Some((key, name)) = path.trim().trim_matches('"').rsplit_once('\\') else { continue };
        let Some((kind, data)) = value.split_once(',') else { continue };
        let data = data.trim().trim_matches('"');
        let data = match kind.trim() {
            "4" => data.parse().ok().map(Data::Number),
            "1" | "2" | "7" => Some(Data::Text(data.to_owned())),
            _ => None,
        };
        if let Some(data) = data {
            let (key, name) = (key.to_owned(), name.to_owned());
            settings.set(Setting { number: at + 1, key, name, data });
        }
    }
}
