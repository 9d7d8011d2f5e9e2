# Needs python3 (3.11 or later, with venv), make and git; everything else goes into .venv.
#
# `make` lists the targets. PYTHON=/path/to/python chooses an interpreter.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
BENCHMARKS = $(sort $(wildcard benchmarks/[!_]*.py))

# The first of these that is new enough and can make a virtual environment is used; a named one alone.
CANDIDATES := $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python)
SUITABLE := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))

.DEFAULT_GOAL := help
.PHONY: help install demo test lint types pytest agreement hostile bench docs format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(STAMP) ## make .venv and install secant into it, editable, with torch, JAX and the tools

demo: $(STAMP) ## a wrong gradient, and what secant says about it
	$(BIN)/python -m secant demo

test: lint types pytest ## format check, lint, types, tests: what continuous integration runs

lint: $(STAMP) ## formatting and lint only
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(STAMP) ## type checker only
	$(BIN)/mypy

# Tests of one file share what they make; processes that tests start share what Python has compiled.
pytest: $(STAMP) ## tests only
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 2 --dist loadfile

agreement: $(STAMP) ## verdicts beside torch's and JAX's own (minutes); RECORD=1 asks those again
	PYTHONPATH=tests:benchmarks $(BIN)/python -m agreement.run $(if $(RECORD),--record)
	PYTHONPATH=tests:benchmarks $(BIN)/python -m agreement.jax_run $(if $(RECORD),--record)
	PYTHONPATH=tests:benchmarks $(BIN)/python -m agreement.modules
	$(BIN)/python -m pytest -m slow

hostile: $(STAMP) ## every hostile case, 2 000 interrupts, a thousand checks in threads (half an hour)
	PYTHONPATH=tests $(BIN)/python -m hostile.run --page
	PYTHONPATH=tests $(BIN)/python -m hostile.interrupts 2000 --page
	PYTHONPATH=tests $(BIN)/python -m hostile.threads 1000 --page

bench: $(STAMP) ## run every benchmark and write its table into benchmarks/README.md
	@set -e; for script in $(BENCHMARKS); do \
	    echo "$$script" >&2; $(BIN)/python "$$script" --readme; \
	done

docs: $(STAMP) ## build the documentation site into build/site; stops at the first warning
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "build/site/index.html; for the search: $(BIN)/python -m http.server -d build/site"

format: $(STAMP) ## format, and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove .venv, caches and builds
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@for candidate in $(CANDIDATES); do \
	    if "$$candidate" -c '$(SUITABLE)' 2>/dev/null; then \
	        exec "$$candidate" -m venv $(VENV); \
	    fi; \
	done; \
	echo "secant needs Python 3.11 or later with the venv module (on Debian: python3-venv)," >&2; \
	echo "and none of these is that: $(CANDIDATES)" >&2; \
	echo "Name one with: make PYTHON=/path/to/python3.11" >&2; \
	exit 1

# torch first and by exact version, so that the build for the CPU is chosen; the second line then
# finds it in place.
$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[torch,jax,test,dev,docs]'
	@touch $@
