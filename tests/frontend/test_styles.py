"""Stylesheets: what one component calls its own, no other styles; a struck-out line is no blow at somebody."""

import re
from collections import defaultdict
from pathlib import Path

CSS = Path(__file__).resolve().parents[2] / "frontend/static/frontend/css"
BARE = re.compile(r"^\.[\w-]+(?= \{)", re.MULTILINE)
IN_MEDIA = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^}]*\})*\s*\}")


def test_a_class_is_styled_by_one_file() -> None:
    found = defaultdict(set)
    for file in CSS.rglob("*.css"):
        for name in BARE.findall(IN_MEDIA.sub("", file.read_text())):
            found[name].add(file.name)
    assert found[".struck"] == {"bell.css"} and found[".blow"] == {"board.css"}
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
