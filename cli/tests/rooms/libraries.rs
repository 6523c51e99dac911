//! Tests that LIBRARIES.md names existing parts, with their numbers of lines.

use std::{fs, path::Path};

use crate::root;

/// The lines of a file before its tests.
fn lines_of_file(path: &Path) -> usize {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().take_while(|line| *line != "#[cfg(test)]").count()
}

/// The lines of a part: a file, or a folder without its tests.
fn lines(path: &Path) -> usize {
    if path.is_file() {
        return lines_of_file(path);
    }
    let is_code =
        |file: &&std::path::PathBuf| file.file_name().is_some_and(|name| name != "tests.rs");
    crate::layout::sources(path).iter().filter(is_code).map(|file| lines_of_file(file)).sum()
}

#[test]
fn every_part_has_the_lines_that_the_page_says() {
    let page = fs::read_to_string(root().join("LIBRARIES.md")).unwrap();
    let (parts, _) = page.split_once("## Dependencies").expect("the section");
    let rows = parts.lines().filter(|line| line.starts_with("| `"));
    let mut wrong = vec![];
    let mut count = 0;
    for row in rows {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let parts: Vec<_> =
            cells[1].split_whitespace().map(|part| part.trim_matches('`')).collect();
        let found: usize = parts.iter().map(|part| lines(&root().join(part))).sum();
        let said: usize = cells[2].parse().expect("a number of lines");
        count += 1;
        if found.abs_diff(said) * 5 > said {
            wrong.push(format!("{}: {found} lines, not {said}", parts.join(" ")));
        }
    }
    assert!(count > 30, "{count} rows");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
