# Read by a script in the root of the repository: the same bytes wherever and whenever it builds. The time is the time of
# the commit. No path of this machine is left in a program; flags in this form, with 037 between them, may have spaces.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
CARGO_ENCODED_RUSTFLAGS=$(printf -- '--remap-path-prefix=%s=/arcfour\037--remap-path-prefix=%s=/cargo' "$PWD" "${CARGO_HOME:-$HOME/.cargo}")
export SOURCE_DATE_EPOCH CARGO_ENCODED_RUSTFLAGS
