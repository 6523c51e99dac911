# The one front door. `make help` lists the targets.
.DEFAULT_GOAL := help
SHELL = /bin/bash
TARGET = $(abspath $(or $(CARGO_TARGET_DIR),target))

# Writing what a test compares with makes that test pass whatever is right: by hand only.
ifdef CI
WRITERS = $(filter ARCFOUR_WRITE_% TRYCMD,$(.VARIABLES))
$(if $(WRITERS),$(error $(WRITERS) must not be set where CI is: it writes what the tests compare with))
endif

##@ Build

.PHONY: help build setup
help: ## print the targets
	@awk -F ':.*## ' '/^##@ /{print "\n" substr($$0, 5)} \
		/^[a-z-]+:.*## /{count = split($$2, words, " "); line = sprintf("  make %-15s", $$1); \
			for (n = 1; n <= count; n++) { \
				if (length(line) + length(words[n]) >= 80) {print line; line = sprintf("%22s", "")} \
				line = line " " words[n]} \
			print line}' $(MAKEFILE_LIST)

# Targets run what is built for release, in PROGRAMS. `make test` builds all of it but once, as the tests have it, and keeps it
# where the portable tests, which build other commands of the same names, do not.
ifdef IN_TURN
PROGRAMS = $(TARGET)/tested
PYTHON_PROFILE = --profile dev
BUILD_ALSO = @: built already:
build:
	cargo build $(WORKSPACE) --all-targets --locked
	mkdir -p $(PROGRAMS)
	find $(TARGET)/debug -maxdepth 1 -type f \( -executable -o -name '*.a' \) -exec cp --link --force -t $(PROGRAMS) {} +
else
PROGRAMS = $(TARGET)/release
BUILD_ALSO = cargo build --release --locked
build: ## the two commands, rc4 and arcfour, in target/release
	cargo build --release --locked
endif
export ARCFOUR_PROGRAMS = $(PROGRAMS)
# Python's tools build its package.
WORKSPACE = --workspace --exclude arcfour-python

# What is left of keys in memory is looked for in cores that gdb takes.
DEBIAN_PACKAGES = gdb ent g++ groff-base libssl-dev pkg-config python3-venv valgrind
# The simulator and synthesizer of VHDL.
DEBIAN_PACKAGES += ghdl
# The timing analyser, the cell library it is told of by default, a simulator for netlists.
DEBIAN_PACKAGES += opensta qflow-tech-osu018 iverilog
# A battery of randomness tests, for the lab.
DEBIAN_PACKAGES += dieharder
# The benchmark's peers, and what builds and times them.
DEBIAN_PACKAGES += openssl libtomcrypt-dev nettle-dev libgcrypt20-dev libmbedtls-dev libwolfssl-dev golang-go time
# What PDF files of others are compared by.
DEBIAN_PACKAGES += qpdf
# Compressed sound and film, for the lab.
DEBIAN_PACKAGES += ffmpeg
# The lab's report: what draws its circuits, and a real browser to look at it.
DEBIAN_PACKAGES += graphviz chromium chromium-driver
# The page's tools run on Node 18 or later; a machine that has npm keeps its own.
ifeq ($(shell command -v npm),)
DEBIAN_PACKAGES += nodejs npm
endif
# A cluster of several nodes on one machine, for the campaigns of the Python package.
DEBIAN_PACKAGES += munge slurm-client slurmctld slurmd
# What writes and lists keytabs, for the survey.
DEBIAN_PACKAGES += krb5-user
# Its kernel in C becomes WebAssembly; the one C file is fuzzed.
DEBIAN_PACKAGES += clang lld libclang-rt-14-dev

