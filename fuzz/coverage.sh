#!/bin/sh
# Compiles a crate of this workspace with libFuzzer's coverage, on a stable compiler: what `cargo fuzz build -s none` passes.
# Cargo calls it as RUSTC_WORKSPACE_WRAPPER; other crates stay as the tests have them, which saves their build.
exec "$@" --cfg=fuzzing -Cpasses=sancov-module \
	-Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
	-Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares
