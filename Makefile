# Each target does the whole set-up first; the stamp keeps it from being repeated.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/pytest -q -rs -n 2 --dist worksteal
STAMP := $(VENV)/.stamp
TESTS := $(VENV)/.tests
PAPER := $(VENV)/.paper

# One thread for each worker: more of them only get in each other's way on small tables.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export NUMBA_NUM_THREADS ?= 2

.PHONY: setup demo test test-long checked test-oldest test-newest test-mlflow test-tabarena coverage check kernels browser dist figures gallery pictures baselines paper tables results docs clean
setup: $(STAMP)

# The kernels are compiled while the package is installed: by the system's compiler, or else by the one in ziglang. The
# build tools come first, so that they are pinned like everything else, and stay, so that importing the package can
# rebuild a kernel whose source has changed. setuptools builds `statistics`, of which there is no wheel.
BUILD_TOOLS := cython meson meson-python ninja setuptools
INSTALL = PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet -c constraints.txt --no-build-isolation
# Where an editable install is built. With SOURCES, Python and its tools look at src/ alone.
EDITABLE := --config-setting build-dir=build/editable -e
SOURCES := MESONPY_EDITABLE_SKIP=$(CURDIR)/build/editable PYTHONPATH=src
HEADER = $$($(PYTHON) -c "import sysconfig; print(sysconfig.get_path('include'))")/Python.h
export CYTHON := $(CURDIR)/$(BIN)/cython
ifeq ($(shell command -v $(CC)),)
BUILD_TOOLS += ziglang
export CC := $(CURDIR)/$(BIN)/python -m ziglang cc -mcpu=baseline
export PKG_CONFIG := false # it names headers of the system's Python, which this compiler does not look for
endif

