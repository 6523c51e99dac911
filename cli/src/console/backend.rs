//! The backend that an option names.

use arcfour::{Backend, Technique};

/// Returns the backend called `name`, for `--backend`.
pub fn parse_backend(name: &str) -> Result<Backend, String> {
    Backend::named(name).ok_or_else(|| {
        let names: Vec<_> = Backend::available().map(Backend::name).collect();
        let have = names.join(", ");
        match Technique::all().find(|technique| technique.name == name) {
            Some(technique) => {
                format!("this machine lacks what it needs ({}); it has: {have}", technique.needs)
            }
            None => format!("no such backend; this machine has: {have}"),
        }
    })
}
