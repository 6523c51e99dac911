//! Imports run one way: the dispatch reads commands and console, commands read the console alone, and no command
//! reads another.

use std::{fs, path::Path};

use crate::layout::sources;

/// Every path of a file's code that begins with `crate` or `super`, from the root of the crate, groups taken apart. Its
/// tests, which come last, may name what they test.
fn paths(module: &[String], code: &str) -> Vec<Vec<String>> {
    let code = code.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join(" ");
    let starts = ["crate::", "super::"].iter().flat_map(|word| code.match_indices(word));
    let inside = |at: usize| code[..at].ends_with(|c: char| c == ':' || c.is_alphanumeric());
    let mut found = vec![];
    for (at, _) in starts.filter(|(at, _)| !inside(*at)) {
        expand(&code[at..], &mut vec![], &mut found);
    }
    found.into_iter().map(|path| resolved(module, path)).collect()
}

/// Adds the paths at the beginning of `text`, each after `before`, and returns what follows them.
fn expand<'a>(
    mut text: &'a str,
    before: &mut Vec<String>,
    found: &mut Vec<Vec<String>>,
) -> &'a str {
    let depth = before.len();
    loop {
        text = text.trim_start();
        if let Some(mut group) = text.strip_prefix('{') {
            loop {
                group = expand(group, before, found).trim_start();
                group = match group.strip_prefix(',') {
                    Some(rest) if !rest.trim_start().starts_with('}') => rest,
                    rest => {
                        let rest = rest.unwrap_or(group).trim_start();
                        before.truncate(depth);
                        return rest.strip_prefix('}').unwrap_or(rest);
                    }
                };
            }
        }
        let end = text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len());
        before.push(text[..end].to_owned());
        text = &text[end..];
        match text.strip_prefix("::") {
            Some(rest) => text = rest,
            None => break,
        }
    }
    found.push(before.clone());
    before.truncate(depth);
    text
}

/// A path from the root of the crate.
fn resolved(module: &[String], path: Vec<String>) -> Vec<String> {
    let ups = path.iter().take_while(|word| *word == "super").count();
    if ups == 0 {
        return path[1..].to_vec();
    }
    [&module[..module.len() - ups], &path[ups..]].concat()
}

/// The module of a file, from the root of the crate.
fn module(file: &Path) -> Vec<String> {
    let mut words: Vec<_> =
        file.with_extension("").iter().map(|word| word.to_string_lossy().into_owned()).collect();
    words.pop_if(|word| word == "mod" || word == "lib");
    words
}

/// What is wrong with an import of `to` by the module `from`.
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
    let wrong = |to: Vec<String>| {
        fault(from, &to).map(|fault| format!("{}: {}: {fault}", from.join("::"), to.join("::")))
    };
    paths(from, code).into_iter().filter_map(wrong).collect()
}

#[test]
fn imports_run_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
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
    ] {
        assert_eq!(faults(&from(module), code), [""; 0], "{module}: {code}");
    }
}
