# Everything a checkout needs, from a plain Python 3.11 or newer: each target makes its own environment first.
#
#   make demo     train a classifier on handwritten digits with generated gradients
#   make test     lint, type check, all tests
#   make test-gpu the tests of arrays on a device, with CuPy itself in place of its stand-in, on a GPU of NVIDIA's
#   make bench    benchmarks against adjoints by hand and other libraries (QUICK=1: two minutes, without libraries)
#   make golden   write the golden files anew; look at the diff before you commit it
#   make lint     ruff and mypy alone
#   make clean    remove what the other targets made

PYTHON ?= python3
VENV   ?= .venv
PIP     = $(VENV)/bin/python -m pip --quiet --disable-pip-version-check --no-input
BIN     = $(VENV)/bin
PYTEST_FLAGS ?= -q -n 2 --dist worksteal

# Small arrays gain nothing from BLAS threads, and parallel tests lose by them.
export OMP_NUM_THREADS      = 1
export OPENBLAS_NUM_THREADS = 1
export MKL_NUM_THREADS      = 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-gpu bench golden lint clean

help:
	@sed -n 's/^#   //p' Makefile

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("adcompiler needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

# One stamp for each set of optional dependencies, renewed when pyproject.toml changes.
$(VENV)/installed-%: pyproject.toml | $(BIN)/python
	@echo "installing adcompiler[$*] into $(VENV)"
	@$(PIP) install --editable '.[$*]'
	@touch $@
.PRECIOUS: $(VENV)/installed-%

demo: $(VENV)/installed-examples
	$(BIN)/python examples/digits.py

test: lint
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

# In an environment of its own, as CuPy is large, and of no use where there is no GPU.
GPU_VENV ?= .venv-gpu
test-gpu:
	@nvidia-smi --list-gpus >/dev/null 2>&1 || { echo "make test-gpu: nvidia-smi finds no GPU here, which CuPy needs"; exit 1; }
	@$(MAKE) --no-print-directory VENV=$(GPU_VENV) $(GPU_VENV)/installed-dev,cupy
	ADC_CUPY=1 $(GPU_VENV)/bin/python -m tests.device -q

# Other libraries take longer to install than a quick run takes: PEERS=1 has them there too, PEERS=0 nowhere.
QUICK ?= 0
PEERS ?= $(if $(filter-out 0,$(QUICK)),0,1)
bench: $(VENV)/installed-$(if $(filter-out 0,$(PEERS)),bench,dev)
	QUICK=$(QUICK) PEERS=$(PEERS) ONLY="$(ONLY)" $(BIN)/python -m benchmarks

golden: $(VENV)/installed-dev
	$(BIN)/python -m tests.golden refresh
	$(BIN)/python -m tests.test_readme
	$(BIN)/python -m tests.rules

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) $(GPU_VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis demo-output bench-output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