$(STAMP): pyproject.toml constraints.txt
	@test -e "$(HEADER)" || { echo "Python.h is missing: install python3-dev (Debian, Ubuntu) or python3-devel (Fedora)."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(if $(findstring ziglang,$(CC)),@echo "There is no C compiler: downloading the one in ziglang (100 MB).")
	$(INSTALL) pip $(BUILD_TOOLS)
	$(INSTALL) $(EDITABLE) '.[mllp]'
	touch $@

# torch and Triton too: the kernels of a GPU are tested in Triton's interpreter.
$(TESTS): $(STAMP)
	$(INSTALL) $(EDITABLE) '.[test,gpu]'
	touch $@

demo: $(STAMP)
	$(BIN)/conceptrules demo

# Two at a time: what is checked needs one core, and so does compiling the MLLP's kernels.
test: $(TESTS) browser
	$(MAKE) --no-print-directory -j 2 check kernels
	$(PYTEST) -m "not long"

# What takes long and has to: each test says why.
test-long: $(TESTS) kernels
	$(PYTEST) -m long

# The tests of the kernels, with kernels that check every index.
checked: $(TESTS)
	$(INSTALL) --target .checked --upgrade --no-deps --config-setting setup-args=-Dchecked=true .
	MESONPY_EDITABLE_SKIP=$(CURDIR)/build/editable PYTHONPATH=.checked $(BIN)/python -m pytest -q tests/kernels tests/learn/search

# With the lowest versions that pyproject.toml allows, and with the newest ones, in environments of their own.
# ONLY="tests/model tests/io" takes some of the tests; PYTHON=python3.13 another Python. What old and new libraries say
# of each other in DeprecationWarnings is not about us. The kernels of a GPU are left out: torch has its own pin.
ONLY ?= tests
comma := ,
VERSIONS = $(INSTALL) uv && \
	$(BIN)/uv venv --quiet --clear --python $(PYTHON) .venv-$(1) && \
	$(BIN)/uv pip install --quiet --python .venv-$(1)/bin/python -c constraints.txt pip $(BUILD_TOOLS) && \
	PATH="$(CURDIR)/.venv-$(1)/bin:$$PATH" CYTHON=$(CURDIR)/.venv-$(1)/bin/cython \
	$(BIN)/uv pip install --quiet --compile-bytecode --python .venv-$(1)/bin/python --resolution $(2) \
		--no-build-isolation-package conceptrules --config-setting build-dir=build/$(1) -e '.[test$(4)]' && \
	NUMBA_CACHE_DIR=$(CURDIR)/build/numba-$(1) \
	.venv-$(1)/bin/python -m pytest -q -rs -m "not long" -W ignore::DeprecationWarning $(3)

test-oldest: $(STAMP)
	$(call VERSIONS,oldest,lowest-direct,$(ONLY))

test-newest: $(STAMP)
	$(call VERSIONS,newest,highest,$(ONLY))

# MLflow asks for other versions of pyarrow and pandas, so it has an environment of its own, with the newest.
test-mlflow: $(STAMP)
	$(call VERSIONS,mlflow,highest,tests/test_mlflow.py,$(comma)mlflow)

# AutoGluon, too: the entry for TabArena is one of its models.
test-tabarena: $(STAMP)
	$(call VERSIONS,tabarena,highest,tests/benchmarks/test_tabarena.py,$(comma)tabarena)

coverage: $(TESTS) browser kernels
	$(PYTEST) -m "not long" --cov --cov-report=term:skip-covered

# The MLLP's, which Numba compiles: both workers would do that otherwise, and wait for each other.
kernels: $(TESTS)
	$(BIN)/python -m tests.warm

check: $(TESTS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(SOURCES) $(BIN)/lint-imports

# The tests of the report drive a Chromium. Without one they are skipped; that never fails `make test`.
CHROMIUM := (command -v chromium || command -v chromium-browser || command -v google-chrome) > /dev/null 2>&1
browser:
	@if ! $(CHROMIUM) && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		(apt-get update && apt-get install --yes --no-install-recommends chromium) > /dev/null 2>&1 || true; fi
	@$(CHROMIUM) || echo "No Chromium: the browser tests are skipped. Install it: sudo apt-get install chromium"

# The archives for PyPI. The tests look at what is in them.
dist: $(STAMP)
	$(INSTALL) $(EDITABLE) '.[dist]'
	rm -rf dist
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*

figures: $(STAMP)
	$(BIN)/python -m benchmarks.smoke

gallery: $(TESTS)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python docs/gallery.py
	$(BIN)/python docs/report_images.py
	$(BIN)/python docs/studio_picture.py

# The documentation site, in docs/_build/html: warnings are errors, and every example is run.
docs: $(STAMP)
	$(INSTALL) $(EDITABLE) '.[docs]'
	rm -rf docs/_build docs/auto_examples docs/generated
	$(BIN)/python -m sphinx -q -W --keep-going -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python docs/built_site.py

# The picture of the README, which has to show the rules that the README prints.
pictures: $(TESTS)
	$(BIN)/python docs/product_picture.py

# Weka's J48 and pysbrl, which the paper compares with.
baselines:
	PYTHON=$(PYTHON) benchmarks/paper/setup_baselines.sh

# The paper's tables and figures, from the committed records alone.
paper: $(PAPER)
	$(BIN)/python -m benchmarks.paper tables

# The page of the 39 tables, from the committed records alone.
tables: $(PAPER)
	$(BIN)/python -m benchmarks.tables report

# All pages of results, and what the README and the site show of them: run it after the records or the learner have
# changed. The digest of the learner takes some seconds; all else is read from the records.
results: $(PAPER)
	$(BIN)/python -m benchmarks.digest
	$(MAKE) --no-print-directory paper tables
	$(BIN)/python -m benchmarks.site

$(PAPER): $(STAMP)
	$(INSTALL) matplotlib
	touch $@

clean:
	rm -rf $(VENV) .checked build dist docs/_build docs/auto_examples docs/generated
