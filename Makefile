# Tidebook. `make run` and `make test` need Python 3.11 or newer and make; everything else is brought along.
# The environment lies in .venv; a stamp there, named after the lock file's content, makes a second run quick.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PY := .venv/bin/python
UV_COMPILE := .venv/bin/uv pip compile --universal --generate-hashes --no-emit-index-url --python-version 3.11 --quiet

.PHONY: run test lint bench lock base dev

run: base
	@exec $(PY) -m deploy.serve

test: dev
	@exec $(PY) -m tests.run

lint: dev
	@exec $(PY) -m tests.run --lint-only

bench: dev
	@exec $(PY) -m tests.bench $(BENCH)

base dev:
	@test -n "$(PYTHON)" || { echo "Tidebook needs Python 3.11 or newer, and found none on PATH."; exit 1; }
	@$(PYTHON) deploy/bootstrap.py $@

# Versions move only when asked: `make lock` keeps what is locked, `make lock UPGRADE=--upgrade` moves all.
lock: dev
	$(UV_COMPILE) $(UPGRADE) requirements/dev.in -o requirements/dev.txt
	$(UV_COMPILE) $(UPGRADE) requirements/base.in -c requirements/dev.txt -o requirements/base.txt
	$(UV_COMPILE) $(UPGRADE) requirements/bench.in -o requirements/bench.txt
	$(UV_COMPILE) $(UPGRADE) requirements/bench-dice.in -o requirements/bench-dice.txt
