# One front door. `make help` lists what is behind it.
.DEFAULT_GOAL := help
.PHONY: help bench bench-build bench-quick build capi capi-header fuzz hardware hardware-fpga hardware-full hardware-synth lab lab-build lab-full lab-test ports python python-bench reader report setup test vectors

FUZZ_TARGETS = hex openssl rc4_args arcfour_args sealed_header sealed_file campaign counts_file counts_table
DEBIAN_PACKAGES = ent g++ libssl-dev pkg-config python3-venv valgrind
# The simulator and synthesizer of VHDL.
DEBIAN_PACKAGES += ghdl
# The timing analyser, the cell library it is told of by default, a simulator for netlists.
DEBIAN_PACKAGES += opensta qflow-tech-osu018 iverilog
# A battery of randomness tests, for the lab.
DEBIAN_PACKAGES += dieharder
FUZZ_SECONDS = 20
# The benchmark's peers, and what builds and times them.
DEBIAN_PACKAGES += openssl libtomcrypt-dev nettle-dev libgcrypt20-dev golang-go time
# The lab's report is looked at in a real browser.
DEBIAN_PACKAGES += chromium chromium-driver
TARGET = $(abspath $(or $(CARGO_TARGET_DIR),target))

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the two commands, in target/release
	cargo build --release --locked

setup: ## install the Debian packages the tests need, where missing
	@missing=$$(for p in $(DEBIAN_PACKAGES); do \
		dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	[ -z "$$missing" ] && exit; sudo=$$([ $$(id -u) = 0 ] || echo sudo); set -ex; \
	$$sudo apt-get update -q; $$sudo apt-get install -qy --no-install-recommends $$missing

test: setup ## install what the tests need and pass every test
	python3 vectors/verify.py
	cargo test --locked
	RUSTFLAGS='--cfg arcfour_backend="portable"' \
		cargo test --locked -p arcfour --target-dir target/portable -- --skip deep_down
	cargo test --locked -p arcfour --test suite exact --config \
		'target."cfg(unix)".runner = "valgrind --quiet --error-exitcode=1"'
	$(MAKE) ports reader capi python lab-test hardware bench-quick fuzz

fuzz: setup ## run every fuzz target, for FUZZ_SECONDS=20 each
	mkdir -p fuzz/artifacts
	for target in $(FUZZ_TARGETS); do mkdir -p fuzz/corpus/$$target && \
		cargo run --release --locked -p arcfour-fuzz --features libfuzzer --bin $$target \
			--config fuzz/coverage.toml --target-dir target/fuzz \
			--target $$(rustc -vV | sed -n 's/^host: //p') -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 \
			-artifact_prefix=fuzz/artifacts/$$target- \
			fuzz/corpus/$$target fuzz/seeds/$$target || exit 1; done

reader: build .venv/container/ready ## open what arcfour seal writes by the second implementation
	.venv/container/bin/python container/test_reader.py $(TARGET)/release/arcfour

# One virtual environment for each folder that needs Python packages, from its pinned list.
.venv/%/ready: %/requirements.txt
	python3 -m venv --clear .venv/$*
	.venv/$*/bin/pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

PIP_PYTHON = .venv/python/bin/pip install --quiet --disable-pip-version-check ./python
python: setup .venv/python/ready ## install the Python package in .venv/python and test it
	$(PIP_PYTHON)
	cd python && ../.venv/python/bin/python -m pytest -q

python-bench: setup .venv/python/ready ## measure it beside PyCryptodome and the Rust kernel
	cargo build --release --locked -p arcfour-capi
	$(PIP_PYTHON)
	.venv/python/bin/python python/bench.py $(TARGET)/release/libarcfour.so

ports: build ## build rc4 in five languages and compare the programs with ours
	$(MAKE) -C ports test

LAB = .venv/lab/bin/python -m lab
LAB_RESULTS = $(TARGET)/lab
lab: lab-build ## measure every claim of the papers with quick sizes, into target/lab
	$(LAB) run --results $(LAB_RESULTS)
	$(LAB) draw --results $(LAB_RESULTS)
	$(LAB) judge --results $(LAB_RESULTS)

lab-full: lab-build ## the same at the papers' sizes (an hour or more), into lab/results
	$(LAB) run --full
	$(LAB) draw
	$(LAB) judge

lab-test: lab-build ## hold every study to the lab's contract
	.venv/lab/bin/python -m pytest -q lab/tests

# The study of hardware simulates the cores.
lab-build: setup build .venv/lab/ready .venv/hardware/ready

# From the committed results, or from those of `make lab report`.
report: setup .venv/lab/ready $(filter lab,$(MAKECMDGOALS)) ## write everything the lab knows on one page, target/report/index.html
	$(LAB) report --page $(TARGET)/report/index.html $(if $(filter lab,$(MAKECMDGOALS)),--results $(LAB_RESULTS))

hardware: setup .venv/hardware/ready ## test the hardware cores: the quick set, some minutes
	$(MAKE) -C hardware quick

hardware-full: setup .venv/hardware/ready ## the same on 10,000 keys a core, the longest proof, and the gates of two large cores: hours
	$(MAKE) -C hardware full

hardware-synth: setup .venv/hardware/ready ## area and clock of the cores, for LIBERTY=path(s): an hour a library
	$(MAKE) -C hardware synth LIBERTY='$(abspath $(LIBERTY))'

hardware-fpga: setup .venv/hardware/ready ## place and route cores on an ECP5 FPGA
	$(MAKE) -C hardware fpga

capi: setup ## build the library for C into target/capi and test it there
	cargo build --release --locked -p arcfour-capi
	$(MAKE) -C capi test RELEASE=$(TARGET)/release PREFIX=$(TARGET)/capi

capi-header: ## write capi/include/arcfour.h anew from the code
	ARCFOUR_WRITE_HEADER=1 cargo test --locked -p arcfour-capi

vectors: setup ## write vectors/ anew; OpenSSL, verify.py and every backend verify it
	ARCFOUR_WRITE_VECTORS=1 cargo test --locked -p arcfour --test suite files_are_fresh
	cargo test --locked -p arcfour --test suite vectors::
	python3 vectors/verify.py

bench: bench-build ## measure beside the peers (some minutes) and record under bench/runs
	$(TARGET)/release/arcfour-bench --engines $(TARGET)/bench --runs bench/runs

bench-quick: bench-build ## a smoke run of the benchmark: checks every engine, judges no time
	$(TARGET)/release/arcfour-bench --quick --engines $(TARGET)/bench --runs $(TARGET)/bench/runs

bench-build: setup build
	$(MAKE) -C bench/engines OUT=$(TARGET)/bench RELEASE=$(TARGET)/release
