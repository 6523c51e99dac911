//! The devices of a search.

use std::str::FromStr;

use arcfour_attacks::search::{Device, Search};
use arcfour_gpu::Adapter;

use super::report::say;
use crate::console::{
    adapter::{adapter, adapters},
    failure::Failure,
};

/// What searches beside the threads of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    /// The GPUs, if there are any.
    AnyGpu,
    /// The GPUs; without one the user is told.
    Gpu,
    /// The adapter of this number.
    Adapter(usize),
}

impl FromStr for Beside {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "cpu" => Ok(Self::Nothing),
            "auto" => Ok(Self::AnyGpu),
            "gpu" => Ok(Self::Gpu),
            _ if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().map(Self::Adapter).map_err(|_| "no adapter has this number")
            }
            _ => Err("expected cpu, gpu, auto, or the number of an adapter"),
        }
    }
}

impl Beside {
    /// Returns the chosen adapters, by number.
    ///
    /// # Errors
    /// If this build uses no GPU, or no adapter has the number.
    pub(super) fn adapters(self) -> Result<Vec<(usize, Adapter)>, Failure> {
        let gpus = || {
            let mut gpus = adapters()?;
            gpus.retain(|(_, adapter)| !adapter.is_software);
            Ok(gpus)
        };
        match self {
            Self::Nothing => Ok(vec![]),
            Self::AnyGpu if !arcfour_gpu::BUILT => Ok(vec![]),
            Self::AnyGpu => gpus(),
            Self::Gpu => {
                let gpus = gpus()?;
                if gpus.is_empty() {
                    say("no GPU was found, so the processor searches alone");
                }
                Ok(gpus)
            }
            Self::Adapter(number) => Ok(vec![(number, adapter(number)?)]),
        }
    }
}

/// Prepares adapters for a search. Prints which of them search, and why others do not.
pub(super) fn open(adapters: Vec<(usize, Adapter)>, search: &Search) -> Vec<Box<dyn Device>> {
    let mut devices = vec![];
    for (number, adapter) in adapters {
        let name = format!("adapter {number}, {}", adapter.name);
        match adapter.open(search) {
            Ok(device) => {
                say(&format!("{name}, searches too"));
                devices.push(device);
            }
            Err(error) => say(&format!("{name}, does not search: {error}")),
        }
    }
    devices
}