# Installs those of the packages that are missing.
define INSTALL
	@missing=$$(for p in $(1); do \
		dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	[ -z "$$missing" ] && exit; sudo=$$([ $$(id -u) = 0 ] || echo sudo); set -ex; \
	$$sudo apt-get update -q; $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $$missing
endef
setup: ## install the Debian packages the tests need, where missing
	$(call INSTALL,$(DEBIAN_PACKAGES))

# What `make test` does not need is named by the target that does: NAME depends on setup-NAME, which installs PACKAGES_NAME.
setup-%: setup
	$(call INSTALL,$(or $(PACKAGES_$*),$(error no PACKAGES_$*)))

# One virtual environment for each folder that needs Python packages, from its pinned list.
.venv/%/ready: %/requirements.txt
	python3 -m venv --clear .venv/$*
	.venv/$*/bin/pip install --quiet --disable-pip-version-check --no-compile --requirement $<
	touch $@

##@ Test

# What `make test` passes, three steps side by side, since some wait for timers and schedulers: the longest first.
STEPS = lint words cargo-test hardware python portable lab-test fuzz-seeds proof valgrind capi embed provider bench-quick packages page-quick matrix-quick corpora-quick ports reader site-links vectors-check
.PHONY: test test-full $(STEPS)
# They run what is built first.
ifdef IN_TURN
cargo-test portable proof: build
endif
# Each step notes when it began and ended, for the table.
BEGIN = @mkdir -p $(TARGET)/steps && date +%s > $(TARGET)/steps/$@
END = @echo "$$(( $$(date +%s) - $$(cat $(TARGET)/steps/$@) ))" > $(TARGET)/steps/$@.seconds

test: setup ## install what the tests need and pass every test
	@rm -rf $(TARGET)/steps; start=$$(date +%s); \
	$(MAKE) --jobs 3 --keep-going --output-sync=target --no-print-directory IN_TURN=1 $(STEPS); status=$$?; \
	echo; echo "seconds  step (three side by side)"; \
	for step in $(STEPS); do \
		printf '%7s  %s\n' "$$(cat $(TARGET)/steps/$$step.seconds 2>/dev/null || echo failed)" $$step; done; \
	printf '%7s  in all\n' $$(( $$(date +%s) - start )); exit $$status

SECONDS = 600
.PHONY: soak
soak: setup ## every backend against OpenSSL and the crate rc4 on random input, for SECONDS=600
	cargo run --release --locked -p arcfour --example soak -- --seconds $(SECONDS) --record cipher/tests/soak.csv

test-full: test ## the same, and all that takes longer: hours
	cargo test --locked -p arcfour --test suite deep_down -- --ignored
	cargo test --locked -p arcfour-cli --test documents --test leftovers -- --ignored
	cargo test --locked -p arcfour-formats -p arcfour-cli --test openssl -- --ignored
	cargo test --locked -p arcfour-attacks --test suite variant -- --ignored
	cargo test --locked -p arcfour-survey --test programs -- --ignored
	$(MAKE) portable-full
	$(PACKAGE)
	$(MAKE) embed-full
	$(MAKE) provider-full
	$(MAKE) fuzz FUZZ_SECONDS=600
	$(MAKE) hardware-full
	$(MAKE) proof-full
	$(MAKE) wheel reference
	$(MAKE) slurm-test
	$(MAKE) matrix-full
	$(MAKE) survey-test
	$(MAKE) survey-usr
	$(MAKE) page-test page-package
	$(MAKE) office-test
	$(MAKE) access-test
	$(MAKE) hashcat-test
	$(MAKE) wep-test
	$(MAKE) corpora-full
	$(MAKE) mutants-changed
	$(MAKE) mutated
	$(MAKE) memory-test
	$(MAKE) cryptoapi-test
	$(MAKE) packaging-test
	$(MAKE) msrv
	ARCFOUR_README_AS_PRINTED=1 .venv/lab/bin/python -m pytest -q lab/tests/test_readme.py

# Go compiles vale from its module once, some minutes on one core.
VALE = .venv/.vale/bin/vale
$(VALE): .venv/.vale/ready
	GOBIN=$(abspath .venv/.vale/bin) GOTOOLCHAIN=local .venv/.vale/bin/go install github.com/vale-cli/vale/v3/cmd/vale@v3.21.0

# Recorded runs are never edited. `python3 .vale/wrap.py PAGE` wraps a page at 100 characters.
PAGES = git ls-files '*.md' | grep -vE '^bench/(runs|sizes)/.'
# vale does not know VHDL. Its comments are copied as Lua's, which begin with -- too, each on its line, without preformatted text;
# a comment beside code becomes an item of a list.
VHDL_COMMENTS = $(TARGET)/words
words: setup $(VALE) ## sentence length, house words and spelling of READMEs, help texts and comments, by vale; line width
	$(BEGIN)
	{ $(PAGES); git ls-files '*.rs' '*.py'; } | xargs $(VALE)
	rm -rf $(VHDL_COMMENTS)
	for file in $$(git ls-files '*.vhd'); do mkdir -p $(VHDL_COMMENTS)/$$(dirname $$file); \
		sed -E '/--/!s/.*//; /SPDX|^ *--   /s/.*//; s/^ *--/--/; s/^[^-].*-- /-- * /' $$file > $(VHDL_COMMENTS)/$$file.lua; done
	$(VALE) $(VHDL_COMMENTS)
	$(PAGES) | xargs python3 .vale/wrap.py --check
	$(END)

# cargo-mutants, pinned. A changed-lines run reports survivors and fails only where the tests fail without a mutant.
MUTANTS = cargo-mutants 27.1.0
BASE = HEAD~20
CRATES_MUTATED = arcfour arcfour-attacks arcfour-container arcfour-files arcfour-formats arcfour-stats arcfour-text
.PHONY: mutants mutants-changed setup-mutants
setup-mutants: setup
	cargo mutants --version 2> /dev/null | grep -qxF '$(MUTANTS)' || cargo install --locked $(subst $() ,@,$(MUTANTS))

mutants: setup-mutants ## try the mutants of CRATE=arcfour-text, and record them; hours for a large crate
	python3 mutants/record.py $(CRATE)

mutants-changed: setup-mutants ## try the mutants of the lines changed since BASE=HEAD~20
	git diff $(BASE) > $(TARGET)/changed.diff
	cargo mutants $(addprefix --package ,$(CRATES_MUTATED)) --in-diff $(TARGET)/changed.diff --cargo-arg=--locked \
		--minimum-test-timeout 60 --output $(TARGET) || [ $$? -eq 2 ] || [ $$? -eq 3 ]

.PHONY: rooms
rooms: setup ## draw the floor plan in CONTRIBUTING.md anew
	ARCFOUR_WRITE_ROOMS=1 cargo test --locked -p arcfour-cli --test rooms plan::

MYPY = MYPY_CACHE_DIR=$(TARGET)/mypy $(abspath .venv/python/bin/mypy)
lint: setup .venv/python/ready ## formatting, lints and documentation, warnings as errors
	$(BEGIN)
	cargo fmt --check
	cargo clippy --workspace --all-targets --locked -- --deny warnings
	RUSTDOCFLAGS='--deny warnings' cargo doc --workspace --no-deps --locked --document-private-items
	python3 mutants/record.py --check
	.venv/python/bin/ruff check --no-cache .
	cd python && ../.venv/python/bin/ruff format --no-cache --check .
	cd python && $(MYPY) python/arcfour tests bench.py scale.py
	cd hardware/syn && $(MYPY) --ignore-missing-imports .
	$(MYPY) --ignore-missing-imports matrix
	MYPYPATH=matrix $(MYPY) --ignore-missing-imports corpora
	for file in capi/single/model.py container/reader.py ports/python/rc4.py ports/test.py vectors/verify.py; do \
		$(MYPY) --ignore-missing-imports $$file || exit 1; done
	$(MYPY) --ignore-missing-imports survey/real
	MYPYPATH=ports/python $(MYPY) --ignore-missing-imports lab  # else the folder rc4 hides the port of this name
	$(END)

vectors-check: ## recompute the vectors by a second program, in Python
	$(BEGIN)
	python3 vectors/verify.py
	python3 vectors/pdf.py --check
	python3 vectors/office.py --check
	$(END)

cargo-test: setup ## every test of the Rust workspace
	$(BEGIN)
	cargo test $(WORKSPACE) --locked
	$(END)

# The crates that call the assembly paths, or whose loops are made for them; make test-full has the whole workspace.
# The examples in the documentation reach no path that these do not; the tests of the Python package are in Python.
PORTABLE = --locked --features arcfour/portable --lib --bins --tests --examples
.PHONY: portable-full
portable: setup ## the ciphers, kernels and counts with every assembly path compiled out
	$(BEGIN)
	cargo test --package arcfour --package arcfour-kernels --package arcfour-stats $(PORTABLE)
	$(END)

portable-full: setup ## every test of the Rust workspace with every assembly path compiled out
	cargo test $(WORKSPACE) $(PORTABLE)

valgrind: setup cargo-test ## the tests on exact allocations, under valgrind
	$(BEGIN)
	cargo test --locked -p arcfour --test suite exact --config \
		'target."cfg(unix)".runner = "valgrind --quiet --error-exitcode=1"'
	$(END)

.PHONY: msrv
MSRV = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv: setup ## compile all of it with the oldest compiler that Cargo.toml names
	rustup toolchain install $(MSRV) --profile minimal
	cargo +$(MSRV) check --workspace --all-targets --locked --target-dir $(TARGET)/msrv

# What is meant for crates.io; the other members say publish = false.
PUBLIC_CRATES = arcfour arcfour-attacks arcfour-cli arcfour-console arcfour-container arcfour-files arcfour-formats arcfour-kernels arcfour-measure arcfour-rc4 arcfour-stats arcfour-survey arcfour-text
PACKAGE = cargo package --locked --allow-dirty $(addprefix --package ,$(PUBLIC_CRATES))
packages: ## every public crate as published, the library with each feature, nothing of x86 alone elsewhere
	$(BEGIN)
	$(PACKAGE) --no-verify
	@# Each with the texts of both licences.
	for crate in $(PUBLIC_CRATES); do \
		[ "$$(cargo package --locked --allow-dirty --list --package $$crate | grep -c '^LICENSE-')" = 2 ] || \
			{ echo "$$crate has not both licences"; exit 1; }; done
	@# For aarch64, where it compiles, sha2 has its own.
	for target in 'aarch64-unknown-linux-gnu --depth 1' riscv64gc-unknown-linux-gnu s390x-unknown-linux-gnu \
			thumbv7em-none-eabi wasm32-unknown-unknown; do \
		! cargo tree --locked -p arcfour --edges normal --target $$target --prefix none | grep cpufeatures || \
			{ echo "$$target must not need cpufeatures"; exit 1; }; done
	for features in '' alloc parc4r zeroize; do \
		cargo check --locked -p arcfour --no-default-features --features "$$features" || exit 1; done
	$(END)

FUZZ_TARGETS = hex openssl_enc pdf office rc4_args arcfour_args sealed_header sealed_file campaign counts_file counts_table key_mask search_record capture memory_dump survey variant
# Without the compiler's coverage the targets share what the tests have built: a compilation of the workspace less.
fuzz-seeds: FUZZ_SECONDS = 1
fuzz-seeds: fuzz-single ## run every fuzz target on its seeds, and the C file's targets for a second each
	$(BEGIN)
	cargo build $(WORKSPACE) --locked --features arcfour-fuzz/libfuzzer $(addprefix --bin ,$(FUZZ_TARGETS))
	for target in $(FUZZ_TARGETS); do $(TARGET)/debug/$$target -timeout=10 \
		$$(find -L fuzz/seeds/$$target -type f) || exit 1; done
	$(END)

FUZZ_SECONDS = 10
.PHONY: fuzz fuzz-single
fuzz: fuzz-single ## run every fuzz target, for FUZZ_SECONDS=10 each
	RUSTC_WORKSPACE_WRAPPER=$(abspath fuzz/coverage.sh) cargo build --locked -p arcfour-fuzz \
		--config profile.dev.opt-level=1 --features libfuzzer $(addprefix --bin ,$(FUZZ_TARGETS))
	for target in $(FUZZ_TARGETS); do mkdir -p fuzz/artifacts fuzz/corpus/$$target && \
		$(TARGET)/debug/$$target \
			-max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 \
			-artifact_prefix=fuzz/artifacts/$$target- \
			fuzz/corpus/$$target fuzz/seeds/$$target || exit 1; done

fuzz-single: build setup
	$(BUILD_ALSO) --package arcfour-capi
	$(MAKE) -C capi fuzz RELEASE=$(PROGRAMS) OUT=$(TARGET)/fuzz CORPUS=$(abspath fuzz) FUZZ_SECONDS=$(FUZZ_SECONDS)

reader: build .venv/container/ready ## open what arcfour seal writes by the second implementation
	$(BEGIN)
	.venv/container/bin/python container/test_reader.py $(PROGRAMS)/arcfour
	$(END)

.PHONY: office-test
PACKAGES_office-test = libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui
office-test: setup-office-test build ## open decrypted Word, Excel and PowerPoint files in LibreOffice
	python3 vectors/office/opened.py $(PROGRAMS)/arcfour

.PHONY: access-test
PACKAGES_access-test = mdbtools maven openjdk-17-jdk-headless
access-test: setup-access-test build ## databases of Access: what is decrypted, read by Jackcess and mdbtools
	python3 vectors/office/access.py $(PROGRAMS)/arcfour

.PHONY: survey-test
PACKAGES_survey-test = aircrack-ng gnutls-bin iproute2 kmod krb5-admin-server krb5-kdc krb5-user openjdk-17-jdk-headless \
	ppp pptp-linux pptpd rdesktop samba smbclient tcpdump user-mode-linux xrdp xvfb
survey-test: setup-survey-test build .venv/survey/real/ready ## what arcfour survey says of real programs with RC4; its reports against their schemas
	.venv/survey/real/bin/python survey/real/captures.py $(PROGRAMS)/arcfour
	.venv/survey/real/bin/python survey/real/schemas.py $(PROGRAMS)/arcfour vectors

.PHONY: survey-usr survey-usr-record
survey-usr: setup build ## RC4 in the programs of installed packages under /usr, beside the record
	python3 survey/real/usr.py $(PROGRAMS)/arcfour
survey-usr-record: setup build ## the same, and write survey/real/usr.tsv
	python3 survey/real/usr.py --record $(PROGRAMS)/arcfour

.PHONY: hashcat-test
PACKAGES_hashcat-test = hashcat pocl-opencl-icd ocl-icd-libopencl1
hashcat-test: setup-hashcat-test build ## the hash lines of pdf inspect and office inspect, cracked by hashcat
	python3 vectors/hashcat.py $(PROGRAMS)/arcfour

.PHONY: wep-test
PACKAGES_wep-test = aircrack-ng
wep-test: setup-wep-test build ## the attack on WEP beside aircrack-ng, on the same capture files
	$(BUILD_ALSO) --package arcfour-lab-attacks
	python3 attacks/aircrack/compare.py $(PROGRAMS)/arcfour
	$(if $(CORPORA),python3 attacks/aircrack/foreign.py $(PROGRAMS)/arcfour $(CORPORA),@echo 'CORPORA=folder with the files of corpora/repositories.toml tries those too')

# Files that others made, fetched into target/corpora.
CORPORA_OF_OTHERS = .venv/python/bin/python corpora/corpora.py
.PHONY: corpora corpora-full
corpora-quick: setup build .venv/python/ready ## PDF files that others made: ours beside qpdf
	$(BEGIN)
	$(CORPORA_OF_OTHERS) --quick $(PROGRAMS)/arcfour
	$(END)

PACKAGES_corpora-full = mdbtools tshark maven openjdk-17-jdk-headless
corpora-full: setup-corpora-full build .venv/python/ready ## run all files of others, and those of CORPORA=folder, and compare with the record
	$(CORPORA_OF_OTHERS) $(PROGRAMS)/arcfour $(CORPORA)

PACKAGES_corpora = $(PACKAGES_corpora-full)
corpora: setup-corpora build .venv/python/ready ## the same, and write the record and its tables
	$(CORPORA_OF_OTHERS) --record $(PROGRAMS)/arcfour $(CORPORA)

MUTATED = .venv/python/bin/python corpora/mutated.py
.PHONY: mutated mutated-record
mutated: setup build .venv/python/ready ## 20,000 damaged PDF files beside qpdf, 2,000 of Office beside msoffcrypto-tool
	$(MUTATED) $(PROGRAMS)/arcfour
mutated-record: setup build .venv/python/ready ## the same, and write corpora/mutated.csv
	$(MUTATED) --record $(PROGRAMS)/arcfour

.PHONY: memory-test
PACKAGES_memory-test = gcc-mingw-w64-x86-64 libmono-security4.0-cil mono-mcs mono-runtime openjdk-17-jdk-headless wine64
memory-test: setup-memory-test build .venv/python/ready ## search the memory of live processes that use other libraries' RC4
	python3 attacks/processes/search.py $(PROGRAMS)/arcfour --python .venv/python/bin/python

PACKAGES_cryptoapi-test = gcc-mingw-w64-x86-64 wine64
PACKAGES_cryptoapi-record = $(PACKAGES_cryptoapi-test)
.PHONY: cryptoapi-test cryptoapi-record
cryptoapi-test: setup-cryptoapi-test ## derive keys with Wine's CryptoAPI, and compare with the record
	python3 attacks/cryptoapi/derive.py
cryptoapi-record: setup-cryptoapi-record ## the same, and write attacks/cryptoapi/wine.txt
	python3 attacks/cryptoapi/derive.py --record

ports: build ## build rc4 in five languages and compare the programs with ours
	$(BEGIN)
	$(MAKE) -C ports test RC4=$(PROGRAMS)/rc4
	$(END)

# Other people's tests of RC4 at every door, and what they came to: matrix/README.md.
VECTORS_OF_CRYPTOGRAPHY = cryptography-vectors==50.0.2
MATRIX = .venv/python/bin/python matrix/matrix.py
.PHONY: matrix matrix-full matrix-build
matrix-quick: build python ## compare what needs no download with the record
	$(BEGIN)
	$(BUILD_ALSO) --package arcfour-capi
	$(MATRIX) --quick $(PROGRAMS) $(TARGET)/provider
	$(END)

matrix-build: setup build python provider page/node_modules/ready
	$(BUILD_ALSO) --package arcfour-capi
	.venv/python/bin/pip install --quiet --disable-pip-version-check $(VECTORS_OF_CRYPTOGRAPHY)

matrix-full: matrix-build ## run the tests of other people's RC4 on ours, and compare with the record
	$(MATRIX) $(PROGRAMS) $(TARGET)/provider

matrix: matrix-build ## the same, and write the record and its table
	$(MATRIX) --write $(PROGRAMS) $(TARGET)/provider

##@ Page

.PHONY: page page-package page-quick page-record page-test
# What the lock says, which stays as it is. npm ci of npm 11 refuses a lock without the packages of other systems.
page/node_modules/ready: page/package-lock.json page/package.json page/arcfour/package.json
	cd page && npm install --no-save --ignore-scripts
	touch $@

PAGE = $(TARGET)/page/index.html
page: setup page/node_modules/ready ## RC4, step by step, one file that needs no network: target/page/index.html
	cd page && node build.mjs $(PAGE)

page-quick: page ## its unit tests, its npm package in empty projects, and a look at it in Chromium
	$(BEGIN)
	cd page && npm run --silent check && npm run --silent unit && npm run --silent package -- quick && \
		PAGE=$(PAGE) BROWSER=chromium npm run --silent browser -- smoke
	$(END)

PACKAGES_page-test = firefox-esr
page-test: setup-page-test page .venv/page/pipeline/ready ## every test of it, in Chromium and Firefox; and the pipelines recorded anew
	cd page && npm run --silent check && npm run --silent unit
	cd page && for browser in chromium firefox; do PAGE=$(PAGE) BROWSER=$$browser npm run --silent browser || exit 1; done
	.venv/page/pipeline/bin/python page/pipeline/record.py $(TARGET)/page/pipeline
	for record in page/pipeline/*.json; do cmp $$record $(TARGET)/page/pipeline/$${record##*/} || exit 1; done

