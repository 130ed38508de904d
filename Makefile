# Each target does the whole set-up first; the stamp keeps it from being repeated.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
TESTS := $(VENV)/.tests

# One thread for each worker: more of them only get in each other's way on small tables.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export NUMBA_NUM_THREADS ?= 2

.PHONY: setup demo test check figures gallery clean
setup: $(STAMP)

# The build backend is installed first, so that it is pinned like everything else.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt pip hatchling editables
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-build-isolation -e .
	touch $@

# torch and Triton too: the kernels of a GPU are tested in Triton's interpreter.
$(TESTS): $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-build-isolation -e '.[test,gpu]'
	touch $@

demo: $(STAMP)
	$(BIN)/conceptrules demo

test: check
	$(BIN)/pytest -q -rs -n 2

check: $(TESTS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

figures: $(STAMP)
	$(BIN)/python -m benchmarks.smoke

gallery: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python docs/gallery.py

clean:
	rm -rf $(VENV) dist
