//! The adapters of this machine, in a build with the feature `gpu`.

use arcfour_gpu::Adapter;

use super::failure::Failure;

/// Returns the adapters by their numbers.
///
/// # Errors
/// If this build uses no GPU.
pub fn adapters() -> Result<Vec<(usize, Adapter)>, Failure> {
    match arcfour_gpu::BUILT {
        true => Ok(arcfour_gpu::adapters().into_iter().enumerate().collect()),
        false => Err(Failure::Usage(
            "this build uses no GPU; `cargo build --release --features gpu` makes one that does"
                .to_owned(),
        )),
    }
}

/// Returns the adapter of a number.
///
/// # Errors
/// If this build uses no GPU, or no adapter has the number.
pub fn adapter(number: usize) -> Result<Adapter, Failure> {
    let mut adapters = adapters()?;
    match number < adapters.len() {
        true => Ok(adapters.swap_remove(number).1),
        false => Err(Failure::Usage(format!(
            "--device {number}: there is no such adapter; `arcfour backends` lists {}",
            adapters.len()
        ))),
    }
}