page-package: page ## the npm package from a clean clone, and in Node 18 to 24, Deno, Bun, Vite and TypeScript 5.0 to 7.0
	cd page && npm run --silent package

page-record: setup .venv/page/pipeline/ready ## simulate the pipelines that it shows, and write page/pipeline/*.json
	.venv/page/pipeline/bin/python page/pipeline/record.py

##@ Site

.PHONY: site
site-links: build .venv/site/ready ## every README has its place on the site, and every link leads somewhere
	$(BEGIN)
	.venv/site/bin/python site/test_site.py
	$(END)

site: build .venv/site/ready report page reference ## every README, the APIs and the report as one site: target/site
	cargo doc --workspace --no-deps --locked
	.venv/site/bin/python site/build.py --built $(TARGET) --out $(TARGET)/site $(PROGRAMS)/arcfour

##@ Libraries

.PHONY: capi-header python-bench vectors
ZIGLANG = 0.15.1
TWINE = 7.0.0
PIP_PYTHON = MATURIN_PEP517_ARGS='--locked $(PYTHON_PROFILE)' .venv/python/bin/pip install --quiet --disable-pip-version-check ./python
python: build setup .venv/python/ready ## install the Python package in .venv/python and test it
	$(BEGIN)
	$(PIP_PYTHON)
	cd python && ../.venv/python/bin/python -m pytest -q
	$(END)

