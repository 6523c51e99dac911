//! Runs `arcfour find` and `bias shard` on an adapter, in a build with the feature `gpu`. Any adapter will do, Mesa's lavapipe too.
#![cfg(feature = "gpu")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use arcfour::Rc4;
use tempfile::TempDir;

const KEY: [u8; 4] = [0x4b, 0x3c, 0x2d, 0x1e];

/// A folder with a ciphertext.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = *b"%PDF-1.4";
    Rc4::crypt(&KEY, &mut text).unwrap();
    fs::write(folder.path().join("c.bin"), text).unwrap();
    folder
}

fn arcfour(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arcfour"));
    command.current_dir(folder);
    command
}

/// Searches 2^18 keys by two known bytes: about five of them match.
fn find(folder: &Path, options: &[&str]) -> Command {
    let mut command = arcfour(folder);
    command.args(["find", "-c", "c.bin", "--key-mask", "4b [3c-3f] ?? ??", "--plain-text", "%P"]);
    command.args(["--all", "--threads", "1"]).args(options);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn run(mut command: Command) -> (Output, String) {
    let output = command.output().unwrap();
    let said = text(&output.stderr);
    (output, said)
}

#[test]
fn an_adapter_and_the_processor_make_one_record() {
    let folder = folder();
    let folder = folder.path();
    assert!(run(find(folder, &["--record", "cpu.json"])).0.status.success());
    for (device, shard, record) in [("0", "1/2", "1.json"), ("cpu", "2/2", "2.json")] {
        let options = ["--device", device, "--shard", shard, "--record", record];
        let (output, said) = run(find(folder, &options));
        assert!(output.status.success(), "{said}");
        assert_eq!(said.contains("arcfour: adapter 0, "), device == "0", "{said}");
        assert_eq!(said.contains(", searches too\n"), device == "0", "{said}");
    }
    let mut merge = arcfour(folder);
    merge.args(["find", "merge", "1.json", "2.json", "-o", "both.json"]);
    let (merged, said) = run(merge);
    assert!(text(&merged.stdout).contains("4b3c2d1e\n"), "{said}");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("both.json"), read("cpu.json"));
}

#[test]
fn the_processor_searches_without_a_driver() {
    let folder = folder();
    let mut alone = find(folder.path(), &["--device", "gpu"]);
    // The loader of Vulkan reads these lists of drivers; the second name is the older one.
    alone.env("VK_DRIVER_FILES", "/none.json").env("VK_ICD_FILENAMES", "/none.json");
    let (output, said) = run(alone);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("no GPU was found, so the processor searches alone"), "{said}");
    let (right, _) = run(find(folder.path(), &[]));
    let sorted = |output: &Output| {
        let mut keys: Vec<_> = text(&output.stdout).lines().map(str::to_owned).collect();
        keys.sort();
        keys
    };
    assert!(sorted(&right).len() > 1);
    assert_eq!(sorted(&output), sorted(&right));
}

