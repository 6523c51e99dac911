#!/bin/bash
# rustdoc with its unstable options. For cargo's RUSTDOC: so the libraries that it reads are compiled as ever.
RUSTC_BOOTSTRAP=1 exec rustdoc "$@"