.PHONY: slurm-test campaign-scale
slurm-test: build setup .venv/python/ready ## arrays on a real Slurm: a killed node, a time limit, a full disk, two arrays at once: minutes
	$(PIP_PYTHON)
	cd python && ../.venv/python/bin/python -m pytest -q -m full tests/test_slurm.py

campaign-scale: setup .venv/python/ready ## hand out 2^20 shards to fake workers, and write python/scale.md: minutes
	$(PIP_PYTHON)
	mkdir -p $(TARGET)/scale
	.venv/python/bin/python python/scale.py --folder $(TARGET)/scale

python-bench: setup .venv/python/ready ## measure it beside PyCryptodome and the Rust kernel
	$(BUILD_ALSO) --package arcfour-capi
	$(PIP_PYTHON)
	.venv/python/bin/python python/bench.py $(PROGRAMS)/libarcfour.so

capi: build setup ## build the library for C into target/capi and test it there
	$(BEGIN)
	$(BUILD_ALSO) --package arcfour-capi
	$(MAKE) -C capi test RELEASE=$(PROGRAMS) PREFIX=$(TARGET)/capi
	$(END)

# What is heavy: other compilers, other processors and their emulators.
PACKAGES_embed-full = clang frama-c-base g++-mingw-w64-x86-64 gcc-mingw-w64-x86-64 libclang-rt-14-dev libclang-rt-14-dev-wasm32 lld \
	llvm-19 musl-tools nodejs qemu-user tcc wasi-libc wine64 \
	$(foreach a,aarch64 i686 mips powerpc64le riscv64 s390x,gcc-$(a)-linux-gnu) gcc-arm-linux-gnueabihf \
	$(foreach a,arm64 armhf i386 mips ppc64el riscv64 s390x,libc6-dev-$(a)-cross)
