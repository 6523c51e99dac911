//! Tests that the code of a crate uses each crate of the workspace that its manifest names. Then each arrow of the floor
//! plan is an import.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;

use crate::{
    code::{Imports, imports},
    layout::sources,
    plan::manifests,
};

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().expect("a list").iter()
}

/// Returns true if a target of a crate is its library, of any kind.
fn is_library(target: &Value) -> bool {
    list(target, "kind").any(|kind| text(kind).ends_with("lib"))
}

/// Reads the library and the programs of a crate, without tests, benchmarks and examples.
fn code(package: &Value) -> Vec<Imports> {
    let is_built =
        |target: &&Value| is_library(target) || list(target, "kind").any(|kind| kind == "bin");
    let folder = |target: &Value| Path::new(text(&target["src_path"])).parent().unwrap().to_owned();
    let folders: BTreeSet<_> = list(package, "targets").filter(is_built).map(folder).collect();
    let files = folders.iter().flat_map(|folder| sources(folder));
    let files = files.filter(|file| file.file_name().is_some_and(|name| name != "tests.rs"));
    files.map(|file| imports(&[], &fs::read_to_string(file).expect("a source in UTF-8"))).collect()
}

/// Returns the names that no code uses.
fn unused<'a>(names: impl IntoIterator<Item = &'a str>, code: &[Imports]) -> Vec<&'a str> {
    let is_unused = |name: &&str| !code.iter().any(|file| file.uses_crate(name));
    names.into_iter().filter(is_unused).collect()
}

#[test]
fn code_uses_each_crate_that_its_manifest_names() {
    let manifests = manifests();
    let library = |package: &Value| {
        let library = list(package, "targets").find(|target| is_library(target))?;
        Some((text(&package["name"]).to_owned(), text(&library["name"]).replace('-', "_")))
    };
    let libraries: BTreeMap<_, _> = list(&manifests, "packages").filter_map(library).collect();
    let mut wrong = vec![];
    let mut arrows = 0;
    for package in list(&manifests, "packages") {
        let used = list(package, "dependencies")
            .filter(|used| used["kind"].is_null() && !used["path"].is_null());
        let names: Vec<_> = used
            .map(|used| used["rename"].as_str().unwrap_or(&libraries[text(&used["name"])]))
            .collect();
        arrows += names.len();
        let unused = unused(names, &code(package));
        wrong
            .extend(unused.iter().map(|name| format!("{} uses no {name}", text(&package["name"]))));
    }
    assert!(arrows > 40, "{arrows} arrows");
    assert!(wrong.is_empty(), "take the dependency out of the manifest: {wrong:#?}");
}

#[test]
fn a_dependency_that_no_code_uses_is_seen() {
    let unused = |code: &str| unused(["arcfour_text"], &[imports(&[], code)]).len();
    for code in [
        "use arcfour_text::Hex;",
        "pub use arcfour_text as text;",
        "use {arcfour_text::{Hex, Base64}, std::fs};",
        "fn run(hex: arcfour_text::Hex) {}",
        "fn run() { println!(\"{}\", arcfour_text::NAME) }",
        "impl arcfour_text::Hex for () {}",
    ] {
        assert_eq!(unused(code), 0, "{code}");
    }
    for code in [
        "//! As `arcfour_text::Hex`.\nuse arcfour_texts::Hex;",
        "fn run() { let arcfour_text = 1; }",
        "use crate::arcfour_text::Hex;",
        "#[cfg(test)]\nmod tests {\n    use arcfour_text::Hex;\n}",
    ] {
        assert_eq!(unused(code), 1, "{code}");
    }
}
