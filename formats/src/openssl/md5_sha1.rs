//! OpenSSL's `md5-sha1`: MD5, then SHA-1, of the same message.

use md5::Md5;
use sha1::Sha1;
use sha2::digest::{
    FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update,
    block_api::BlockSizeUser, consts::U36, consts::U64,
};

#[derive(Clone, Default)]
pub(super) struct Md5Sha1 {
    md5: Md5,
    sha1: Sha1,
}

impl HashMarker for Md5Sha1 {}

impl OutputSizeUser for Md5Sha1 {
    type OutputSize = U36;
}

impl BlockSizeUser for Md5Sha1 {
    type BlockSize = U64;
}

impl Update for Md5Sha1 {
    fn update(&mut self, data: &[u8]) {
        Update::update(&mut self.md5, data);
        Update::update(&mut self.sha1, data);
    }
}

impl Reset for Md5Sha1 {
    fn reset(&mut self) {
        Reset::reset(&mut self.md5);
        Reset::reset(&mut self.sha1);
    }
}

impl FixedOutput for Md5Sha1 {
    fn finalize_into(mut self, out: &mut Output<Self>) {
        FixedOutputReset::finalize_into_reset(&mut self, out);
    }
}

impl FixedOutputReset for Md5Sha1 {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        let (md5, sha1) = out.split_at_mut(16);
        let (md5, sha1) = (md5.try_into(), sha1.try_into());
        FixedOutputReset::finalize_into_reset(&mut self.md5, md5.expect("16 bytes"));
        FixedOutputReset::finalize_into_reset(&mut self.sha1, sha1.expect("20 bytes"));
    }
}

#[cfg(test)]
#[test]
fn a_reset_forgets_what_was_hashed() {
    let mut hash = Md5Sha1::default();
    Update::update(&mut hash, b"Quentin");
    Reset::reset(&mut hash);
    assert_eq!(hash.finalize_fixed(), Md5Sha1::default().finalize_fixed());
}
