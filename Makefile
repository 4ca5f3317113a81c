# Everything needs only make and Python 3.11 or later; the virtual environment is made as needed.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test slow lint bench clean

demo: $(VENV)/.demo
	$(BIN)/nearstar demo

test: $(VENV)/.test lint
	$(BIN)/python -m pytest -n auto

slow: $(VENV)/.test
	$(BIN)/python -m pytest -n auto -m slow

lint: $(VENV)/.test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/engine.py --plots benchmarks/out

clean:
	rm -rf $(VENV)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[demo]'
	touch $@

$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[demo,test]'
	# aeon's checks of classifiers run with the newest Numba and pandas; its requirements lag behind.
	$(PIP) deprecated
	$(PIP) --no-deps aeon
	touch $@

$(VENV)/.bench: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[bench,demo]'
	touch $@
