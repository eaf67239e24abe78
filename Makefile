# `make test` sets everything up and runs all tests; `make check` adds lint and types.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: setup test check lint types demo clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml setup.py
	PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup-dev
	touch $@

test: setup
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff format --check src tests scripts
	$(BIN)/ruff check src tests scripts

types: setup
	$(BIN)/mypy

check: lint types test

demo:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet .
	$(BIN)/hedline "The city council voted on Tuesday to close the old harbour bridge for six months of repairs, officials said."

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
