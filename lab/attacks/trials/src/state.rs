//! `trials state`

use arcfour_attacks::{
    backtrack::{MAX_TABLE, SmallRc4, expected_assignments, find_table},
    experiment::{Random, Success},
};
use serde_json::json;

use super::trials::Trials;
use arcfour_console::{failure::Failure, output::print, size::within};

/// Entries of the tables whose cost --model prints.
const MODELLED: [usize; 11] = [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/// Recover the state from keystream, for RC4 with a small table
///
/// Each trial makes a random table of N entries, with some of them known, and looks for the others by backtracking, given the keystream. It
/// succeeds if the table is found. The cost is the number of entries assigned on the way; RC4 has 256 entries.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  trials state --n 16 --trials 100
  trials state --n 32 --known 16 --trials 100
  trials state --model

Method: L. Knudsen, W. Meier, B. Preneel, V. Rijmen, S. Verdoolaege, Analysis Methods for (Alleged) RC4, Asiacrypt \
1998, section 3.")]
pub(crate) struct Args {
    /// Entries of the table, 2 to 64
    #[arg(long, value_name = "N", default_value = "16", allow_negative_numbers = true,
        value_parser = within(2..=MAX_TABLE as u64))]
    n: u64,
    /// Entries that are known, at random places, 0 to N
    #[arg(long, value_name = "N", default_value = "0", allow_negative_numbers = true,
        value_parser = within(0..=MAX_TABLE as u64))]
    known: u64,
    /// Most assignments of a trial
    #[arg(long, value_name = "N", default_value = "1000000000", allow_negative_numbers = true,
        value_parser = within(1..=u64::MAX))]
    assignments: u64,
    /// Print what a search of 8 to 256 entries is expected to cost, and make no trials
    #[arg(long, conflicts_with_all = ["n", "known", "assignments", "trials", "seed"])]
    model: bool,
    #[command(flatten)]
    trials: Trials,
}

impl Args {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (n, known, most, seed) =
            (self.n as usize, self.known as usize, self.assignments, self.trials.options.seed);
        if self.model {
            return self.print_model();
        }
        if known > n {
            return Err(Failure::Usage(format!("--known {known}: the table has {n} entries")));
        }
        let (ended, seconds) = self.trials.results(|trial| {
            let mut random = Random::new("state", seed, trial);
            let mut rc4 = SmallRc4::random(n, &mut random);
            let mut given: Vec<_> = rc4.s.iter().copied().map(Some).collect();
            let mut hidden: Vec<usize> = (0..n).collect();
            for _ in 0..known {
                hidden.swap_remove(random.below(hidden.len() as u32) as usize);
            }
            hidden.into_iter().for_each(|place| given[place] = None);
            let table = rc4.s.clone();
            // Twice as much as has the information of the table, and each place is met several times.
            let ended = find_table(&given, &rc4.keystream(4 * n), most);
            (ended.table == Some(table), ended.assignments)
        });
        let success: Success = ended.iter().map(|(found, _)| *found).collect();
        let mut assignments: Vec<f64> = ended.iter().map(|(_, n)| (*n).max(1) as f64).collect();
        assignments.sort_by(f64::total_cmp);
        let mean = assignments.iter().sum::<f64>() / assignments.len() as f64;
        let median = assignments[assignments.len() / 2];
        // The right table is met halfway, on average.
        let expected = expected_assignments(n, known) / 2.0;
        let logs = [mean, median, expected.max(1.0)].map(f64::log2);
        let facts = json!({
            "n": n, "known": known, "most": most,
            "mean_log2": logs[0], "median_log2": logs[1], "expected_log2": logs[2],
        });
        let what = format!(
            "tables of {n} entries, {known} known\n\
             assigned   2^{:.1} entries on average, median 2^{:.1}; expected 2^{:.1}",
            logs[0], logs[1], logs[2]
        );
        self.trials.report("state", &what, &facts, None, success, seconds)
    }

    /// The right table is met halfway.
    fn print_model(&self) -> Result<(), Failure> {
        let json = self.trials.options.json;
        let mut text =
            if json { String::new() } else { "entries  assigned, expected\n".to_owned() };
        for n in MODELLED {
            let log2 = (expected_assignments(n, 0) / 2.0).log2();
            text += &match json {
                true => format!(
                    "{}\n",
                    json!({"attack": "state", "n": n, "known": 0, "expected_log2": log2})
                ),
                false => format!("{n:>7}  2^{log2:.1}\n"),
            };
        }
        print(text.as_bytes())
    }
}
