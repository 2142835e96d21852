"""A plugin of pytest that makes recorded streams of what tests play: see tests/campaigns/streams/README.md."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest

STREAMS = Path(__file__).parent / "campaigns" / "streams"
Kinds = frozenset[tuple[str, int]]
LONGEST = 400
"""events of a stream that is still worth keeping"""
TAG = "event"
"""the field by which a body says which of several it holds"""

_played: dict[Kinds, str] = {}


def kinds_of(text: str) -> Kinds:
    """(type, version) of every event in a recording; of one whose body holds one of several, also (type and its tag,
    version)."""
    lines = (msgspec.json.decode(line) for line in text.splitlines())
    return frozenset(kind for line in lines if isinstance(line, list) for kind in _kinds_of_line(line))


def _kinds_of_line(line: list[Any]) -> Iterator[tuple[str, int]]:
    yield line[1], line[2]
    for value in msgspec.json.decode(line[3]).values():
        if isinstance(value, dict) and isinstance(value.get(TAG), str):
            yield f"{line[1]} {value[TAG]}", line[2]


def registered() -> Kinds:
    """All that recordings should hold, named like :func:`kinds_of` names it; types that tests declare left out."""
    from campaigns.events import event_types

    found: set[tuple[str, int]] = set()
    for kind in event_types():
        if kind.body.__module__.startswith("tests."):
            continue
        found.add((kind.name, kind.version))
        info = msgspec.inspect.type_info(kind.body)
        assert isinstance(info, msgspec.inspect.StructType)
        for field in info.fields:
            among = field.type.types if isinstance(field.type, msgspec.inspect.UnionType) else ()
            tags = (one.tag for one in among if isinstance(one, msgspec.inspect.StructType) and one.tag_field == TAG)
            found |= {(f"{kind.name} {tag}", kind.version) for tag in tags}
    return frozenset(found)


def recorded() -> Kinds:
    """What the recordings that are kept hold already."""
    return frozenset().union(*(kinds_of(file.read_text("utf-8")) for file in STREAMS.glob("*.jsonl")))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Before the test's database is emptied: its campaigns, the shortest of those that hold the same."""
    names = getattr(item, "fixturenames", ())
    if not {"db", "transactional_db"} & set(names) and item.get_closest_marker("django_db") is None:
        return
    from campaigns.models import Campaign

    for campaign_id in list(Campaign.objects.values_list("pk", flat=True)):
        try:
            _keep(campaign_id)
        except Exception as error:
            # Tests break streams on purpose; those are no recordings.
            print(f"not recorded: {error}")


def _keep(campaign_id: Any) -> None:
    from campaigns import registry
    from campaigns.events import event_types
    from campaigns.recording import record

    target = StringIO()
    if record(campaign_id, target) > LONGEST:
        return
    own = {kind.name for kind in event_types() if not kind.body.__module__.startswith("tests.")}
    *events, last = target.getvalue().splitlines()
    state = msgspec.json.decode(last)["state"]
    parts = {part.name for part in registry.parts.values() if not part.state.__module__.startswith("tests.")}
    kept = {name: found for name, found in state.items() if name in parts}
    text = "\n".join([*events, msgspec.json.encode({"state": kept}, order="sorted").decode()]) + "\n"
    kinds = kinds_of(text)
    if {name.partition(" ")[0] for name, _ in kinds} <= own and len(text) < len(_played.get(kinds, text + " ")):
        _played[kinds] = text


def pytest_sessionfinish() -> None:
    """Writes the fewest streams that hold what no recording holds yet (greedily, the shortest of equals)."""
    missing = frozenset().union(*_played) - recorded()
    number = len(list(STREAMS.glob(f"{_version()}-*.jsonl")))
    while missing:
        kinds, text = max(_played.items(), key=lambda one: (len(one[0] & missing), -len(one[1])))
        number += 1
        words = sorted({name.partition(".")[0] for name, _ in kinds & missing})[:3]
        (STREAMS / f"{_version()}-{number}-{'-'.join(words)}.jsonl").write_text(text, "utf-8")
        missing -= kinds


def _version() -> str:
    import tomllib

    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    return str(project["project"]["version"])
