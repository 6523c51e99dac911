//! Devices that count in place of the processor, such as a GPU.

use std::error::Error;

/// A device that counts the single bytes of a [`Campaign`](crate::campaign::Campaign).
pub trait Device: Send {
    /// Returns the number of keys that the next call of [`Device::count`] should have, at least 1.
    fn batch(&self) -> usize;

    /// Makes the keystream of each key, and adds 1 for each position r and its byte z to the total
    /// 256 (r − 1) + z.
    ///
    /// # Errors
    /// If the device is lost. Then no total is changed, and the device is not called again.
    fn count(
        &mut self,
        keys: &[&[u8]],
        totals: &mut [u64],
    ) -> Result<(), Box<dyn Error + Send + Sync>>;
}
