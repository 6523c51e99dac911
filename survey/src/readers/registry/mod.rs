//! Settings of Windows that allow RC4: in exports of the registry, in group policies and their
//! preferences, and in security templates.
//!
//! Only settings that are there are found. A setting that is absent has a default, which depends on
//! the version of Windows and its updates.

mod export;
mod policy;
mod preferences;
mod setting;
mod template;

use std::{io::Read, path::Path};

use self::setting::{Data, Settings};
use super::{ReadError, Reader, unicode::text};
use crate::{Finding, Input};

/// The reader of the four formats. It names hives, and does not read them.
#[derive(Debug)]
pub struct Registry;

/// The signature of a hive: a file in which Windows keeps a part of the registry.
const HIVE: &[u8] = b"regf";
/// Limit of the file size. An export of a whole registry has a few hundred megabytes.
const LIMIT: u64 = 1 << 30;

impl Reader for Registry {
    fn name(&self) -> &'static str {
        "Windows registry"
    }

    fn recognises(&self, _: &Path, head: &[u8]) -> bool {
        if policy::is_policy(head) || head.starts_with(HIVE) {
            return true;
        }
        let head = text(head);
        export::is_export(&head)
            || preferences::is_preferences(&head)
            || template::is_template(&head)
    }

    fn read(&self, input: &mut Input<'_>, found: &mut dyn FnMut(Finding)) -> Result<(), ReadError> {
        let mut first = Vec::new();
        input.by_ref().take(HIVE.len() as u64).read_to_end(&mut first)?;
        if first == HIVE {
            return Err(ReadError::Unseen("a hive".to_owned()));
        }
        let bytes = input.all(LIMIT)?;
        let mut settings;
        if policy::is_policy(&bytes) {
            settings = Settings::new("entry");
            policy::read(&bytes, &mut settings);
        } else {
            settings = Settings::new("line");
            let text = text(&bytes);
            if export::is_export(&text) {
                export::read(&text, &mut settings);
            } else if preferences::is_preferences(&text) {
                preferences::read(&text, &mut settings);
            } else {
                template::read(&text, &mut settings);
            }
        }
        for (place, rule, evidence) in settings.allowed() {
            found(Finding::new(rule, input.at(place), evidence));
        }
        settings.faults().map_or(Ok(()), |faults| Err(ReadError::Damaged(faults)))
    }
}