#[test]
fn an_adapter_that_cannot_search_says_why() {
    let folder = folder();
    let (output, said) =
        run(find(folder.path(), &["--device", "0", "--family", "vmpc", "--iv-hex", "00"]));
    assert!(
        said.contains(", does not search: a GPU searches RC4 keys by known plaintext"),
        "{said}"
    );
    assert_ne!(output.status.code(), Some(2), "{said}");
    let (output, said) = run(find(folder.path(), &["--device", "1000000"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.contains("--device 1000000: there is no such adapter; `arcfour backends` lists "),
        "{said}"
    );
    assert!(!said.contains("plaintext:"), "{said}");
}

/// Counts shard 1 of a campaign in c.toml.
fn shard(folder: &Path, out: &str, options: &[&str]) -> Command {
    let mut command = arcfour(folder);
    command.args(["bias", "shard", "c.toml", "--index", "1", "-o", out]).args(options);
    command
}

/// Writes a campaign.
fn campaign(folder: &Path, count: &str) {
    let seed = "4b".repeat(32);
    let text = format!(
        "seed = '{seed}'\nshards = 2\nkeystreams = 9001\nkey-length = 16\n[count]\n{count}\n"
    );
    fs::write(folder.join("c.toml"), text).unwrap();
}

#[test]
fn an_adapter_and_the_processor_write_one_file_of_counts() {
    let folder = folder();
    let folder = folder.path();
    campaign(folder, "single = 256");
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    let (output, said) = run(shard(folder, "cpu.cnt", &[]));
    assert!(output.status.success() && said.is_empty(), "{said}");
    // With --checkpoint 0, each batch leaves a file that the next run could go on from.
    let (output, said) = run(shard(folder, "gpu.cnt", &["--device", "0", "--checkpoint", "0"]));
    assert!(output.status.success(), "{said}");
    assert!(said.starts_with("arcfour: adapter 0, ") && said.ends_with(", counts\n"), "{said}");
    assert!(read("gpu.cnt") == read("cpu.cnt"));
    let (output, _) = run(shard(folder, "-", &["--device", "0"]));
    assert!(output.stdout == read("cpu.cnt"));
}

#[test]
fn the_processor_counts_what_an_adapter_does_not() {
    let folder = folder();
    let folder = folder.path();
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    campaign(folder, "single = 9\ndigraphs = 2");
    assert!(run(shard(folder, "cpu.cnt", &[])).0.status.success());
    let (output, said) = run(shard(folder, "gpu.cnt", &["--device", "0"]));
    assert!(output.status.success(), "{said}");
    let why = ", does not count: a GPU counts single bytes; the campaign has digraph groups\n";
    assert!(said.starts_with("arcfour: adapter 0, ") && said.ends_with(why), "{said}");
    assert!(read("gpu.cnt") == read("cpu.cnt"));

    let mut alone = shard(folder, "alone.cnt", &["--device", "gpu"]);
    alone.env("VK_DRIVER_FILES", "/none.json").env("VK_ICD_FILENAMES", "/none.json");
    let (output, said) = run(alone);
    assert!(output.status.success(), "{said}");
    assert_eq!(said, "arcfour: no GPU was found, so the processor counts alone\n");
    assert!(read("alone.cnt") == read("cpu.cnt"));

    let (output, said) = run(shard(folder, "none.cnt", &["--device", "1000000"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("--device 1000000: there is no such adapter"), "{said}");
    assert!(!folder.join("none.cnt").exists());
}

#[test]
fn the_adapters_are_listed() {
    let folder = folder();
    let backends = |options: &[&str]| {
        let output = arcfour(folder.path()).arg("backends").args(options).output().unwrap();
        text(&output.stdout)
    };
    let listed = backends(&[]);
    assert!(listed.contains("\nadapter  name"), "{listed}");
    let rows: serde_json::Value = serde_json::from_str(&backends(&["--json"])).unwrap();
    let adapters = rows.as_array().unwrap().iter().filter(|row| !row["adapter"].is_null());
    for (number, adapter) in adapters.enumerate() {
        assert_eq!(adapter["adapter"], number);
        assert!(adapter["workgroup_memory"].as_u64().unwrap() >= 16 << 10, "{adapter}");
        assert!(listed.contains(&format!("\n      {number}  ")), "{listed}");
    }
}

#[test]
fn a_measurement_is_one_line_with_four_rates() {
    let folder = folder();
    let mut bench = arcfour(folder.path());
    bench.args(["bench", "gpu", "--device", "0", "--seconds", "1"]);
    let (output, said) = run(bench);
    let line = text(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert_eq!(line.lines().count(), 1, "{line}");
    let rates: Vec<f64> = line
        .split("; ")
        .filter_map(|part| {
            part.trim_end().strip_suffix(" M keys/s")?.rsplit(' ').next()?.parse().ok()
        })
        .collect();
    assert_eq!(rates.len(), 4, "{line}");
    assert!(rates.iter().all(|rate| *rate > 0.0), "{line}");
}
