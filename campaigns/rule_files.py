"""Rule files as game masters send them: house rules, whole packs. Looked at for size and names, then compiled."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from campaigns.packs import own_pack
from rules.packs import Pack, read_upload
from rules.packs.overlay import OVERLAY
from rules.packs.source import MANIFEST, is_case
from rules.problems import PackError
from rules.refusal import Refused

MOST_BYTES = 400_000
"""of house rules"""
MOST_BYTES_OWN = 1_000_000
"""of a pack of one's own; its cases do not count"""
MOST_FILES = 400
_FILE_NAME = re.compile(r"[\w .()-]{1,100}(/[\w .()-]{1,100}){0,4}\.yaml")


def check_files(files: Mapping[str, str], most: int, message: str) -> None:
    """Refuses what is too much, and names that no file of rules has."""
    if len(files) > MOST_FILES:
        raise Refused("too_many", message, field="files", value=len(files), right=f"at most {MOST_FILES} files")
    size = sum(len(text.encode()) for text in files.values())
    if size > most:
        raise Refused("too_large", message, field="files", value=size, right=f"at most {most} bytes")
    for name in files:
        if not _FILE_NAME.fullmatch(name) or ".." in name:
            right = "a name such as rules.yaml, or cards/swords.yaml"
            raise Refused("wrong_value", "This is no file of rules.", field="files", value=name[:100], right=right)


def refusing(compiles: Callable[[], Pack], called: str = "") -> Callable[[], Pack]:
    """The same, refusing with every problem and its place instead of raising PackError. ``called``: what the one file
    is called that was sent as a whole pack."""

    def compiled() -> Pack:
        try:
            return compiles()
        except PackError as found:
            error = found if not called else PackError(replace(one, file=called) for one in found.problems)
            right = "files without these problems"
            raise Refused("pack_problems", str(error), field="files", right=right) from None

    return compiled


def whole_pack(files: Mapping[str, str]) -> Callable[[], Pack]:
    """What makes a pack out of its files. Its cases are left out: they are for its author. A single file is a whole
    pack, whatever it is called."""
    rules = {name: text for name, text in files.items() if not is_case(name)}
    called = next(iter(rules)) if len(rules) == 1 and OVERLAY not in rules else ""
    if called:
        rules = {MANIFEST: rules[called]}
    check_files(rules, MOST_BYTES_OWN, "A pack is smaller.")
    return refusing(lambda: own_pack(tuple(sorted(rules.items()))), called[:100])


def uploaded(name: str, data: bytes) -> dict[str, str]:
    """The files of an upload as text: one YAML file, or a zip. Refused with every problem of the upload."""
    try:
        return as_text(read_upload(name, data))
    except PackError as error:
        raise Refused("pack_problems", str(error), field="files", right="a YAML file or a zip of them") from None


def as_text(files: Mapping[str, bytes]) -> dict[str, str]:
    """Files as commands take them."""
    try:
        return {name: data.decode() for name, data in files.items()}
    except UnicodeDecodeError:
        raise Refused("pack_problems", "The files are not UTF-8 text.", field="files", right="UTF-8 text") from None
