//! The option `--device`: the adapters that work beside the processor or in its place.

use std::str::FromStr;

use arcfour_gpu::{Adapter, Error};

use super::{
    adapter::{adapter, adapters},
    failure::Failure,
    say::say,
};

/// Which adapters work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Devices {
    /// None.
    Cpu,
    /// The GPUs, if there are any.
    AnyGpu,
    /// The GPUs; without one the user is told.
    Gpu,
    /// The adapter of this number.
    Adapter(usize),
}

impl FromStr for Devices {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "cpu" => Ok(Self::Cpu),
            "auto" => Ok(Self::AnyGpu),
            "gpu" => Ok(Self::Gpu),
            _ if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().map(Self::Adapter).map_err(|_| "no adapter has this number")
            }
            _ => Err("expected cpu, gpu, auto, or the number of an adapter"),
        }
    }
}

impl Devices {
    /// Returns the chosen adapters, by number. `works` says what the processor does, as `searches`.
    ///
    /// # Errors
    /// If this build uses no GPU, or no adapter has the number.
    pub fn adapters(self, works: &str) -> Result<Vec<(usize, Adapter)>, Failure> {
        let gpus = || {
            let mut gpus = adapters()?;
            gpus.retain(|(_, adapter)| !adapter.is_software);
            Ok(gpus)
        };
        match self {
            Self::Cpu => Ok(vec![]),
            Self::AnyGpu if !arcfour_gpu::BUILT => Ok(vec![]),
            Self::AnyGpu => gpus(),
            Self::Gpu => {
                let gpus = gpus()?;
                if gpus.is_empty() {
                    say(&format!("no GPU was found, so the processor {works} alone"));
                }
                Ok(gpus)
            }
            Self::Adapter(number) => Ok(vec![(number, adapter(number)?)]),
        }
    }
}

/// Prepares an adapter. Prints that it works, as `searches too`, or why it does not, as `search`.
pub fn open<T>(
    (number, adapter): (usize, Adapter),
    [works, work]: [&str; 2],
    open: impl Fn(&Adapter) -> Result<T, Error>,
) -> Option<T> {
    let name = format!("adapter {number}, {}", adapter.name);
    let opened = open(&adapter);
    match &opened {
        Ok(_) => say(&format!("{name}, {works}")),
        Err(error) => say(&format!("{name}, does not {work}: {error}")),
    }
    opened.ok()
}

/// Prints that a device was lost.
pub fn lost(why: impl std::fmt::Display) {
    say(&format!("{why}; the processor goes on"));
}
