# One front door. `make help` lists what is behind it.
.DEFAULT_GOAL := help
.PHONY: help build test setup

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the two commands, in target/release
	cargo build --release --locked

test: ## install what the tests need and pass every test
	cargo test --locked
