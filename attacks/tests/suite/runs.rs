//! Checks that `runs/README.md` has the figures of the recorded runs.
//! `ARCFOUR_WRITE_TABLES=1 cargo test -p arcfour-attacks --test suite runs` writes them there.

use std::{env, fs, path::PathBuf};

use arcfour::Rc4;
use arcfour_attacks::{
    backtrack::expected_assignments,
    experiment::{Random, Success},
    state::find_key,
    wep::{CERTAIN, IV, KEY_LENGTHS, KNOWN, Kind, Rate, by_kind, packets_for_half, recorded},
};
use serde_json::Value;

/// Compares the page's part between `<!-- name -->` and `<!-- /name -->` with these lines.
fn table(page: &mut String, name: &str, lines: impl IntoIterator<Item = String>) {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = page.split_once(&begin).expect("the part begins");
    let (part, after) = rest.split_once(&end).expect("the part ends");
    let expected: String = lines.into_iter().collect();
    if env::var_os("ARCFOUR_WRITE_TABLES").is_none() {
        assert_eq!(part, expected);
    }
    *page = format!("{before}{begin}{expected}{end}{after}");
}

fn run(name: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("runs").join(name);
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The columns that all tables end with: trials, found, interval, published.
fn columns(line: &Value) -> String {
    let percent = |value: &Value| format!("{:.1}", 100.0 * value.as_f64().unwrap());
    let published = match &line["published"] {
        Value::Null => String::new(),
        published => format!("{} %", percent(&published["rate"])),
    };
    let (rate, wilson) = (percent(&line["rate"]), &line["wilson"]);
    let (low, high) = (percent(&wilson[0]), percent(&wilson[1]));
    format!("{} | {rate} % | {low} to {high} % | {published} |\n", line["trials"])
}

/// Merges lines that differ only in seed and time, and adds up their trials.
fn together(lines: Vec<Value>) -> Vec<Value> {
    let mut all: Vec<Value> = vec![];
    for line in lines {
        let told = |line: &Value| {
            let mut told = line.clone();
            for counted in ["seed", "seconds", "trials", "successes", "rate", "wilson"] {
                told[counted] = Value::Null;
            }
            told
        };
        match all.iter_mut().find(|other| told(other) == told(&line)) {
            None => all.push(line),
            Some(other) => {
                assert_ne!(other["seed"], line["seed"], "the same trials twice");
                let sum = |name: &str| other[name].as_u64().unwrap() + line[name].as_u64().unwrap();
                let success = Success { successes: sum("successes"), trials: sum("trials") };
                other["successes"] = success.successes.into();
                other["trials"] = success.trials.into();
                other["rate"] = success.rate().into();
                other["wilson"] = vec![success.wilson().0, success.wilson().1].into();
                other["seed"] = line["seed"].clone();
            }
        }
    }
    all
}

/// Writes a share in percent, with its interval.
fn share(value: &Value, digits: usize) -> String {
    let percent = |value: &Value| 100.0 * value.as_f64().unwrap();
    let (rate, wilson) = (percent(&value["rate"]), &value["wilson"]);
    let (low, high) = (percent(&wilson[0]), percent(&wilson[1]));
    format!("{rate:.digits$} % ({low:.digits$} to {high:.digits$})")
}

/// Writes a share of votes as a number in 256, with its interval.
fn of_256(value: &Value) -> String {
    let of = |value: &Value| 256.0 * value.as_f64().unwrap();
    let (rate, wilson) = (of(&value["rate"]), &value["wilson"]);
    format!("{rate:.3} ({:.3} to {:.3})", of(&wilson[0]), of(&wilson[1]))
}

fn power(value: &Value) -> String {
    format!("2^{:.1}", value.as_f64().unwrap())
}

#[test]
fn the_figures_of_the_page_are_the_recorded_ones() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("runs/README.md");
    let mut page = fs::read_to_string(&path).unwrap();

    let head = "| key, bytes | keys tested | trials | found | 95 % interval | published |\n\
                |--:|--:|--:|--:|---|--:|\n";
    let rows = run("key.jsonl")
        .into_iter()
        .map(|line| format!("| {} | {} | {}", line["key_length"], line["tests"], columns(&line)));
    table(&mut page, "key", [head.to_owned()].into_iter().chain(rows));

    let wep = together(run("wep.jsonl"));
    assert!(wep.iter().all(|line| line["method"] == "all"));
    let head = "| key, bytes | packets | ARP sender | most prefixes | trials | found | 95 % interval | published |\n\
                |--:|--:|---|--:|--:|--:|---|--:|\n";
    let rows = wep.iter().map(|line| {
        let [length, packets, most] =
            ["key_length", "packets", "max_prefixes"].map(|name| &line[name]);
        let sender = line["sender"].as_str().unwrap();
        format!("| {length} | {packets} | {sender} | {most} | {}", columns(line))
    });
    table(&mut page, "wep", [head.to_owned()].into_iter().chain(rows));
    for length in [5, 13] {
        let half = |line: &&Value| {
            line["key_length"] == length
                && line["max_prefixes"] == 10_000
                && line["sender"] == "source"
                && line["wilson"][1].as_f64() >= Some(0.5)
        };
        let fewest = wep.iter().filter(half).map(|line| line["packets"].as_u64().unwrap()).min();
        assert_eq!(fewest, Some(packets_for_half(length) as u64), "{length} bytes");
    }

    let head =
        "| vote | in a million packets | right | bits in 10,000 packets |\n|---|--:|--:|--:|\n";
    let rows = by_kind(recorded()).into_iter().map(|Kind { name, votes, right, bits }| {
        let (votes, percent, bits) = (1e6 * votes, 100.0 * right, 1e4 * bits);
        format!("| {name} | {votes:.1} | {percent:.3} % | {bits:.4} |\n")
    });
    table(&mut page, "votes", [head.to_owned()].into_iter().chain(rows));

    let head = "| key, bytes | votes for key bytes | for sums, by certain bytes | for sums, by the sender's address | \
                packets to guess the address |\n|--:|--:|--:|--:|--:|\n";
    let rows = KEY_LENGTHS.into_iter().map(|length| {
        let total = IV + length - 1;
        // Klein's vote uses the byte before the step's own.
        let byte = |rate: &&Rate| rate.step - usize::from(rate.kind.starts_with("Klein"));
        let sums = |rate: &&Rate| rate.kind.ends_with("sums") && rate.step >= total;
        // Every packet casts the first vote.
        let packets = recorded()[0].right.trials as f64;
        let bits = |of: &dyn Fn(&&Rate) -> bool| -> f64 {
            let votes = |rate: &Rate| rate.right.trials as f64 / packets;
            recorded().iter().filter(of).map(|rate| 1e4 * rate.bits() * votes(rate)).sum()
        };
        let bytes = bits(&|rate| !rate.kind.ends_with("sums") && rate.step <= total);
        let certain = bits(&|rate| sums(rate) && byte(rate) < CERTAIN);
        let address = bits(&|rate| sums(rate) && byte(rate) >= CERTAIN);
        let guess = 1e4 * 8.0 * (KNOWN - CERTAIN) as f64 / address;
        format!("| {length} | {bytes:.1} | {certain:.1} | {address:.1} | {guess:.0} |\n")
    });
    table(&mut page, "address", [head.to_owned()].into_iter().chain(rows));

    let head = "| file | frames | arcfour, fewest | seconds | aircrack-ng, fewest | seconds |\n\
                |---|--:|--:|--:|--:|--:|\n";
    let rows = run("../aircrack/foreign.jsonl").into_iter().map(|line| {
        let found = |program: &str| {
            assert_eq!(line[program]["found"], true);
            format!("{} | {:.1}", line[program]["fewest"], line[program]["seconds"])
        };
        let (file, packets) = (line["file"].as_str().unwrap(), &line["packets"]);
        format!("| `{file}` | {packets} | {} | {} |\n", found("arcfour"), found("aircrack-ng"))
    });
    table(&mut page, "foreign", [head.to_owned()].into_iter().chain(rows));

    let head = "| program | MB of memory | state found | key found | seconds | stored as | indexes |\n\
                |---|--:|---|---|--:|---|---|\n";
    let rows = run("../processes/processes.jsonl").into_iter().map(|line| {
        let [found, key] =
            ["found", "key"].map(|name| if line[name] == true { "yes" } else { "no" });
        let [program, layout, stored] =
            ["program", "layout", "stored"].map(|name| line[name].as_str().unwrap_or_default());
        let indexes = if layout.ends_with("elsewhere") { "elsewhere" } else { "beside the table" };
        let megabytes = line["bytes"].as_f64().unwrap() / 1e6;
        let seconds = line["seconds"].as_f64().unwrap();
        format!("| {program} | {megabytes:.1} | {found} | {key} | {seconds:.1} | {stored} | {indexes} |\n")
    });
    table(&mut page, "processes", [head.to_owned()].into_iter().chain(rows));

    let head = "| packets | captures | arcfour | aircrack-ng |\n|--:|--:|--:|--:|\n";
    let rows = run("../aircrack/compare.jsonl").into_iter().map(|line| {
        let found = |program: &str| {
            let (found, wilson) = (&line[program]["found"], &line[program]["wilson"]);
            let [low, high] = [0, 1].map(|end| 100.0 * wilson[end].as_f64().unwrap());
            format!("{found} ({low:.1} to {high:.1} %)")
        };
        let (packets, captures) = (&line["packets"], &line["captures"]);
        format!("| {packets} | {captures} | {} | {} |\n", found("arcfour"), found("aircrack-ng"))
    });
    table(&mut page, "aircrack", [head.to_owned()].into_iter().chain(rows));

    let head =
        "| ciphertexts | positions, all trials | recovered | 95 % interval |\n|--:|--:|--:|---|\n";
    let rows = run("broadcast.jsonl").into_iter().map(|line| {
        let columns = columns(&line);
        let columns = columns.trim_end_matches("|  |\n");
        format!("| {} | {columns}|\n", line["ciphertexts"])
    });
    table(&mut page, "broadcast", [head.to_owned()].into_iter().chain(rows));

    let head = "| requests | characters | known plaintext | list | trials | found | 95 % interval | published | median place |\n\
                |--:|---|---|--:|--:|--:|---|--:|--:|\n";
    let rows = run("cookie.jsonl").into_iter().map(|line| {
        let columns = columns(&line);
        let median = power(&line["median_log2"]);
        let alphabet = line["alphabet"].as_str().unwrap();
        let known = if line["known_everywhere"] == true { "everywhere" } else { "around" };
        let (requests, list) = (&line["requests"], &line["list"]);
        format!(
            "| {requests} | {alphabet} | {known} | {list} | {} {median} |\n",
            columns.trim_end()
        )
    });
    table(&mut page, "cookie", [head.to_owned()].into_iter().chain(rows));

    let head = "| N | known | trials | found | entries assigned, mean | median | expected |\n\
                |--:|--:|--:|--:|--:|--:|--:|\n";
    let states = run("state.jsonl");
    let rows = states.iter().map(|line| {
        let [n, known, trials, found] =
            ["n", "known", "trials", "successes"].map(|name| &line[name]);
        let [mean, median, expected] =
            ["mean_log2", "median_log2", "expected_log2"].map(|name| power(&line[name]));
        let model =
            expected_assignments(n.as_u64().unwrap() as usize, known.as_u64().unwrap() as usize);
        assert_eq!(expected, format!("2^{:.1}", (model / 2.0).log2()));
        format!("| {n} | {known} | {trials} | {found} | {mean} | {median} | {expected} |\n")
    });
    table(&mut page, "state", [head.to_owned()].into_iter().chain(rows));
    let rows = [8, 16, 32, 64, 128, 256]
        .map(|n| format!("| {n} | 2^{:.0} |\n", (expected_assignments(n, 0) / 2.0).log2()));
    let head = "| N | entries assigned, expected |\n|--:|--:|\n";
    table(&mut page, "state-model", [head.to_owned()].into_iter().chain(rows));

    let [line] = &run("weak.jsonl")[..] else { panic!("one line") };
    let head = format!(
        "| of {} keys each | weak keys | other keys |\n|---|--:|--:|\n\
         | the table keeps its parities | {} | {} |\n",
        line["keys"],
        share(&line["kept"], 2),
        share(&line["kept_by_others"], 2)
    );
    let rows = [1, 2, 4, 8, 16, 32, 64, 128].map(|t| {
        let [weak, others] = ["follows", "follows_by_others"].map(|of| share(&line[of][t - 1], 2));
        format!("| lowest bit of byte {t} as predicted | {weak} | {others} |\n")
    });
    table(&mut page, "weak", [head].into_iter().chain(rows));
    let head = format!(
        "| of packets of {} keys | IV before the key | IV after the key |\n|---|--:|--:|\n",
        line["keys"]
    );
    let [before, after] = ["iv_before", "iv_after"].map(|of| of_256(&line["klein"][of]));
    let row = format!("| Klein's vote right, of 256 | {before} | {after} |\n");
    table(&mut page, "iv", [head, row]);

    let head =
        "| data | bytes | tables | states | GB a second, one core |\n|---|--:|--:|--:|--:|\n";
    let memory = run("memory.jsonl");
    assert!(memory.iter().all(|line| line["states"] == 0), "a false find");
    let bytes: u64 = memory.iter().map(|line| line["bytes"].as_u64().unwrap()).sum();
    assert!(bytes >= 10_000_000_000, "{bytes} bytes are no 10 GB");
    let rows = memory.iter().map(|line| {
        let rate = match &line["seconds"] {
            Value::Null => String::new(),
            seconds => {
                let rate = line["bytes"].as_f64().unwrap() / 1e9 / seconds.as_f64().unwrap();
                format!("{rate:.1}")
            }
        };
        let data = line["data"].as_str().unwrap();
        format!("| {data} | {} | {} | 0 | {rate} |\n", line["bytes"], line["tables"])
    });
    table(&mut page, "memory", [head.to_owned()].into_iter().chain(rows));

    let head = "| family | single byte, deviation | Klein's vote right, of 256 | lowest bit of weak keys |\n\
                |---|--:|--:|--:|\n";
    let rows = run("families.jsonl").into_iter().map(|line| {
        let family = line["family"].as_str().unwrap();
        let (single, klein, bit) = (&line["single"], &line["klein"], &line["lowest_bit"]);
        format!(
            "| {family} | {:.1} (byte {}) | {} | {:.1} % (byte {}) |\n",
            single["deviation"].as_f64().unwrap(),
            single["position"],
            of_256(klein),
            100.0 * bit["rate"].as_f64().unwrap(),
            bit["position"]
        )
    });
    table(&mut page, "families", [head.to_owned()].into_iter().chain(rows));

    if env::var_os("ARCFOUR_WRITE_TABLES").is_some() {
        fs::write(&path, page).unwrap();
    }
}

/// Repeating a recorded run gives the same result.
#[test]
fn a_recorded_trial_is_made_again() {
    let recorded = &run("key.jsonl")[0];
    let length = recorded["key_length"].as_u64().unwrap() as usize;
    let missed = recorded["trials"].as_u64().unwrap() - recorded["successes"].as_u64().unwrap();
    let failed = (0..12).filter(|&trial| {
        let key = Random::new("key", recorded["seed"].as_u64().unwrap(), trial).bytes(length);
        let rc4 = Rc4::from_key(&key).unwrap();
        find_key(rc4.state().parts().0, length, recorded["tests"].as_u64().unwrap()).is_none()
    });
    assert!(failed.count() as u64 <= missed);
}
