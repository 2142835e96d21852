"""Run every benchmark, print the table, keep it: `python -m tests.bench [NAME ...]`."""

import dataclasses
import json
import os
import platform
import sys
import time
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from tests.bench.measure import Row
from tests.services.chromium import RESULTS


def benchmarks() -> list[str]:
    """Names of the modules here that have a `main`."""
    folder = Path(__file__).parent
    names = sorted(module.name for module in iter_modules([str(folder)]))
    # Read, not imported: some files here are programs for a process of their own, with packages or arguments of theirs.
    return [n for n in names if n != "__main__" and "\ndef main() -> list[Row]:" in (folder / f"{n}.py").read_text()]


def run(name: str) -> list[Row]:
    module = import_module(f"tests.bench.{name}")
    began = time.monotonic()
    rows: list[Row] = module.main()
    print(f"\n{name} ({time.monotonic() - began:.0f} s)", flush=True)
    for row in rows:
        print(f"  {row.work:<44} {row.who:<24} {row.value:>14,.1f} {row.unit:<8} {row.aim}", flush=True)
    return rows


def main(wanted: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
    known = benchmarks()
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"No such benchmark: {', '.join(unknown)}. There are: {', '.join(known) or 'none'}.", file=sys.stderr)
        return 2
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "machine": platform.machine()}
    results = {name: [dataclasses.asdict(row) for row in run(name)] for name in wanted or known}
    RESULTS.mkdir(exist_ok=True)
    kept = RESULTS / "bench.json"
    kept.write_text(json.dumps({"machine": machine, "results": results}, indent=2) + "\n")
    print(f"\n{sum(map(len, results.values()))} figures kept in {kept.relative_to(RESULTS.parent)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
