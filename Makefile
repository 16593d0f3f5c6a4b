# make demo: the whole walk on examples/, an oral examination too, with a language model's replies from a recording.
# make test: lint, types, tests; make test-all: the slow tests too. Needs python3 >= 3.11 and pip.
PYTHON ?= python3
BIN := .venv/bin
# which tests run
MARKS ?= not slow and not long and not live

.PHONY: demo test test-all suite lint types clean

demo: .venv/installed
	$(BIN)/viva run examples/handbook --out viva-runs/demo --items 60 --worked-examples 0 \
	  --blueprint kind.unanswerable=0.08,kind.follow-up=0.34 \
	  --model 'replay:examples/handbook.ledger.sqlite#openai:claude-by-hand' \
	  --examinee panel --examinee examples/readers.yaml --examinee examples/my_rag.py:answer --oral-questions 8

test: .venv/test-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) --jobs=2 types suite

test-all:
	$(MAKE) test MARKS='not long and not live'

suite: .venv/test-installed
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m '$(MARKS)'

lint: .venv/test-installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: .venv/test-installed
	$(BIN)/mypy

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "viva needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/test-installed: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

clean:
	rm -rf .venv viva-runs
