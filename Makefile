# Everything runs in a virtual environment of its own (.venv), made on first use with pip alone.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTEST_FLAGS ?= -n auto --maxprocesses 8

.PHONY: help demo test slow lint format check example llm-test clean

help:
	@echo "make demo     install, import two example transcripts into ./demo, dream, show the result"
	@echo "make test     the default test suite"
	@echo "make slow     the long tests: crash points at full size, wheel in a fresh environment"
	@echo "make check    linters, types and the default test suite"
	@echo "make format   let ruff format and fix the code"
	@echo "make example  rebuild the example vault (vault/) from examples/transcripts/"
	@echo "make llm-test MODEL=FILE.gguf   dream over the example transcripts with a model of yours"
	@echo "make clean    remove everything that these commands made"

demo: $(VENV)/.runtime
	@PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -m "not slow" -q $(PYTEST_FLAGS)

slow: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow -q $(PYTEST_FLAGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint test

example: $(VENV)/.runtime
	$(BIN)/python examples/build_example.py vault

llm-test: $(VENV)/.runtime
	@test -f "$(MODEL)" || { echo "Name a model file: make llm-test MODEL=FILE.gguf"; exit 2; }
	test -d $(VENV)-llm || $(PYTHON) -m venv $(VENV)-llm
	$(VENV)-llm/bin/python -m pip install --quiet --disable-pip-version-check "llama-cpp-python[server]>=0.3,<1"
	$(BIN)/python -u examples/dream_with_model.py "$(abspath $(VENV)-llm/bin/python)" "$(MODEL)"

clean:
	rm -rf $(VENV) $(VENV)-llm demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.runtime: pyproject.toml
	@$(PYTHON) -c "import sys; sys.version_info >= (3, 11) or sys.exit( \
	    'Noctuary needs Python 3.11 or newer: make PYTHON=/path/to/python3.12')"
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade "pip>=25.1"
	$(PIP) install --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime
	$(PIP) install --group dev
	@touch $@
