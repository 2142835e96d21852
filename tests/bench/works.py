"""What the workers of `ledger` share: the same payloads for all, and the way they are started at one moment.

Knows nothing but the standard library, for the rivals' environment has nothing of ours.
"""

import json
import sys
import time

PAYLOAD = {"actor": "c-17", "die": 20, "face": 14, "mod": 5, "dc": 15, "passed": True, "note": "Trait Test: Valorous"}
RAW = json.dumps(PAYLOAD)


def body(i):
    """(type, fields) of the i-th event of a stream to replay: rolls, marks, wounds and healing of two dozen."""
    actor, kind = f"c-{i % 24}", i % 4
    if kind < 2:
        fields = {"actor": actor, "die": 20, "face": i % 20 + 1, "mod": 5, "dc": 15, "passed": i % 20 > 9}
        return "rolled", fields
    if kind == 2:
        return "marked", {"actor": actor, "trait": "valorous", "week": i // 500}
    return ("hurt" if i % 8 == 3 else "healed"), {"actor": actor, "amount": i % 9}


def rolls_of(count):
    """How many of the first `count` events are rolls."""
    return sum(i % 4 < 2 for i in range(count))


def work(tasks):
    """`worker TASK URL NUMBER ...`: says "ready", waits for a line, does the task, says when it began and ended."""
    name, url, *numbers = sys.argv[1:]
    began = []

    def go():
        print("ready", flush=True)
        sys.stdin.readline()
        began.append(time.monotonic())

    arguments = [int(number) for number in numbers]
    done = tasks[name](url, *arguments, *([go] if name != "prepare" else []))
    if began:
        print(json.dumps({"began": began[0], "ended": time.monotonic(), "done": done}), flush=True)
