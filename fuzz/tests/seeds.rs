//! Every target on its seeds. Without the harness, because the main thread's time and stack are measured.

#[path = "../targets/mod.rs"]
mod targets;

use std::{
    fs,
    panic::catch_unwind,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The files in a folder and in the folders in it, links followed.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect()
}

/// The names in a folder, without the ends of files' names.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap().path())).collect();
    names.retain(|name| name != "mod");
    names.sort();
    names
}

fn main() -> ExitCode {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed: Vec<_> = targets::ALL.iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(names(&here.join("targets")), listed, "targets/mod.rs lists the files beside it");
    assert_eq!(names(&here.join("seeds")), listed, "each target has a folder of seeds");
    let mut failed = 0;
    for (name, run) in targets::ALL {
        let seeds = files(&here.join("seeds").join(name));
        assert!(!seeds.is_empty(), "{name} has no seed");
        for seed in &seeds {
            let input = fs::read(seed).unwrap();
            if catch_unwind(|| run(&input)).is_err() {
                eprintln!("{name}: {} FAILED", seed.display());
                failed += 1;
            }
        }
        println!("{name}: {} seeds", seeds.len());
    }
    ExitCode::from(u8::from(failed > 0))
}
