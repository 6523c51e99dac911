//! The limits of the targets hold. Without the harness, for the targets run on the main thread too.

use std::{hint::black_box, panic::catch_unwind, process::ExitCode, time::Duration};

use arcfour_fuzz::{cpu_time, within_limits};

fn deep(levels: usize) -> u8 {
    let room = black_box([0; 1024]);
    if levels == 0 { room[0] } else { black_box(deep(levels - 1)) + room[1] }
}

/// What the message says, if there is one.
fn message(len: usize, target: impl FnOnce() + std::panic::UnwindSafe) -> Option<String> {
    let panic = catch_unwind(|| within_limits(len, target)).err()?;
    Some(*panic.downcast::<String>().expect("a formatted message"))
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    let slow = || {
        let start = cpu_time();
        while cpu_time() - start < Duration::from_millis(600) {}
    };
    let cases = [
        ("little of both", message(1000, || _ = black_box(deep(100))), None),
        ("time that many bytes may take", message(1 << 20, slow), None),
        ("time that few bytes may not take", message(10, slow), Some("of CPU time; the limit is")),
        ("stack", message(1 << 20, || _ = black_box(deep(3000))), Some("KiB of stack")),
    ];
    let mut right = true;
    for (name, said, expected) in cases {
        let as_expected = match (&said, expected) {
            (Some(said), Some(part)) => said.contains(part),
            (said, expected) => said.is_none() && expected.is_none(),
        };
        println!("{name}: {}", if as_expected { "ok" } else { "FAILED" });
        right &= as_expected;
        if !as_expected {
            println!("{said:?}");
        }
    }
    ExitCode::from(u8::from(!right))
}
