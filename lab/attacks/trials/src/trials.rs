//! Runs the trials of an attack on all cores, with a progress bar, and prints their result. Has the
//! options that all attacks on simulated data share.

use std::{
    fmt::Write as _,
    io::{IsTerminal, stderr},
    time::Instant,
};

use arcfour_attacks::experiment::{Published, Success};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use arcfour_console::{failure::Failure, output::print, size::within};

/// Maximum number of trials of one run.
const MAX_TRIALS: u64 = 100_000_000;

/// The options for the seed and the output.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The seed of all data: the same seed gives the same result
    #[arg(long, value_name = "N", default_value = "1", allow_negative_numbers = true,
        value_parser = within(0..=u64::MAX))]
    pub(crate) seed: u64,
    /// Print JSON, a line for each result
    #[arg(long)]
    pub(crate) json: bool,
}

/// The options for the number of trials, the seed and the output.
#[derive(clap::Args)]
pub(crate) struct Trials {
    /// Trials, 1 to 100000000, each with separate data
    #[arg(long, value_name = "N", default_value = "100", allow_negative_numbers = true,
        value_parser = within(1..=MAX_TRIALS))]
    trials: u64,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Returns a bar of `of` steps on standard error, if it is a terminal.
pub(crate) fn bar(of: u64, unit: &str) -> ProgressBar {
    let terminal = stderr().is_terminal();
    let target = if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(of), target);
    let template = format!("{{bar:30}} {{pos}} of {{len}} {unit}, {{eta}} left");
    bar.set_style(ProgressStyle::with_template(&template).expect("the template is valid"));
    bar
}

impl Trials {
    /// Runs the trials, counted from 0, on all cores, and prints the share of successes. `what`
    /// names the counted things in words, and `facts` are added to the JSON.
    pub(crate) fn run(
        &self,
        attack: &str,
        what: &str,
        facts: &Value,
        published: Option<Published>,
        trial: impl Fn(u64) -> Success + Sync,
    ) -> Result<(), Failure> {
        let (success, seconds) = self.reduced(trial, Success::default, |a, b| a + b);
        self.report(attack, what, facts, published, success, seconds)
    }

    /// Runs the trials on all cores. Returns their results in order, and the total seconds.
    pub(crate) fn results<T: Send>(&self, trial: impl Fn(u64) -> T + Sync) -> (Vec<T>, f64) {
        let one = |number| vec![trial(number)];
        self.reduced(one, Vec::new, |mut all, mut more| {
            all.append(&mut more);
            all
        })
    }

    fn reduced<T: Send>(
        &self,
        trial: impl Fn(u64) -> T + Sync,
        none: impl Fn() -> T + Sync + Send,
        add: impl Fn(T, T) -> T + Sync + Send,
    ) -> (T, f64) {
        let bar = bar(self.trials, "trials");
        let start = Instant::now();
        let results = (0..self.trials).into_par_iter().map(|number| {
            let result = trial(number);
            bar.inc(1);
            result
        });
        let all = results.reduce(none, add);
        bar.finish_and_clear();
        (all, start.elapsed().as_secs_f64())
    }

    /// Prints the result of finished trials, like [`Trials::run`].
    pub(crate) fn report(
        &self,
        attack: &str,
        what: &str,
        facts: &Value,
        published: Option<Published>,
        success: Success,
        seconds: f64,
    ) -> Result<(), Failure> {
        let (low, high) = success.wilson();
        let Options { seed, json } = self.options;
        if json {
            let mut line = Map::new();
            line.insert("attack".to_owned(), attack.into());
            line.extend(facts.as_object().cloned().unwrap_or_default());
            let figures = json!({
                "seed": seed, "trials": success.trials, "successes": success.successes,
                "rate": success.rate(), "wilson": [low, high], "seconds": seconds,
                "published": published.map(|p| json!({"rate": p.rate, "source": p.source})),
            });
            line.extend(figures.as_object().cloned().unwrap_or_default());
            return print(format!("{}\n", Value::from(line)).as_bytes());
        }
        let percent = |rate: f64| format!("{:.1} %", 100.0 * rate);
        let mut text = format!(
            "{what}\nsucceeded  {} of {}: {}, 95 % interval {:.1} to {}\n",
            success.successes,
            success.trials,
            percent(success.rate()),
            100.0 * low,
            percent(high)
        );
        if let Some(published) = published {
            let _ = writeln!(text, "published  {} ({})", percent(published.rate), published.source);
        }
        let _ = writeln!(text, "time       {:.3} s in all", seconds);
        print(text.as_bytes())
    }
}
