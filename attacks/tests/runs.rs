//! The figures of the README are those of the recorded runs.

use std::{fs, path::PathBuf};

use arcfour::Rc4;
use arcfour_attacks::{experiment::Random, state::find_key};

/// The README's part between `<!-- name -->` and `<!-- /name -->`.
fn part(name: &str) -> String {
    let readme = include_str!("../README.md");
    let (_, rest) = readme.split_once(&format!("<!-- {name} -->\n")).expect("the part begins");
    rest.split_once(&format!("<!-- /{name} -->")).expect("the part ends").0.to_owned()
}

fn run(name: &str) -> Vec<serde_json::Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("runs").join(name);
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The columns that all tables end with: trials, found, interval, published.
fn columns(line: &serde_json::Value) -> String {
    let percent = |value: &serde_json::Value| format!("{:.1}", 100.0 * value.as_f64().unwrap());
    let published = match &line["published"] {
        serde_json::Value::Null => String::new(),
        published => format!("{} %", percent(&published["rate"])),
    };
    let (rate, wilson) = (percent(&line["rate"]), &line["wilson"]);
    let (low, high) = (percent(&wilson[0]), percent(&wilson[1]));
    format!("{} | {rate} % | {low} to {high} % | {published} |\n", line["trials"])
}

#[test]
fn the_figures_of_the_readme_are_the_recorded_ones() {
    let keys = run("key.jsonl");
    let rows = keys
        .iter()
        .map(|line| format!("| {} | {} | {}", line["key_length"], line["tests"], columns(line)));
    let head = "| key, bytes | keys tested | trials | found | 95 % interval | published |\n\
                |--:|--:|--:|--:|---|--:|\n";
    assert_eq!(part("key"), head.to_owned() + &rows.collect::<String>());

    let wep = run("wep.jsonl");
    assert!(wep.iter().all(|line| line["key_length"] == 13 && line["method"] == "all"));
    let rows = wep.iter().map(|line| format!("| {} | {}", line["packets"], columns(line)));
    let head = "| packets | trials | found | 95 % interval | published |\n|--:|--:|--:|---|--:|\n";
    assert_eq!(part("wep"), head.to_owned() + &rows.collect::<String>());

    let rows = run("broadcast.jsonl").into_iter().map(|line| {
        let columns = columns(&line);
        format!(
            "| {} | {}\n",
            line["ciphertexts"],
            columns.trim_end_matches("|  |\n").to_owned() + "|"
        )
    });
    let head =
        "| ciphertexts | positions, all trials | recovered | 95 % interval |\n|--:|--:|--:|---|\n";
    assert_eq!(part("broadcast"), head.to_owned() + &rows.collect::<String>());
}

/// A recorded run gives the same again.
#[test]
fn a_recorded_trial_is_made_again() {
    let recorded = &run("key.jsonl")[0];
    let length = recorded["key_length"].as_u64().unwrap() as usize;
    let missed = recorded["trials"].as_u64().unwrap() - recorded["successes"].as_u64().unwrap();
    let failed = (0..50).filter(|&trial| {
        let key = Random::new("key", recorded["seed"].as_u64().unwrap(), trial).bytes(length);
        let rc4 = Rc4::from_key(&key).unwrap();
        find_key(rc4.state().parts().0, length, recorded["tests"].as_u64().unwrap()).is_none()
    });
    assert!(failed.count() as u64 <= missed);
}
