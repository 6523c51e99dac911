//! A progress bar for long work, shown only on a terminal.

use std::{
    io::{IsTerminal, stderr},
    time::{Duration, Instant},
};

use arcfour_files::{OnSignal, handle_signals, on_signal};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{failure::Failure, stream::Sink};

/// Shorter work than this shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// A sink with a progress bar on standard error. The bar is erased at the end.
pub struct Progress<'a, S> {
    sink: &'a mut S,
    bar: ProgressBar,
    /// Whether the bar is still to be shown.
    pending: bool,
    start: Instant,
    on_signal: Option<OnSignal>,
}

impl<'a, S: Sink> Progress<'a, S> {
    /// Shows how much of `size` bytes went into `sink`, if standard error is a terminal and the
    /// bytes do not go to a terminal.
    pub fn new(sink: &'a mut S, size: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(size, ProgressDrawTarget::hidden());
        let template = match size {
            Some(_) => "{bar:30} {bytes:>11} of {total_bytes} {bytes_per_sec:>13} {eta:>4} left",
            None => "{spinner} {bytes:>11} {bytes_per_sec:>13}",
        };
        bar.set_style(ProgressStyle::with_template(template).expect("the template is valid"));
        let pending = stderr().is_terminal() && !sink.is_terminal();
        Self { sink, bar, pending, start: Instant::now(), on_signal: None }
    }
}

impl<S: Sink> Sink for Progress<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.sink.write(bytes)?;
        self.bar.inc(bytes.len() as u64);
        if self.pending && self.start.elapsed() > PATIENCE {
            self.pending = false;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.on_signal = clear_on_signal(&self.bar);
        }
        Ok(())
    }
}

impl<S> Drop for Progress<'_, S> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A progress bar of work that writes nothing yet.
pub struct Waiting {
    bar: ProgressBar,
    start: Instant,
}

impl Waiting {
    /// Shows how much of `size` bytes is done, if standard error is a terminal.
    pub fn new(what: &'static str, size: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::hidden());
        let template =
            "{msg} {bar:30} {bytes:>11} of {total_bytes} {bytes_per_sec:>13} {eta:>4} left";
        bar.set_style(ProgressStyle::with_template(template).expect("the template is valid"));
        bar.set_message(what);
        Self { bar, start: Instant::now() }
    }

    /// Counts `bytes` more.
    pub fn advance(&mut self, bytes: u64) {
        self.bar.inc(bytes);
        if self.bar.is_hidden() && self.start.elapsed() > PATIENCE && stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// If a signal ends the program, clears the line of the bar first. A bar is not drawn without a
/// terminal, nor on one that cannot clear a line.
pub fn clear_on_signal(bar: &ProgressBar) -> Option<OnSignal> {
    let clear = || _ = rustix::io::write(rustix::stdio::stderr(), b"\r\x1b[2K");
    (!bar.is_hidden()).then(|| {
        handle_signals();
        on_signal(clear)
    })
}
