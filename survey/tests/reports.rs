//! The reports: they quote foreign text, and say what the survey did not see.

use std::{
    ffi::OsStr, fs, os::unix::ffi::OsStrExt, path::Path, process::Command, sync::atomic::Ordering,
};

use arcfour_survey::{Options, Outcome, Place, Watch, report, survey};
use serde_json::Value;

fn pdf() -> Vec<u8> {
    fs::read("../vectors/pdf/v1-r2.pdf").unwrap()
}

fn surveyed(path: &Path) -> Outcome {
    survey(&[path.to_owned()], &Options::default(), &Watch::default())
}

/// Names that a shell, a terminal or a page reads in its own way.
const NAMES: [&[u8]; 12] = [
    b"it's {key bits}; rm.pdf",
    b"$(touch pwned) `id`.pdf",
    b"line\nline.pdf",
    b"\x1b[31mred\\7.pdf",
    b"caf\xe9 it's.pdf",
    b"bad\xff.pdf",
    b"bad\xfe.pdf",
    "rtl\u{202e}fdp.exe.pdf".as_bytes(),
    "alm\u{61c}x.pdf".as_bytes(),
    "Grüße 漢字.pdf".as_bytes(),
    b"[click](https:evil).pdf",
    b"<script>alert(1)<",
];

/// Returns true for characters that a report must not have.
fn is_hidden(char: char) -> bool {
    char.is_control() && char != '\n' || ['\u{202e}', '\u{61c}'].contains(&char)
}

#[test]
fn a_command_can_be_typed() {
    for name in NAMES {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(OsStr::from_bytes(name));
        fs::write(&path, pdf()).unwrap();
        let outcome = surveyed(root.path());
        let command = outcome.findings[0].command().unwrap();
        assert!(!command.contains(is_hidden) && !command.contains('\n'), "{command:?}");
        let word = command.strip_prefix("arcfour find --pdf ").unwrap();
        let read = Command::new("bash").arg("-c").arg(format!("printf %s {word}")).output();
        assert_eq!(read.unwrap().stdout, path.as_os_str().as_bytes(), "{word}");
        // The page shows the command as it is.
        let page =
            report::html(&outcome).replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">");
        assert!(page.contains(&command) && !page.contains(is_hidden), "{command}");
    }
}

/// Names that are not UTF-8 look the same as text.
#[test]
fn lines_of_json_tell_all_names_apart() {
    let root = tempfile::tempdir().unwrap();
    for name in NAMES {
        fs::write(root.path().join(OsStr::from_bytes(name)), b"%PDF-1.4 and nothing else").unwrap();
    }
    let end = report::summary(&surveyed(root.path()));
    let unread = end["unread"].as_array().unwrap();
    let uris: Vec<&str> = unread.iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert_eq!(uris.len(), NAMES.len());
    assert!(uris.iter().any(|uri| uri.ends_with("/bad%FF.pdf")), "{uris:?}");
    let finding = report::finding(&surveyed(Path::new("../vectors/pdf/v1-r2.pdf")).findings[0]);
    assert_eq!(finding["uri"], "../vectors/pdf/v1-r2.pdf");
}

/// The name of a file is text on the page, never markup. The page loads nothing.
#[test]
fn the_page_is_whole_and_quotes_what_it_shows() {
    let root = tempfile::tempdir().unwrap();
    for name in NAMES {
        fs::write(root.path().join(OsStr::from_bytes(name)), pdf()).unwrap();
    }
    let page = report::html(&surveyed(root.path()));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;") && !page.contains("<script"));
    for outside in ["src=", "href=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn the_page_counts_what_it_does_not_list() {
    let place = |n| Place { path: format!("file {n}").into(), within: None };
    let unread = |count| (0..count).map(|n| (place(n), "damaged".to_owned())).collect();
    let page = |count| report::html(&Outcome { unread: unread(count), ..Outcome::default() });
    assert!(!page(1000).contains("are not listed here"));
    let page = page(1200);
    assert!(page.contains("<li>file 999:") && !page.contains("<li>file 1000:"));
    assert!(page.contains("<p>200 more are not listed here."));
}

/// Braces are placeholders in a message of SARIF, and brackets are links.
#[test]
fn a_message_of_sarif_has_no_placeholders_and_links() {
    let root = tempfile::tempdir().unwrap();
    let name = "sAMAccountName: [Reset it](https://evil.example) {0}";
    let text = format!("dn: CN=a\n{name}\nmsDS-SupportedEncryptionTypes: 4\n");
    fs::write(root.path().join("a.ldif"), text).unwrap();
    let mut outcome = surveyed(root.path());
    outcome.unread.push((outcome.findings[0].place.clone(), "{1} [a](b)".to_owned()));
    let run = &report::sarif(&outcome)["runs"][0];
    let text = run["results"][0]["message"]["text"].as_str().unwrap();
    assert!(text.contains(r"\[Reset it\](https://evil.example) {{0}}: "), "{text}");
    let unread = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(unread["message"]["text"], r"{{1}} \[a\](b)");
}

#[test]
fn a_rule_of_sarif_has_a_title_without_a_finding() {
    let path = Path::new("../vectors/pdf/v2-r3-128.pdf");
    let run = &report::sarif(&surveyed(path))["runs"][0];
    let rule = &run["tool"]["driver"]["rules"][0];
    assert_eq!(rule["shortDescription"]["text"], "PDF, N-bit key");
}

#[test]
fn every_report_tells_the_limits_of_the_survey() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.pdf"), pdf()).unwrap();
    let whole = surveyed(root.path());
    fs::write(root.path().join("b.pdf"), b"%PDF-1.4 and nothing else").unwrap();
    let in_part = surveyed(root.path());
    let watch = Watch::default();
    watch.stop.store(true, Ordering::Relaxed);
    let stopped = survey(&[root.path().into()], &Options::default(), &watch);
    for (outcome, aggregate, unread) in
        [(&whole, "unknown", 0), (&in_part, "incomplete", 1), (&stopped, "incomplete", 0)]
    {
        let bom = report::cyclonedx(outcome);
        assert_eq!(bom["compositions"][0]["aggregate"], aggregate);
        let properties = bom["metadata"]["properties"].as_array().unwrap();
        let values = |name: &str| -> Vec<&Value> {
            let named = properties.iter().filter(|property| property["name"] == name);
            named.map(|property| &property["value"]).collect()
        };
        assert_eq!(values("arcfour:stopped"), [&outcome.stopped.to_string()]);
        assert_eq!(values("arcfour:unread").len(), unread);
        assert_eq!(values("arcfour:not-seen"), report::BLIND);
        let run = &report::sarif(outcome)["runs"][0];
        assert_eq!(run["properties"]["notSeen"].as_array().unwrap(), &report::BLIND);
        assert_eq!(run["invocations"][0]["executionSuccessful"], !outcome.stopped);
        let page = report::html(outcome);
        assert!(report::BLIND.iter().all(|line| page.contains(line)));
    }
}
