# The course's commands. Each makes .venv itself when it is missing or older than its sources.
# The same without make: README.md.
PYTHON ?= python3
ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
else
BIN := .venv/bin
endif
RUN := $(BIN)/python
READY := .venv/.ready
LOWEST := .venv-lowest/.ready
TEST_BOOK := _build/test
BRIDGE := book/workshop-bridge.ipynb
NBVAL := --nbval-lax --nbval-current-env --nbval-cell-timeout=60 \
	--nbval-kernel-startup-timeout=60 --nbval-sanitize-with=tests/nbval_sanitize.cfg \
	-o filterwarnings=
# Notebooks that the tests run call the checks: they must not count as the learner's own progress.
notebooks lowest: export VSACOURSE_HOME = $(CURDIR)/_build/test-home

.DEFAULT_GOAL := help
.PHONY: help book lab test exercises bench clean \
	lint unit lowest notebooks test-book

help: ## Show this list
	@echo "make COMMAND, where COMMAND is one of"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-11s %s\n", $$1, $$2}' Makefile

$(READY): requirements.txt pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here. Install Python 3.11-3.14, or say which one to use: make PYTHON=/path/to/python3.12 ..." >&2; exit 1; }
	@$(PYTHON) book/tools/bootstrap.py

$(LOWEST): $(READY) pyproject.toml book/tools/lowest.py
	@$(RUN) book/tools/lowest.py .venv-lowest

book: $(READY) ## Run every lesson and build the book (_build/html)
	@$(RUN) book/tools/build.py

lab: $(READY) ## Open JupyterLab on work/, your own copy of the exercises
	@$(BIN)/vsacourse copy work
	@$(BIN)/jupyter lab --ServerApp.root_dir=work --ServerApp.allow_root=$(if $(ALLOW_ROOT),True,False) $(LAB_OPTIONS)

test: lint unit lowest notebooks test-book ## Everything that continuous integration runs
	@echo "All checks passed."

exercises: $(READY) ## Store the notebooks' compared outputs and derive exercises/ from solutions/
	@$(RUN) book/tools/notebooks.py all

bench: $(READY) ## Time the library beside others, train every recipe (installs torchhd on the first call)
	@$(RUN) -c "import torchhd" 2>/dev/null || $(RUN) -m pip install --quiet "torch-hd==5.8.4"
	@$(RUN) tests/bench/algebra.py
	@$(RUN) tests/bench/transformer.py
	@$(RUN) tests/bench/recipes.py
	@$(RUN) tests/bench/adders.py
	@$(RUN) tests/bench/gpu.py

clean: ## Remove what was built (not work/, which holds your answers)
	rm -rf _build .venv .venv-lowest .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# The parts of `make test`, in the order from quick to slow.
lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(RUN) book/tools/notebooks.py verify

unit: $(READY)
	$(RUN) -m pytest -n 2 --dist loadfile -m "not book and not browser"

# Lesson 11 trains: it needs torch, which is not installed here.
# Old releases use what newer ones of their own dependencies deprecate: not this project's warnings.
lowest: $(LOWEST)
	VSACOURSE_REQUIRE= .venv-lowest/bin/python -m pytest -q -n 2 -p no:cacheprovider \
		-m "not browser" -W ignore::DeprecationWarning \
		tests/core tests/check tests/tasks tests/training tests/transformer \
		tests/test_figures.py tests/test_widgets.py
	.venv-lowest/bin/python -m pytest -q -n 2 --dist loadfile -p no:cacheprovider $(NBVAL) \
		--ignore=lessons/11-induction-trained.ipynb lessons solutions $(BRIDGE)

notebooks: $(READY)
	$(RUN) -m pytest $(NBVAL) -n 2 --dist loadfile --durations=5 lessons exercises solutions \
		$(BRIDGE)

test-book: $(READY)
	$(RUN) book/tools/build.py --fresh --output $(TEST_BOOK)
	VSACOURSE_BOOK=$(TEST_BOOK)/_build/html $(RUN) -m pytest -n 2 --dist loadfile \
		-m "book or browser" --durations=5
