# One front door. `make help` lists what is behind it.
.DEFAULT_GOAL := help
.PHONY: help build setup test ports vectors

DEBIAN_PACKAGES = libssl-dev pkg-config valgrind

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
	cargo test --locked
	RUSTFLAGS='--cfg arcfour_backend="portable"' \
		cargo test --locked -p arcfour --target-dir target/portable -- --skip deep_down
	cargo test --locked -p arcfour --test suite exact --config \
		'target."cfg(unix)".runner = "valgrind --quiet --error-exitcode=1"'
	$(MAKE) ports

ports: build ## build rc4 in five languages and compare the programs with ours
	$(MAKE) -C ports test

vectors: setup ## write vectors/ anew; OpenSSL and every backend verify it
	ARCFOUR_WRITE_VECTORS=1 cargo test --locked -p arcfour --test suite files_are_fresh
	cargo test --locked -p arcfour --test suite vectors::
