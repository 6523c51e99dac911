//! Tests that the files of a crate import each other without circles.

use std::collections::BTreeSet;

use crate::{
    code::{Files, ModulePath},
    plan::rooms,
    root,
};

/// The circles that remain: the crate, its files, and the reason. A circle that is gone must leave
/// the list.
const OPEN: [(&str, &[&str], &str); 1] = [(
    "cipher",
    &[
        "backends",
        "backends::aarch64",
        "backends::definition",
        "backends::portable",
        "backends::portable::lanes",
        "backends::x86_64",
        "backends::x86_64::lanes",
        "backends::x86_64::stream",
        "rc4",
    ],
    "`Rc4` holds the functions of its backend. These functions take an `Rc4`.",
)];

/// Returns the files of each circle, from the root of the crate.
fn circles(files: &Files) -> BTreeSet<Vec<String>> {
    let arrows = files.arrows();
    let reached = |from: &ModulePath| {
        let (mut reached, mut left) = (BTreeSet::new(), arrows[from].clone());
        while let Some(file) = left.pop() {
            if reached.insert(file) {
                left.extend(&arrows[file]);
            }
        }
        reached
    };
    let reached: Vec<_> = arrows.keys().map(|file| (*file, reached(file))).collect();
    let circle = |(file, from): &(&ModulePath, BTreeSet<&ModulePath>)| {
        let back = reached.iter().filter(|(other, to)| from.contains(other) && to.contains(file));
        back.map(|(other, _)| other.join("::")).collect::<Vec<_>>()
    };
    reached.iter().map(circle).filter(|circle| circle.len() > 1).collect()
}

#[test]
fn files_of_a_crate_import_in_a_straight_line() {
    let mut found = BTreeSet::new();
    let mut arrows = 0;
    for room in rooms().keys() {
        let files = Files::read(&root().join(room).join("src"));
        arrows += files.arrows().values().map(Vec::len).sum::<usize>();
        found.extend(circles(&files).into_iter().map(|circle| (room.clone(), circle)));
    }
    assert!(arrows > 500, "{arrows} imports");
    let open = OPEN.iter().map(|(room, files, reason)| {
        assert!(!reason.is_empty(), "{room}: {files:?}");
        (room.to_string(), files.iter().map(|file| file.to_string()).collect::<Vec<_>>())
    });
    let open: BTreeSet<_> = open.collect();
    let new: Vec<_> = found.difference(&open).collect();
    let closed: Vec<_> = open.difference(&found).collect();
    assert!(new.is_empty() && closed.is_empty(), "new: {new:#?}\nclosed: {closed:#?}");
}

#[test]
fn a_circle_is_seen_through_names_that_are_handed_on() {
    let root = "mod a;\nmod b;\npub use a::One;";
    let a = "pub struct One;\nfn two() -> super::b::Two { super::b::Two }";
    let files = |b| Files::of([("", root), ("a", a), ("b", b)]);
    let circle = Vec::from(["a".to_owned(), "b".to_owned()]);
    for b in
        ["use crate::One;", "fn one() -> crate::One { todo!() }", "fn one() { dbg!(crate::One) }"]
    {
        assert_eq!(circles(&files(b)), BTreeSet::from([circle.clone()]), "{b}");
    }
    for b in [
        "use std::fmt;",
        "#[cfg(test)]\nmod tests {\n    use crate::One;\n}",
        "pub(in crate::a) struct Two;",
    ] {
        assert_eq!(circles(&files(b)), BTreeSet::new(), "{b}");
    }
}
