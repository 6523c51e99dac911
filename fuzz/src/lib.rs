//! What holds of every target: CPU time in proportion to the input, and a bounded stack.

pub mod pdf;

use std::{
    ffi::OsStr,
    fs::File,
    os::unix::{ffi::OsStrExt, fs::FileExt},
    path::Path,
    sync::OnceLock,
    time::Duration,
};

/// What any input may take. An attack on WEP is the longest work on a few bytes, and takes a small part of this time.
const START: Duration = Duration::from_millis(500);
/// What each byte of the input may take beside that.
const EACH_BYTE: Duration = Duration::from_micros(100);
/// The most stack, in KiB: half of what Rust gives a thread.
const STACK_KIB: u64 = 1024;

/// A target that is held to the limits: `target!(|data: &[u8]| { … })`. It is a program of libFuzzer, and in the test of the seeds
/// a function.
#[macro_export]
macro_rules! target {
    (|$data:ident: &[u8]| $body:block) => {
        /// Tries one input.
        pub fn run($data: &[u8]) {
            $crate::within_limits($data.len(), || $body);
        }

        #[cfg(not(test))]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| { run(data) });
    };
}

/// The input as text, up to the first byte that is not UTF-8.
pub fn text(input: &[u8]) -> &str {
    input.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

/// The name of a surveyed file, which is the first line of the input, and its bytes.
pub fn named(input: &[u8]) -> (&Path, &[u8]) {
    let (name, bytes) = input.split_at(input.iter().position(|byte| *byte == b'\n').unwrap_or(0));
    (Path::new(OsStr::from_bytes(name)), bytes.get(1..).unwrap_or_default())
}

/// Runs a target on an input of `len` bytes, on the main thread, whose stack the kernel measures.
///
/// # Panics
/// If the target takes more CPU time or stack than an input of that length may. The time is the thread's own: a busy
/// machine does not make it longer. An input that never ends is left to libFuzzer's `-timeout`.
pub fn within_limits(len: usize, target: impl FnOnce()) {
    let before = cpu_time();
    target();
    let taken = cpu_time() - before;
    let limit = START + EACH_BYTE * u32::try_from(len).unwrap_or(u32::MAX);
    assert!(taken <= limit, "{len} bytes took {taken:?} of CPU time; the limit is {limit:?}");
    let stack = stack_kib();
    assert!(
        stack <= STACK_KIB,
        "{len} bytes took {stack} KiB of stack; the limit is {STACK_KIB} KiB"
    );
}

/// The CPU time of the main thread, exact to a tick of the scheduler.
///
/// # Panics
/// If the kernel does not tell.
pub fn cpu_time() -> Duration {
    static FILE: OnceLock<File> = OnceLock::new();
    let text = read(&FILE, "/proc/self/schedstat");
    let nanoseconds = text.split(' ').next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.expect("nanoseconds"))
}

/// How far the stack of the main thread has ever reached.
fn stack_kib() -> u64 {
    static FILE: OnceLock<File> = OnceLock::new();
    let text = read(&FILE, "/proc/self/status");
    let line = text.lines().find_map(|line| line.strip_prefix("VmStk:")).expect("a stack");
    line.trim_end_matches("kB").trim().parse().expect("KiB")
}

/// A file of the kernel, opened once and read anew.
fn read(file: &OnceLock<File>, path: &str) -> String {
    let file = file.get_or_init(|| File::open(path).expect("Linux has it"));
    let mut room = [0; 4096];
    let len = file.read_at(&mut room, 0).expect("the kernel writes it");
    String::from_utf8_lossy(&room[..len]).into_owned()
}