embed: setup ## test the RC4 in one C file, capi/single, on this machine
	$(BEGIN)
	$(MAKE) -C capi/single quick OUT=$(TARGET)/single
	$(END)

provider: setup ## build RC4 as a provider of OpenSSL 3, in target/provider, and test it
	$(BEGIN)
	$(MAKE) -C capi/provider test OUT=$(TARGET)/provider
	$(END)

# The programs that are tried, beside those the tests have.
PACKAGES_provider-full = curl erlang-crypto lua5.4 lua-luaossl php8.2-cli python3-cryptography python3-m2crypto ruby stunnel4
PACKAGES_provider-programs = $(PACKAGES_provider-full)
PROGRAMS_TRIED = python3 capi/provider/tests/programs.py $(TARGET)/provider --python .venv/python/bin/python
.PHONY: provider-full provider-programs
provider-full: setup-provider-full provider .venv/python/ready ## programs that use it, compared with the table of its README; its speed beside the legacy provider's
	$(PROGRAMS_TRIED)
	$(MAKE) -s -C capi/provider speed OUT=$(TARGET)/provider

provider-programs: setup-provider-programs provider .venv/python/ready ## try those programs, and write the table
	$(PROGRAMS_TRIED) --write

.PHONY: embed-full
embed-full: setup-embed-full ## test it on ten processors and prove its bounds, and write that down in capi/single; the library on aarch64
	$(MAKE) -C capi/single full model proof OUT=$(TARGET)/single
	rustup target add aarch64-unknown-linux-gnu
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
		cargo build --release --locked -p arcfour-capi --target aarch64-unknown-linux-gnu
	$(MAKE) -C capi aarch64 RELEASE=$(TARGET)/aarch64-unknown-linux-gnu/release PREFIX=$(TARGET)/aarch64

