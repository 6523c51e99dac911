//! Tests that the floor plan in CONTRIBUTING.md equals the manifests and the READMEs' titles, and
//! that no arrow points up.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write as _,
    fs,
    path::PathBuf,
    process::Command,
};

use serde_json::Value;

use crate::root;

/// The rooms that nothing else may depend on.
const ROOFS: [&str; 6] = ["bench", "capi", "cli", "fuzz", "lab", "python"];
const CONTRIBUTING: &str = "../CONTRIBUTING.md";
const MARKS: [&str; 2] = ["<!-- rooms -->\n", "<!-- rooms end -->\n"];

/// What the manifests of the workspace say, by `cargo metadata`.
pub(crate) fn manifests() -> Value {
    let told = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--locked", "--offline"])
        .output()
        .unwrap();
    serde_json::from_slice(&told.stdout).unwrap()
}

/// The folder of each crate of the workspace, and the folders of the crates that it uses.
pub(crate) fn rooms() -> BTreeMap<String, Vec<String>> {
    let told = manifests();
    let root = format!("{}/", told["workspace_root"].as_str().unwrap());
    let folder = |path: &Value| path.as_str()?.strip_prefix(&root).map(str::to_owned);
    let of = |package: &Value| {
        let manifest = folder(&package["manifest_path"]).unwrap();
        let used = package["dependencies"].as_array().unwrap().iter();
        // Dependencies of a crate's tests may be above it.
        let mut used: Vec<_> = used
            .filter(|used| used["kind"] != "dev")
            .filter_map(|used| folder(&used["path"]))
            .collect();
        used.sort();
        (manifest.trim_end_matches("/Cargo.toml").to_owned(), used)
    };
    told["packages"].as_array().unwrap().iter().map(of).collect()
}

/// The floor of a room, above all rooms that it uses.
fn floor(room: &str, rooms: &BTreeMap<String, Vec<String>>) -> usize {
    rooms[room].iter().map(|used| floor(used, rooms) + 1).max().unwrap_or_default()
}

/// Writes a room for Mermaid, which reads a slash in a name or before a bracket as a shape.
fn node(room: &str) -> String {
    format!("{}[\"{room}/\"]", room.replace('/', "_"))
}

/// Writes the plan for Mermaid. Arrows that follow from other arrows are omitted.
fn plan(rooms: &BTreeMap<String, Vec<String>>) -> String {
    let reaches = |from: &str, to: &str| {
        let mut left = vec![from];
        while let Some(room) = left.pop() {
            if room == to {
                return true;
            }
            left.extend(rooms[room].iter().map(String::as_str));
        }
        false
    };
    let mut text = "```mermaid\ngraph TD\n".to_owned();
    let floors = rooms.keys().map(|room| floor(room, rooms)).max().unwrap();
    for level in (0..=floors).rev() {
        for (room, used) in rooms.iter().filter(|(room, _)| floor(room, rooms) == level) {
            let direct = used
                .iter()
                .filter(|to| !used.iter().any(|other| other != *to && reaches(other, to)));
            let direct: Vec<_> = direct.map(|to| node(to)).collect();
            let _ = match direct.is_empty() {
                true => writeln!(text, "    {}", node(room)),
                false => writeln!(text, "    {} --> {}", node(room), direct.join(" & ")),
            };
        }
    }
    text + "```\n"
}

/// The folders of the workspace that have a README, and the folders of its crates.
fn folders(rooms: &BTreeMap<String, Vec<String>>) -> BTreeSet<String> {
    let entries = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let described = entries.filter(|path| path.join("README.md").exists());
    let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let folders = described.map(name).filter(|name| !name.starts_with('.') && name != "target");
    folders.chain(rooms.keys().cloned()).collect()
}

/// Returns the contents of a folder: the title of its README, without the name before the colon.
fn title(folder: &str) -> Option<String> {
    let text = fs::read_to_string(root().join(folder).join("README.md")).ok()?;
    let title = text.lines().next()?.strip_prefix("# ")?;
    Some(title.split_once(": ").map_or(title, |(_, title)| title).to_owned())
}

/// Writes the table of the rooms: the contents of each, and the crates that it uses.
fn table(rooms: &BTreeMap<String, Vec<String>>) -> String {
    let mut text = "| room | what is in it | may use |\n|---|---|---|\n".to_owned();
    for folder in folders(rooms) {
        let Some(title) = title(&folder) else { continue };
        let used = rooms.get(&folder).map(|used| used.join(", ")).unwrap_or_default();
        let _ = writeln!(text, "| [`{folder}`]({folder}/README.md) | {title} | {used} |");
    }
    text
}

#[test]
fn the_plan_is_what_the_manifests_say() {
    let rooms = rooms();
    let plan = format!("{}\n{}", plan(&rooms), table(&rooms));
    let page = fs::read_to_string(CONTRIBUTING).unwrap();
    let (before, rest) = page.split_once(MARKS[0]).expect("a first mark");
    let (drawn, after) = rest.split_once(MARKS[1]).expect("a last mark");
    if env::var_os("ARCFOUR_WRITE_ROOMS").is_some() {
        assert!(env::var_os("CI").is_none(), "written by hand only");
        fs::write(CONTRIBUTING, [before, MARKS[0], &plan, MARKS[1], after].concat()).unwrap();
        return;
    }
    assert_eq!(drawn, plan, "`make rooms` draws it anew: look whether the house is better");
}

#[test]
fn nothing_depends_on_a_roof() {
    let mut seen = 0;
    for (room, used) in rooms() {
        for used in used {
            let roof = |folder: &str| {
                let room = folder.split('/').next().unwrap_or_default().to_owned();
                // Its kernels are a library, and the tool for fuzzing tries the parsers of commands.
                (ROOFS.contains(&&*room) && folder != "bench/kernels").then_some(room)
            };
            seen += 1;
            let inside = roof(&room) == roof(&used) || room == "fuzz";
            assert!(roof(&used).is_none() || inside, "{room} depends on {used}");
        }
    }
    assert!(seen > 40, "{seen} dependencies");
}
