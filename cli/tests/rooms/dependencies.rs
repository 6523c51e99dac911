//! Tests that LIBRARIES.md names the packages of others that users get, and their numbers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
};

use serde_json::Value;

use crate::root;

/// The roots of what users get.
const ARTEFACTS: [&str; 5] =
    ["arcfour-rc4", "arcfour-cli", "arcfour", "arcfour-capi", "arcfour-python"];

fn cargo(arguments: &[&str]) -> String {
    let told = Command::new(env!("CARGO"))
        .args(arguments)
        .arg("--locked")
        .current_dir(root())
        .output()
        .unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    String::from_utf8(told.stdout).unwrap()
}

/// The packages in an artefact, ours among them, without macros.
fn packages(artefact: &str) -> BTreeSet<String> {
    let told = cargo(&[
        "tree",
        "--package",
        artefact,
        "--edges=normal,no-proc-macro",
        "--target=x86_64-unknown-linux-gnu",
        "--prefix=none",
    ]);
    // A line is a name, a version, and perhaps a folder or a mark.
    let package = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    told.lines().filter(|line| !line.is_empty()).map(package).collect()
}

fn is_ours(package: &str) -> bool {
    package.starts_with("arcfour ") || package.starts_with("arcfour-")
}

/// The cells of the table rows whose cell of this index is a name in backticks.
fn rows(page: &str, index: usize) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect();
    let rows = page.lines().filter(|line| line.starts_with("| ")).map(cells);
    rows.filter(|cells: &Vec<String>| cells[index].starts_with('`')).collect()
}

fn dependencies_section() -> String {
    let page = fs::read_to_string(root().join("LIBRARIES.md")).unwrap();
    page.split_once("## Dependencies").expect("the section").1.to_owned()
}

#[test]
fn each_artefact_has_the_number_of_packages_that_the_page_says() {
    let page = dependencies_section();
    let rows = rows(&page, 2);
    assert_eq!(rows.len(), ARTEFACTS.len());
    let right: Vec<_> = ARTEFACTS
        .iter()
        .map(|artefact| {
            let count = packages(artefact).iter().filter(|package| !is_ours(package)).count();
            (format!("`{artefact}`"), count.to_string())
        })
        .collect();
    let said: Vec<_> = rows.into_iter().map(|cells| (cells[2].clone(), cells[3].clone())).collect();
    assert_eq!(said, right);
}

#[test]
fn each_dependency_is_listed_with_its_users_and_its_purpose() {
    let inside: BTreeSet<String> = ARTEFACTS
        .iter()
        .flat_map(|artefact| packages(artefact))
        .filter(|package| is_ours(package))
        .map(|package| package.split(' ').next().expect("a name").to_owned())
        .collect();
    let told: Value =
        serde_json::from_str(&cargo(&["metadata", "--no-deps", "--format-version=1"])).unwrap();
    let prefix = format!("{}/", told["workspace_root"].as_str().unwrap());
    let mut right: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in told["packages"].as_array().unwrap() {
        if !inside.contains(package["name"].as_str().unwrap()) {
            continue;
        }
        let manifest = package["manifest_path"].as_str().unwrap();
        let room = manifest.strip_prefix(&prefix).unwrap().trim_end_matches("/Cargo.toml");
        for used in package["dependencies"].as_array().unwrap() {
            if used["kind"].is_null() && used["path"].is_null() {
                let name = format!("`{}`", used["name"].as_str().unwrap());
                right.entry(name).or_default().push(room.to_owned());
            }
        }
    }
    right.values_mut().for_each(|rooms| rooms.sort());
    let page = dependencies_section();
    let rows = rows(&page, 1);
    assert!(rows.iter().all(|cells| !cells[3].is_empty()));
    let said: BTreeMap<_, _> = rows
        .into_iter()
        .map(|cells| (cells[1].clone(), cells[2].split(", ").map(str::to_owned).collect()))
        .collect();
    assert_eq!(said, right);
}
