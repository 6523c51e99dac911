//! All targets in one program, for their seeds.

/// A target.
type Target = fn(&[u8]);

macro_rules! targets {
    ($($name:ident)*) => {
        $(mod $name;)*
        /// Every target, by its name.
        pub const ALL: &[(&str, Target)] = &[$((stringify!($name), $name::run)),*];
    };
}

targets! {
    arcfour_args
    campaign
    capture
    counts_file
    counts_table
    hex
    key_mask
    memory_dump
    office
    openssl_enc
    pdf
    rc4_args
    sealed_file
    sealed_header
    search_record
    survey
    variant
}
