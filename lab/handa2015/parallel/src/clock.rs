//! The core clock, asked for line by line by the lab, which moves this process from core to core.

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use arcfour_measure::Probe;

/// A core that slept needs some time to run at its speed again.
const AWAKE: Duration = Duration::from_millis(3);
const PROBES: usize = 9;

/// Prints the clock in GHz for each line of input; an end of input ends it.
pub fn answer(input: impl BufRead, mut output: impl Write) -> Result<()> {
    for line in input.lines() {
        line.context("cannot read standard input")?;
        writeln!(output, "{:.4}", ghz()).context("cannot write to standard output")?;
        output.flush().context("cannot write to standard output")?;
    }
    Ok(())
}

/// The median of some probes, once the core is awake.
fn ghz() -> f64 {
    let start = Instant::now();
    while start.elapsed() < AWAKE {
        Probe::take();
    }
    let mut probes: Vec<f64> = (0..PROBES).map(|_| Probe::take().ghz).collect();
    probes.sort_by(f64::total_cmp);
    probes[PROBES / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_answered_by_a_clock() {
        let mut output = Vec::new();
        answer(&b"\n\n"[..], &mut output).unwrap();
        let lines = String::from_utf8(output).unwrap();
        assert_eq!(lines.lines().count(), 2);
        assert!(lines.lines().all(|line| line.parse::<f64>().unwrap() > 0.0));
    }
}
