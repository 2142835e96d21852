"""How often a second a compiled CEL expression works out the formula of `rules_formula`, in its own environment."""

import json
import statistics
import sys
import time

import cel  # type: ignore[import-not-found]


def once(text: str, names: dict[str, int], count: int = 50_000) -> float:
    program = cel.compile(text)
    began = time.process_time()
    for _ in range(count):
        program.execute(names)
    return count / (time.process_time() - began)


if __name__ == "__main__":
    print(json.dumps(statistics.median(once(sys.argv[1], json.loads(sys.argv[2])) for _ in range(5))))
