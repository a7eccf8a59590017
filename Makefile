# The front door. Everything behind it is CMake; see CONTRIBUTING.md.

.DEFAULT_GOAL := build
.SUFFIXES:
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash
override HERE := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))

PREFIX ?= /usr/local
FOR ?= 600
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# One shell for a recipe, started in the house wherever make was called, and ended by the first
# command that fails.
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c

# $(call built,PRESET[,SETUP'S OPTIONS]): set up what is missing, then configure and build quietly.
built = cd '$(HERE)' && scripts/setup $(2) && scripts/build $(1) $(JOBS)

# $(call product[,SETUP'S OPTIONS]): the same of what users get, without the tests.
product = cd '$(HERE)' && scripts/setup $(1) && scripts/build release $(JOBS) -DSTOA_TESTS=OFF

# $(call tested,PRESET): the same, and what the tests need: the build finds Python's headers among it.
tested = cd '$(HERE)' && scripts/setup --tools && scripts/test --prepare && scripts/build $(1) $(JOBS)

.PHONY: build demo test corpus bench asan tsan fuzz mutants powercuts tokenkills contention valgrind coverage check-style tidy format abi peers docs wheel wheel-test release release-test install clean help

build: ## set up what is missing and build build/stoa
	@$(call product)
	echo "built build/stoa; next: make demo, make test, or build/stoa --help"

demo: ## build the command alone, then show Stoa at work on real data
	@cd '$(HERE)' && scripts/setup
	[ -x build/stoa ] || echo "compiling build/stoa, once: about $$((160 / $(JOBS) + 5)) seconds on $(JOBS) idle processors"
	STOA_TARGET=stoa scripts/build release $(JOBS) -DSTOA_TESTS=OFF
	examples/demo.sh

test: ## build, then run every test (interop tests beside their peers)
	@$(call tested,release)
	scripts/test release

corpus: ## write small files that keep or break each rule of HEP001, and a manifest: CORPUS=build/corpus
	@$(call built,release)
	cmake --build build --target test_conformance_corpus
	STOA_CORPUS='$(abspath $(or $(CORPUS),build/corpus))' build/tests/conformance/test_corpus written_whole
	echo "wrote $(or $(CORPUS),build/corpus)/manifest.json"

bench: ## measure Stoa against DuckDB, Polars, PyTables and others, and write docs/performance.md: SCALE=1 ROUNDS= MINUTES= ONLY= QUICK=1
	@cd '$(HERE)' && scripts/setup && scripts/peers && scripts/build release $(JOBS) -DSTOA_TESTS=OFF
	cmake --build build --target bench_ask bench_sparse bench_connector bench_lh5 bench_inflate bench_waveforms
	bench/all $(if $(QUICK),--quick) $(if $(SCALE),--scale '$(SCALE)') $(if $(ROUNDS),--rounds '$(ROUNDS)') \
		$(if $(MINUTES),--minutes '$(MINUTES)') $(if $(ONLY),--only $(ONLY)) --json build/bench/all.json --markdown docs/performance.md

asan: ## every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(call tested,asan)
	scripts/test asan

tsan: ## the unit and property tests under ThreadSanitizer
	@$(call built,tsan)
	scripts/test tsan --label-regex '^(unit|property)$$'

fuzz: ## look for files and chunks that Stoa stumbles over: FOR=600 seconds in all, FOR=36000 a night; needs clang
	@cd '$(HERE)' && scripts/setup
	scripts/fuzz all '$(FOR)'

mutants: ## put small bugs into the code, and see which the tests notice: ROOMS= SAMPLE=60 SEED= CHANGE=REV
	@cd '$(HERE)' && scripts/setup
	nice -n 15 scripts/mutants --jobs '$(JOBS)' --sample '$(or $(SAMPLE),60)' \
		$(if $(ROOMS),--rooms '$(ROOMS)') $(if $(SEED),--seed '$(SEED)') \
		$(if $(CHANGE),--change '$(CHANGE)')

powercuts: ## cut the power of an edit 10,000 times, and count what HDF5 reads afterwards
	@$(call built,release)
	cmake --build build --target prop_hdf_journal
	STOA_EFFORT=34 build/tests/hdf/prop_journal mixture

tokenkills: ## kill 10,000 writers of indexed tables, and compare every index that is valid; needs the peers
	@$(call built,release)
	cmake --build build --target prop_table_token_kills
	STOA_PEERS="$$(scripts/peers --print)" STOA_BUILD_DIR=build STOA_EFFORT=100 \
		python3 tests/fault/test_kill_tokens.py

contention: ## 8 readers and 2 writers of one file for FOR=600 seconds; needs the peers
	@$(call built,release)
	cmake --build build --target prop_hdf_contention
	STOA_PEERS="$$(scripts/peers --print)" STOA_BUILD_DIR=build tests/fault/contention.py --seconds '$(FOR)'

valgrind: ## the unit, property and command tests under valgrind
	@$(call built,valgrind,--tools)
	scripts/test valgrind --label-regex '^(unit|property|cli)$$'

coverage: ## run every test and say which lines of src/ they reach
	@$(call tested,coverage)
	scripts/coverage build-coverage

check-style: ## the house's own checks: format, words, names, pages, rooms
	@$(call built,release)
	clang-format --dry-run -Werror $$(find src include tests examples bench plugins python -name '*.[ch]')
	ctest --test-dir build --output-on-failure -R '^house/'

tidy: ## check the format and what clang-tidy says
	@$(call built,release)
	scripts/tidy build

format: ## rewrite the C files as .clang-format says
	@cd '$(HERE)' && scripts/tidy --format

abi: ## take the ABI of the headers for that of a release: abi/ (docs/api-stability.md)
	@$(call built,release)
	cmake --build build --target stoa_shared
	scripts/abi --renew
	nm -D --defined-only build/libstoa.so | cut -d ' ' -f 3 | LC_ALL=C sort > abi/libstoa.symbols

peers: ## make the environment of the interop tests' peers
	@cd '$(HERE)' && scripts/peers

docs: peers ## make the site of these pages: build/site/index.html
	@cd '$(HERE)' && "$$(scripts/peers --print)/bin/python3" -m sphinx -E -q -W --keep-going -b html docs build/site
	echo "made build/site/index.html"

wheel: ## make a wheel of the Python package, which needs no library of Stoa: build/wheel
	@cd '$(HERE)' && scripts/setup
	scripts/wheel

wheel-test: ## use that wheel in a Debian 13 of its own; needs root and debootstrap
	@cd '$(HERE)' && scripts/wheel-test

release: ## make what a release consists of: build/release; needs cargo, and root for Debian's packages
	@$(call product)
	scripts/release

release-test: ## use it in an older and a newer Debian, and on arm64 by qemu; needs root and debootstrap
	@cd '$(HERE)' && scripts/release-test

install: ## install under PREFIX (/usr/local)
	@$(call product)
	cmake --install build --prefix '$(PREFIX)' > /dev/null
	echo "installed under $${DESTDIR:-}$(PREFIX)"

clean: ## remove what was built here (not the cached HDF5 and peers)
	@cd '$(HERE)' && rm -rf build build-python build-debug build-asan build-tsan build-valgrind build-coverage build-fuzz build-mutants build-plugin

help: ## this text
	@echo 'make [PREFIX=/usr/local] [JOBS=n] TARGET'
	sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' '$(HERE)/Makefile' | column -t -s '|'
