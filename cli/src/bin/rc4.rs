//! rc4
fn main() {}
