"""Every mutant of packs, on every core, with the progress kept in a file: a run that was broken off goes on.

python -m tests.rules.mutant_run [PACK ...]        all of the packs
python -m tests.rules.mutant_run --alive PACK      those again that were alive (after cases were added)
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path

from rules.packs import find_folder, pack_ids
from rules.packs.source import is_case, read_folder
from tests.rules.mutant_hunt import ALIVE, REFUSED, TOLD, Hunter, found_by
from tests.rules.mutants import Mutant, all_of
from tests.services.chromium import RESULTS

CHUNK = 40
"""neighbours that one process tries one after another, for what finds one is likely to find the next"""


@cache
def files_of(pack: str) -> dict[str, bytes]:
    return read_folder(find_folder(pack))


@cache
def hunter_of(pack: str) -> Hunter:
    return Hunter(files_of(pack))


def try_some(pack: str, numbers: Sequence[int]) -> dict[int, str]:
    mutants, hunter = mutants_of(pack), hunter_of(pack)
    return {number: hunter.verdict(mutants[number]) for number in numbers}


@cache
def mutants_of(pack: str) -> list[Mutant]:
    return all_of(files_of(pack))


class Progress:
    """The verdicts so far, a line each, for as long as the rules stay as they are."""

    def __init__(self, pack: str) -> None:
        RESULTS.mkdir(exist_ok=True)
        self.path = RESULTS / f"mutants-{pack}-{digest(files_of(pack), mutants_of(pack))[:12]}.jsonl"
        self.verdicts: dict[int, str] = {}
        for line in self.path.read_text().splitlines() if self.path.exists() else ():
            number, verdict = json.loads(line)
            self.verdicts[number] = verdict

    def keep(self, found: Mapping[int, str]) -> None:
        self.verdicts.update(found)
        with self.path.open("a") as file:
            file.writelines(json.dumps(one) + "\n" for one in found.items())


def digest(files: Mapping[str, bytes], mutants: Sequence[Mutant]) -> str:
    """Of the rules and their mutants, not of the cases: they may be added between two runs."""
    sha = hashlib.sha256("".join(map(str, mutants)).encode())
    for name in sorted(name for name in files if not is_case(name)):
        sha.update(name.encode() + b"\0" + files[name] + b"\0")
    return sha.hexdigest()


def whole(pack: str, again: bool = False) -> dict[int, str]:
    """The verdict of every mutant of a pack, by its number."""
    progress = Progress(pack)
    todo = [
        number
        for number in range(len(mutants_of(pack)))
        if progress.verdicts.get(number) in ((ALIVE,) if again else (None,))
    ]
    chunks = [todo[at : at + CHUNK] for at in range(0, len(todo), CHUNK)]
    random.Random(7).shuffle(chunks)  # a run that was broken off has tried a fair sample
    with ProcessPoolExecutor(initializer=os.nice, initargs=(15,)) as pool:
        for done in as_completed(pool.submit(try_some, pack, chunk) for chunk in chunks):
            progress.keep(done.result())
    write_alive(pack, progress.verdicts)
    return progress.verdicts


def write_alive(pack: str, verdicts: Mapping[int, str]) -> Path:
    """The survivors, where people read them."""
    alive = [str(mutants_of(pack)[number]) for number, verdict in sorted(verdicts.items()) if verdict == ALIVE]
    path = RESULTS / f"mutants-{pack}.txt"
    path.write_text("".join(f"{line}\n" for line in alive))
    return path


def summary(pack: str, verdicts: Mapping[int, str]) -> str:
    found, tried = found_by(verdicts.values())
    how = Counter(verdict if verdict in (ALIVE, REFUSED, TOLD) else "failed by a case" for verdict in verdicts.values())
    return f"{pack}: {found} of {tried} mutants found ({found / tried:.1%}); {dict(how)}"


def main(words: Sequence[str]) -> int:
    again = "--alive" in words
    for pack in [word for word in words if word != "--alive"] or pack_ids():
        print(summary(pack, whole(pack, again)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
