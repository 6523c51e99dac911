//! Overwriting secrets with zeros, where the feature `zeroize` asks for it.
//!
//! A move in Rust leaves the old bytes on the stack, also those with a cipher's state. So keys are
//! only borrowed, and `Rc4::boxed` makes a cipher in its box, where it stays.

/// Overwrites bytes with zeros.
pub(crate) fn wipe(bytes: &mut [u8]) {
    if cfg!(feature = "zeroize") {
        bytes.fill(0);
        keep_stores(bytes);
    }
}

/// Keeps the compiler from removing the stores to a value that is never read again. (`zeroize()`
/// would store one byte at a time.)
pub(crate) fn keep_stores<T: ?Sized>(value: &T) {
    #[cfg(feature = "zeroize")]
    zeroize::optimization_barrier(value);
    #[cfg(not(feature = "zeroize"))]
    let _ = value;
}

/// Overwrites the stack below the caller's frame, where earlier calls left intermediate values.
#[inline(never)]
pub(crate) fn wipe_stack<const N: usize>() {
    if cfg!(feature = "zeroize") {
        let unused = [0_u8; N];
        keep_stores(&unused);
    }
}

/// Bytes that are wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct WipedBytes<const N: usize>(pub(crate) [u8; N]);

impl<const N: usize> Drop for WipedBytes<N> {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// Implements `Drop` for a state, and the marker trait, so that it is overwritten by the value given.
macro_rules! wiped {
    ($state:ty $(where [$($generics:tt)*])?, $zero:expr) => {
        #[cfg(feature = "zeroize")]
        impl $(<$($generics)*>)? Drop for $state {
            fn drop(&mut self) {
                let zero: fn(&mut Self) = $zero;
                zero(self);
                crate::wipe::keep_stores(self);
            }
        }

        #[cfg(feature = "zeroize")]
        impl $(<$($generics)*>)? zeroize::ZeroizeOnDrop for $state {}
    };
}

pub(crate) use wiped;
