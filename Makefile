# `make demo` prints a headline; `make test` sets everything up and runs all tests; `make check` adds lint and types.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: setup test check lint types demo docs mutants wrong-changes house lock fuzz clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml setup.py
	PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup-dev
	touch $@

# As many processes as cores, each with one thread of its own.
test: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal

lint: setup
	$(BIN)/ruff format --check src tests scripts
	$(BIN)/ruff check src tests scripts

types: setup
	$(BIN)/mypy

check: lint types test

# Readers and C kernels (with sanitizers) fed odd inputs, chosen by coverage where clang and atheris are there: FUZZ="--seconds 600".
fuzz: setup
	command -v clang >/dev/null && $(BIN)/pip install --quiet atheris || echo "no clang or no atheris: random inputs"
	$(BIN)/python scripts/fuzz.py $(FUZZ)

# The locked versions and hashes of the development environment, from what is installed; docs/licences.md with it.
lock: setup
	$(BIN)/pip install --quiet uv
	$(BIN)/python scripts/lock.py

# How many machine-made wrong changes the tests of ten modules notice: hours. One module: MUTANTS="metrics/bulk.py --most 0".
mutants: setup
	$(BIN)/python scripts/mutants.py $(MUTANTS)

# Known wrong changes, each of which one named test must notice: about ten minutes.
wrong-changes: setup
	$(BIN)/python scripts/wrong_changes.py

# Files, their lengths, and how many of them one headline, one training, one tuning enters.
house: setup
	$(BIN)/python scripts/house.py

# Its own environment, so that it shows what a user installs and leaves the developer's alone.
# No bytecode for all of numpy: an eighth less on the disk, and Python writes what it needs at the first start.
demo:
	$(PYTHON) -m venv .venv-demo
	.venv-demo/bin/pip install --quiet --disable-pip-version-check --no-compile .
	.venv-demo/bin/hedline "The city council voted on Tuesday to close the old harbour bridge for six months of repairs, officials said."

# The generated parts of the documentation: after a change of the model or of quoted code.
docs: setup
	$(BIN)/python scripts/build_docs.py

clean:
	rm -rf $(VENV) .venv-demo build dist .pytest_cache .mypy_cache .ruff_cache