.PHONY: bench-embed
bench-embed: ## print how fast that file is on this machine, in one line to send in
	@$(MAKE) --no-print-directory -C capi/single bench OUT=$(TARGET)/single

.PHONY: reference wheel
PACKAGES_reference = doxygen
reference: setup-reference .venv/python/ready ## the reference of the Python package and of the C library, as pages: target/reference
	$(PIP_PYTHON)
	.venv/python/bin/python -m pdoc --docformat markdown --output-directory $(TARGET)/reference/python \
		arcfour arcfour.campaign arcfour.statistics arcfour.compat.cryptography
	$(MAKE) -C capi reference REFERENCE=$(TARGET)/reference/c

# Zig links against the C library of 2012, so that old systems can run it. One wheel is for Python 3.11 and later.
wheel: setup .venv/python/ready ## the Python package as published, tested: a wheel for Linux, and the sources, in target/wheels
	.venv/python/bin/pip install --quiet --disable-pip-version-check ziglang==$(ZIGLANG) twine==$(TWINE)
	rm -rf $(TARGET)/wheels
	cd python && PATH=$(abspath .venv/python/bin):$$PATH && \
		maturin build --release --locked --zig --compatibility manylinux2014 --out $(TARGET)/wheels && \
		maturin sdist --out $(TARGET)/wheels && twine check --strict $(TARGET)/wheels/* && \
		python -m pytest -q -m full tests/test_package.py

capi-header: ## write capi/include/arcfour.h anew from the code
	ARCFOUR_WRITE_HEADER=1 cargo test --locked -p arcfour-capi

vectors: setup ## write vectors/ anew; OpenSSL, verify.py and every backend verify it
	ARCFOUR_WRITE_VECTORS=1 cargo test --locked -p arcfour --test suite files_are_fresh
	cargo test --locked -p arcfour --test suite vectors:: -- --include-ignored
	python3 vectors/verify.py
	python3 vectors/pdf.py
	python3 vectors/office.py
	ARCFOUR_WRITE_VECTORS=1 cargo test --locked -p arcfour-formats --test office files_are_fresh

##@ Proofs of the kernels

.PHONY: proof proof-full proof-record
PROVE = .venv/proof/bin/python proof
# The library's object file: it needs no linker for AArch64. One of machine code, not for the optimiser of the whole program.
export ARCFOUR_AARCH64 = $(TARGET)/aarch64/arcfour.o
# The C file, as compilers make machine code of it.
export ARCFOUR_SINGLE = $(TARGET)/proof
X86_64 = --elf $(PROGRAMS)/arcfour --elf $(ARCFOUR_SINGLE)/gcc.o --elf $(ARCFOUR_SINGLE)/clang.o
AARCH64 = --elf $(ARCFOUR_AARCH64) --elf $(ARCFOUR_SINGLE)/aarch64.o
# What the library's portable code is before the optimiser. For AArch64, for which the packages that it uses are compiled anyway.
export ARCFOUR_RUST = $(TARGET)/proof/arcfour.ll
PACKAGES_proof = qemu-user
.PHONY: $(ARCFOUR_AARCH64) $(ARCFOUR_SINGLE) $(ARCFOUR_RUST)
$(ARCFOUR_AARCH64):
	rustup target add aarch64-unknown-linux-gnu
	mkdir -p $(@D)
	cargo rustc --release --locked -p arcfour --lib --target aarch64-unknown-linux-gnu --config profile.release.lto=false -- --emit=obj=$@

$(ARCFOUR_RUST): $(ARCFOUR_AARCH64)
	mkdir -p $(@D)
	cargo rustc --release --locked -p arcfour --lib --target aarch64-unknown-linux-gnu --config profile.release.lto=false \
		-- -C no-prepopulate-passes --emit=llvm-ir=$@

# For AArch64 there is no C library here, and the kernel stays a function of its own.
$(ARCFOUR_SINGLE):
	mkdir -p $@
	gcc -std=c99 -O2 -c capi/single/arcfour.c -o $@/gcc.o
	clang -std=c99 -O2 -c capi/single/arcfour.c -o $@/clang.o
	clang --target=aarch64-linux-gnu -std=c99 -O2 -fno-inline -nostdlibinc -isystem proof/headers -c capi/single/arcfour.c -o $@/aarch64.o

OBJECTS = $(ARCFOUR_AARCH64) $(ARCFOUR_SINGLE) $(ARCFOUR_RUST)
proof: setup-proof .venv/proof/ready $(OBJECTS) ## prove the kernels in assembly on their machine code, and the portable C and Rust: minutes
	$(BEGIN)
	$(if $(IN_TURN),,cargo build --release --locked)
	$(PROVE)/prove.py $(X86_64) $(AARCH64)
	$(PROVE)/prove_c.py --quick --rust $(ARCFOUR_RUST)
	.venv/proof/bin/python -m pytest -q proof
	$(END)

proof-full: proof ## the same by a second solver, and several hundred mutants of the machine code: hours
	$(PROVE)/prove.py $(X86_64) $(AARCH64) --both
	$(PROVE)/mutate.py $(X86_64) --sample 250
	$(PROVE)/mutate.py $(AARCH64) --count 100
	$(PROVE)/processor.py $(X86_64)
	$(PROVE)/qemu.py $(AARCH64)
	$(PROVE)/prove_c.py --both --rust $(ARCFOUR_RUST)

proof-record: setup-proof build .venv/proof/ready $(OBJECTS) ## write the table of proof/README.md anew: hours
	$(PROVE)/prove.py $(X86_64) $(AARCH64) --record
	$(PROVE)/mutate.py $(X86_64) --record
	$(PROVE)/mutate.py $(AARCH64) --count 100 --record
	$(PROVE)/processor.py $(X86_64) --record
	$(PROVE)/qemu.py $(AARCH64) --record
	$(PROVE)/prove_c.py --record --rust $(ARCFOUR_RUST)
	$(PROVE)/prove.py --write

##@ Packages

.PHONY: deb musl packaging-test
PACKAGES_packaging = dpkg-dev
deb: setup-packaging ## a Debian package of the commands and the library for C: target/packaging/arcfour.deb
	$(MAKE) -C packaging deb

musl: ## the two commands as static programs, in target/packaging
	$(MAKE) -C packaging musl

packaging-test: setup-packaging ## install and use the package in a clean root, and build both twice, bit for bit
	$(MAKE) -C packaging test

##@ Lab

.PHONY: lab lab-build lab-full lab-record report
LAB = .venv/lab/bin/python -m lab
LAB_RESULTS = $(TARGET)/lab
lab: lab-build ## measure every claim of the papers at quick sizes, into target/lab
	$(LAB) run --results $(LAB_RESULTS)
	$(LAB) draw --results $(LAB_RESULTS)
	$(LAB) judge --results $(LAB_RESULTS)

lab-record: lab-build ## time the papers' experiments anew, nothing else running (TIMED='STUDY[:EXPERIMENT] …'), into lab/results; again to go on
	$(LAB) record $(TIMED)

lab-full: lab-build ## every experiment at the papers' sizes (hours), into lab/results
	$(LAB) run --full --record
	$(LAB) draw
	$(LAB) write

lab-test: lab-build ## hold every study to the lab's contract
	$(BEGIN)
	.venv/lab/bin/python -m pytest -q lab/tests
	$(END)

# The study of hardware simulates the cores; those of the attacks and of PARC4-I have programs of their own.
lab-build: setup build .venv/lab/ready .venv/hardware/ready
	$(BUILD_ALSO) --package arcfour-lab-attacks --package arcfour-lab-handa2015

# From the committed results, or from those of `make lab report`.
report: setup .venv/lab/ready $(filter lab,$(MAKECMDGOALS)) ## all the lab knows on one page, target/report/index.html
	$(LAB) report --page $(TARGET)/report/index.html $(if $(filter lab,$(MAKECMDGOALS)),--results $(LAB_RESULTS))

##@ Hardware

.PHONY: hardware-board hardware-calibrate hardware-coverage hardware-die hardware-fpga hardware-full hardware-gds hardware-layout hardware-synth hardware-try hardware-verilog
HARDWARE_MORE = .venv/hardware/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement hardware/syn/requirements.txt
hardware: setup .venv/hardware/ready ## test the cores: the quick set
	$(BEGIN)
	$(MAKE) -C hardware quick
	$(END)

hardware-board: setup .venv/hardware/ready ## the bitstream of RC4 on a serial line for BOARD=icebreaker, ulx3s-12f, -25f, -45f or -85f: a minute
	.venv/hardware/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement hardware/boards/requirements.txt
	@$(MAKE) --no-print-directory -C hardware board

hardware-try: setup .venv/hardware/ready ## simulate a core under KEY=Quentin, print its keystream, draw its waveform: a minute
	@$(MAKE) --no-print-directory -C hardware try KEY='$(KEY)'

hardware-verilog: setup .venv/hardware/ready ## a core as one file of Verilog, linted, simulated, proven: CORE=spec BUS=axil K=2 KEY_BYTES=16
	@$(MAKE) --no-print-directory -C hardware verilog

PACKAGES_hardware-full = cadical ghdl-gcc
hardware-full: setup-hardware-full .venv/hardware/ready ## every shape, 20,000 keys a core, every key of a small table, all proofs, mutation testing, line coverage: the times are in hardware/full.csv
	.venv/hardware/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement hardware/requirements-full.txt
	$(MAKE) -C hardware full

PACKAGES_hardware-coverage = ghdl-gcc
hardware-coverage: setup-hardware-coverage .venv/hardware/ready ## which lines of the VHDL the quick tests reach: minutes
	$(MAKE) -C hardware coverage

hardware-gds: setup .venv/hardware/ready ## the GDSII of what hardware-layout left of DESIGN, for PLATFORM, LIBERTY and CELLS=folder of their GDSII: a minute
	$(HARDWARE_MORE)
	$(MAKE) -C hardware gds PLATFORM='$(abspath $(PLATFORM))' CELLS='$(abspath $(CELLS))' LIBERTY='$(abspath $(LIBERTY))'

PACKAGES_hardware-layout = libfmt9 libspdlog1.10
hardware-layout: setup-hardware-layout .venv/hardware/ready ## lay out cores with OPENROAD=program, PLATFORM=its folder test/sky130hd and LIBERTY=path: an hour
	$(MAKE) -C hardware layout OPENROAD='$(abspath $(OPENROAD))' PLATFORM='$(abspath $(PLATFORM))' LIBERTY='$(abspath $(LIBERTY))'

hardware-synth: setup .venv/hardware/ready ## area and clock of the cores, each netlist proven and simulated, for LIBERTY=path(s): hours
	$(MAKE) -C hardware synth LIBERTY='$(abspath $(LIBERTY))'

hardware-fpga: setup .venv/hardware/ready ## map the cores to FPGAs, place and route them where there is a router: hours
	$(HARDWARE_MORE)
	$(MAKE) -C hardware fpga

PACKAGES_hardware-calibrate = qflow graywolf qrouter
hardware-calibrate: setup-hardware-calibrate .venv/hardware/ready ## route small cores with qflow, and compare their clocks with the estimate: minutes
	$(MAKE) -C hardware calibrate

hardware-die: setup .venv/hardware/ready ## draw a placed core, from what hardware-synth left, for LIBERTY=path
	$(HARDWARE_MORE)
	$(MAKE) -C hardware die LIBERTY='$(abspath $(LIBERTY))'

##@ Speed

.PHONY: bench bench-build bench-sizes
# Large, and wanted by no test.
PACKAGES_bench = hashcat pocl-opencl-icd ocl-icd-libopencl1 libbotan-2-dev qpdf
bench: setup-bench bench-build .venv/python/ready ## measure beside the peers (a quarter of an hour) and record under bench/runs
	$(PROGRAMS)/arcfour-bench --engines $(TARGET)/bench --runs bench/runs --measured bench/kernels/src/measured.csv \
		--python .venv/python/bin/python $(if $(ONLY),--only $(ONLY))

bench-sizes: bench-build ## measure whole commands on files of 1 KiB to 16 GiB (16 minutes), under bench/sizes
	$(PROGRAMS)/arcfour-bench --sizes --engines $(TARGET)/bench --runs bench/sizes

bench-quick: bench-build ## a smoke run: checks every engine, judges no time
	$(BEGIN)
	$(PROGRAMS)/arcfour-bench --quick --engines $(TARGET)/bench --runs $(TARGET)/bench/runs
	$(END)

bench-build: setup build
	$(BUILD_ALSO) --package arcfour-bench --package arcfour-bench-engine --package arcfour-capi --package arcfour-lab-attacks
	$(MAKE) -C bench/engines OUT=$(TARGET)/bench RELEASE=$(PROGRAMS)
