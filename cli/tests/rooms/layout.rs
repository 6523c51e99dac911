//! Tests that tests are in the places of CONTRIBUTING.md, "Where tests stand".

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{plan::rooms, root};

/// The maximum number of lines of tests at the end of a file of code.
const MOST_LINES: usize = 150;

/// Returns the Rust files below a folder; none if the folder is missing.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return vec![] };
    let entries = entries.map(|entry| entry.expect("an entry").path());
    let mut found: Vec<_> = entries
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    found.sort();
    found
}

/// Returns the fault in the place of a file's tests.
fn fault(code: &str) -> Option<String> {
    let lines: Vec<_> = code.lines().collect();
    // A single test may stand alone.
    let begins = |pair: &[&str]| pair[1] == "mod tests {" || pair == ["#[cfg(test)]", "#[test]"];
    let begin = lines.windows(2).position(begins).unwrap_or(lines.len());
    if let Some(at) = lines[..begin].iter().position(|line| line.trim() == "#[test]") {
        return Some(format!("line {}: a test stands among the code", at + 1));
    }
    let end = begin + lines[begin..].iter().take_while(|line| **line != "}").count();
    if end + 1 < lines.len() {
        return Some(format!("line {}: code follows the tests", end + 2));
    }
    let count = lines.len() - begin;
    (count > MOST_LINES).then(|| format!("its tests have {count} lines; {MOST_LINES} are the most"))
}

#[test]
fn tests_of_private_parts_stand_last_in_a_file_or_in_a_file_of_their_own() {
    let mut faults = vec![];
    let mut files = 0;
    for room in rooms().keys() {
        for file in sources(&root().join(room).join("src")) {
            let code = fs::read_to_string(&file).expect("a source in UTF-8");
            files += 1;
            if file.file_name().is_none_or(|name| name != "tests.rs" && name != "testkit.rs") {
                let fault = fault(&code);
                faults.extend(fault.map(|fault| format!("{}: {fault}", file.display())));
            }
        }
    }
    assert!(files > 300, "{files} files");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_library_has_a_folder_of_tests_whose_files_say_what_they_hold() {
    let mut faults = vec![];
    for room in rooms().keys() {
        let folder = root().join(room);
        let is_library = folder.join("src/lib.rs").exists() && !room.contains('/');
        let tests = sources(&folder.join("tests"));
        let inside = folder.join("src/tests.rs").exists();
        let in_python = folder.join("tests/conftest.py").exists();
        if is_library && tests.is_empty() && !inside && !in_python {
            faults.push(format!("{room}: there is no folder tests/"));
        }
        // Programs that the survey reads are data.
        for file in tests.iter().filter(|file| !file.starts_with(folder.join("tests/programs"))) {
            let text = fs::read_to_string(file).expect("a source in UTF-8");
            if !text.starts_with("//! ") {
                faults
                    .push(format!("{}: the first line does not say what it holds", file.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_test_in_a_wrong_place_is_seen() {
    let tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {}\n}\n";
    assert_eq!(fault(&format!("fn code() {{}}\n\n{tests}")), None);
    assert_eq!(fault("fn code() {}\n\n#[cfg(test)]\n#[test]\nfn one() {\n}\n"), None);
    for (code, expected) in [
        (format!("#[test]\nfn one() {{}}\n{tests}"), "line 1: a test stands among the code"),
        (format!("{tests}fn code() {{}}\n"), "line 6: code follows the tests"),
        (
            tests.replace("    #[test]", &"\n".repeat(150)),
            "its tests have 155 lines; 150 are the most",
        ),
    ] {
        assert_eq!(fault(&code).as_deref(), Some(expected));
    }
}
