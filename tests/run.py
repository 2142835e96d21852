"""Everything that must hold before a change lands: `python -m tests.run` (which is `make test`).

First the checks that read code, then the tests on SQLite with the embedded settings, then the tests on PostgreSQL and
Redis with a real worker. Stops at the first step that fails. `--lint-only` stops after the checks.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from tests.services import postgres, redis
from tests.services.chromium import RESULTS
from tests.services.packages import MissingProgramError, program, require

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
BIN = Path(PYTHON).parent
# What a host sets, so that `check --deploy` judges a hosted site.
HOSTED_CHECK = {
    "TIDEBOOK_HTTPS": "1",
    "TIDEBOOK_SECRET_KEY": "for this check only, fifty characters and more of nothing in particular 0123456789",
    "TIDEBOOK_ALLOWED_HOSTS": "tidebook.example",
}
CHECKS: dict[str, tuple[list[str], Mapping[str, str]]] = {
    "ruff": ([str(BIN / "ruff"), "check", "."], {}),
    "format": ([str(BIN / "ruff"), "format", "--check", "."], {}),
    "imports": ([str(BIN / "lint-imports")], {}),
    "types": ([PYTHON, "-m", "mypy"], {}),
    "settings": ([PYTHON, "manage.py", "check", "--deploy", "--fail-level", "WARNING"], HOSTED_CHECK),
    "migrations": ([PYTHON, "manage.py", "makemigrations", "--check", "--dry-run"], {}),
    "api": ([PYTHON, "manage.py", "spectacular", "--validate", "--fail-on-warn", "--file", os.devnull], {}),
}


def plain_environment() -> dict[str, str]:
    """The environment without anything that chooses a set-up, or that has each of a hundred processes compile anew.

    Sets are walked in the same order in every run, for a run that fails must fail again (see tests/chance.py).
    """
    steering = ("DATABASE_URL", "TIDEBOOK_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
    return kept | {"PYTHONHASHSEED": "0"}


def step(name: str, command: list[str], environment: Mapping[str, str]) -> bool:
    """Run one step with its output shown; whether it succeeded."""
    print(f"\n== {name}: {' '.join(Path(part).name if part[:1] == '/' else part for part in command)}", flush=True)
    began = time.monotonic()
    done = subprocess.run(command, env=dict(environment), cwd=ROOT)
    if done.returncode:
        print(f"== {name} FAILED (exit code {done.returncode})", file=sys.stderr, flush=True)
    elif "pytest" not in command:  # pytest's own closing line is the last thing said
        print(f"== {name}: {time.monotonic() - began:.1f} s", flush=True)
    return done.returncode == 0


def checks() -> bool:
    """All checks. That of types takes as long as all others together, so it runs beside them and is shown last."""
    plain = plain_environment()
    command, extra = CHECKS["types"]
    with ThreadPoolExecutor(1) as beside:
        types = beside.submit(
            subprocess.run, command, env=plain | extra, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        good = all(step(name, command, plain | extra) for name, (command, extra) in CHECKS.items() if name != "types")
        done = types.result()
    print(f"\n== types: {done.stdout.decode(errors='replace').strip()}", flush=True)
    if done.returncode:
        print(f"== types FAILED (exit code {done.returncode})", file=sys.stderr, flush=True)
    return good and done.returncode == 0


def tests(name: str, chosen: str, environment: Mapping[str, str], extra: list[str]) -> bool:
    report = f"--junitxml={RESULTS / f'{name}.xml'}"
    command = [PYTHON, "-m", "pytest", "-n", "2", "--dist", "worksteal", "-q", "-m", chosen, report, *extra]
    return step(f"tests, {name}", command, environment)


def both_rounds(extra: list[str]) -> bool:
    require("chromium", program("chromium", "chromium-browser", "google-chrome"))
    plain = plain_environment()
    if not tests("sqlite", "not hosted", plain, extra):
        return False
    with ExitStack() as stack:
        hosted = plain | {"TIDEBOOK_SECRET_KEY": "for tests only " * 3}
        hosted["DATABASE_URL"] = os.environ.get("DATABASE_URL") or _cluster(stack, hosted)
        hosted["TIDEBOOK_REDIS_URL"] = os.environ.get("TIDEBOOK_REDIS_URL") or stack.enter_context(redis.running())
        return tests("postgresql", "not embedded", hosted, extra)


def _cluster(stack: ExitStack, environment: dict[str, str]) -> str:
    cluster = stack.enter_context(postgres.running())
    environment["TIDEBOOK_TEST_PG_PORT"] = str(cluster.port)
    return cluster.create("tidebook")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.run", description=__doc__)
    parser.add_argument("--lint-only", action="store_true", help="only the checks that read code")
    parser.add_argument("pytest", nargs="*", help="passed on to pytest, for example a path or -k words")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    try:
        good = checks() and (options.lint_only or both_rounds(options.pytest))
    except MissingProgramError as error:
        print(error, file=sys.stderr)
        return 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
