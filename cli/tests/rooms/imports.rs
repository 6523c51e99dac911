//! Imports run one way: the dispatch reads commands and console, commands read the console alone, and no command
//! reads another.

use std::fs;

use crate::{
    code::{imports, module},
    layout::sources,
    root,
};

/// Returns the fault of an import of `to` by the module `from`.
fn fault(from: &[String], to: &[String]) -> Option<&'static str> {
    let first = |path: &[String]| path.first().cloned().unwrap_or_default();
    match (first(from).as_str(), first(to).as_str()) {
        ("console", "commands" | "dispatch") => Some("the console knows no command"),
        ("commands", "dispatch") => Some("a command knows no dispatch"),
        ("commands", "commands") if from.len() > 1 && from.get(1) != to.get(1) => {
            Some("a command imports another")
        }
        _ => None,
    }
}

fn faults(from: &[String], code: &str) -> Vec<String> {
    let wrong = |to: &Vec<String>| {
        fault(from, to).map(|fault| format!("{}: {}: {fault}", from.join("::"), to.join("::")))
    };
    imports(from, code).paths().filter_map(wrong).collect()
}

#[test]
fn imports_run_one_way() {
    let root = root().join("cli/src");
    let files = sources(&root);
    let mut wrong = vec![];
    let mut of_commands = 0;
    for file in &files {
        let from = module(file.strip_prefix(&root).expect("a file below the root"));
        let code = fs::read_to_string(file).expect("a source in UTF-8");
        of_commands += usize::from(from.len() > 1 && from[0] == "commands");
        wrong.extend(faults(&from, &code));
    }
    assert!(of_commands > 40, "{of_commands} files of commands");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_way_to_write_an_import_is_seen() {
    let from = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
    for (module, code) in [
        ("commands::open", "use super::seal::WorkArgs;"),
        ("commands::open", "use super::{find, seal};"),
        ("commands::open", "use crate::commands::seal;"),
        (
            "commands::open",
            "use crate::{console::{size, output::{Output, Shown}}, commands::seal::Args};",
        ),
        ("commands::pdf::inspect", "use super::super::inspect::Args;"),
        ("commands::pdf", "fn run() { super::inspect::run() }"),
        ("commands::man", "use crate::dispatch::parse;"),
        ("console::table", "use crate::commands::ent;"),
        ("console::table", "pub use crate::commands::ent;"),
        ("console::table", "fn run() { println!(\"{}\", crate::commands::ent::NAME) }"),
        ("console::table", "use crate::{\n    WARNING,\n    dispatch,\n};"),
    ] {
        assert_eq!(faults(&from(module), code).len().min(1), 1, "{module}: {code}");
    }
    for (module, code) in [
        ("commands::open", "use crate::{WARNING, console::{size, output::{Output, Shown}}};"),
        ("commands::pdf::inspect", "use super::{failed, source};"),
        ("commands::attack::wep::attack", "use super::Args; // as crate::commands::seal has"),
        ("commands::attack::wep", "use super::trials::Trials;"),
        ("console::table", "use super::size;"),
        ("console::table", "#[cfg(test)]\nmod tests {\n    use crate::commands::ent;\n}"),
    ] {
        assert_eq!(faults(&from(module), code), [""; 0], "{module}: {code}");
    }
}
