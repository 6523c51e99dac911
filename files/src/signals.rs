//! Cleaning up between a fatal signal and the end of the program.
//!
//! A library must not change the effect of signals, so this one handles none before the program
//! calls [`handle_signals`].

use std::{
    fs, io,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::sync_channel,
    },
    thread,
};

use signal_hook::{
    consts::*,
    flag,
    iterator::Signals,
    low_level::{emulate_default_handler, exit},
};

/// The signals that end a program by default and can be handled, except SIGPIPE, which Rust
/// ignores, and the real-time signals.
const FATAL: &[i32] = &[
    SIGHUP,
    SIGINT,
    SIGQUIT,
    SIGTRAP,
    SIGABRT,
    SIGBUS,
    SIGUSR1,
    SIGUSR2,
    SIGALRM,
    SIGTERM,
    SIGXCPU,
    SIGVTALRM,
    SIGPROF,
    SIGIO,
    SIGSYS,
    #[cfg(target_os = "linux")]
    16, // SIGSTKFLT
    #[cfg(target_os = "linux")]
    30, // SIGPWR
];

/// The signals that ask a program to stop.
const STOPPING: &[i32] = &[SIGINT, SIGTERM, SIGHUP];

/// True once [`stop_on_signal`] serves the signals of [`STOPPING`].
static STOPS: AtomicBool = AtomicBool::new(false);

static ACTIONS: Mutex<Actions> = Mutex::new(Actions { count: 0, all: Vec::new() });

struct Actions {
    count: u64,
    all: Vec<(u64, Box<dyn FnMut() + Send>)>,
}

/// Makes every fatal signal wait for a commit under way and run the actions of [`on_signal`]
/// before it ends the program, as it would have. Signals that the program was started to ignore
/// (`nohup`) stay ignored. [`stop_on_signal`] keeps its signals, whichever was called first.
///
/// SIGXFSZ no longer ends the program: a write past the limit on the size of a file fails with
/// EFBIG, which can be reported.
///
/// If no thread can be started for this, signals end the program at once, as before. Later calls do
/// nothing.
pub fn handle_signals() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        if !not_ignored(&[SIGXFSZ]).is_empty() {
            let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))); // or it stays fatal
        }
        serve(FATAL, |signal| !(STOPS.load(Ordering::Relaxed) && STOPPING.contains(&signal)));
    });
}

/// Makes the first SIGINT, SIGTERM or SIGHUP set the flag that is returned. The second ends the
/// program after the actions of [`on_signal`].
///
/// Signals that the program was started to ignore (`nohup`) stay ignored. If no thread can be
/// started for this, the first signal ends the program.
#[must_use]
pub fn stop_on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    if serve(STOPPING, move |_| set.swap(true, Ordering::Relaxed)) {
        STOPS.store(true, Ordering::Relaxed);
    }
    stop
}

/// Starts a thread that waits for those signals of `wanted` that are not ignored, and ends the
/// program at the first one for which `is_fatal` returns true. The thread installs the handlers, so
/// without the thread there are no handlers. Returns true if the thread serves.
fn serve(wanted: &[i32], mut is_fatal: impl FnMut(i32) -> bool + Send + 'static) -> bool {
    let wanted = not_ignored(wanted);
    let (ready, is_ready) = sync_channel(1);
    let serve = move || {
        let Ok(mut signals) = Signals::new(wanted) else { return };
        let _ = ready.send(()); // the receiver waits
        if let Some(signal) = signals.forever().find(|&signal| is_fatal(signal)) {
            end(signal);
        }
    };
    thread::Builder::new().spawn(serve).is_ok() && is_ready.recv().is_ok()
}

/// Runs the actions of [`on_signal`], and ends the program as `signal` would have.
fn end(signal: i32) -> ! {
    // Held until the program ends, so that no commit begins after this.
    let mut actions = lock();
    actions.all.iter_mut().for_each(|(_, action)| action());
    let _ = emulate_default_handler(signal);
    exit(128 + signal) // a signal with a default unknown to signal-hook
}

/// An action that runs if a signal ends the program before this value is dropped.
#[derive(Debug)]
#[must_use = "the action is forgotten when this is dropped"]
pub struct OnSignal(u64);

impl Drop for OnSignal {
    fn drop(&mut self) {
        lock().all.retain(|(id, _)| *id != self.0);
    }
}

/// Runs `action` if a signal ends the program and [`handle_signals`] was called. The action must
/// not wait for a lock that another thread may hold.
pub fn on_signal(action: impl FnMut() + Send + 'static) -> OnSignal {
    hold().on_signal(action)
}

/// While this lives no handled signal ends the program.
pub(crate) struct Hold(MutexGuard<'static, Actions>);

pub(crate) fn hold() -> Hold {
    Hold(lock())
}

impl Hold {
    pub(crate) fn on_signal(&mut self, action: impl FnMut() + Send + 'static) -> OnSignal {
        let id = self.0.count;
        self.0.count += 1;
        self.0.all.push((id, Box::new(action)));
        OnSignal(id)
    }
}

fn lock() -> MutexGuard<'static, Actions> {
    ACTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Those signals that this program was not started to ignore.
fn not_ignored(signals: &[i32]) -> Vec<i32> {
    let ignored = ignored_signals();
    signals.iter().copied().filter(|signal| ignored >> (signal - 1) & 1 == 0).collect()
}

/// The signals that this program was started to ignore: bit n − 1 for signal n. Zero if the system
/// does not say.
fn ignored_signals() -> u64 {
    let read = || -> io::Result<_> { fs::read_to_string("/proc/self/status") };
    read()
        .ok()
        .and_then(|status| {
            let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
            u64::from_str_radix(mask.trim(), 16).ok()
        })
        .unwrap_or(0)
}
