"""House rules on a pinned pack, and what a GM may upload."""

from __future__ import annotations

import io
import stat
import zipfile

import pytest

from rules.cli.diff import diff
from rules.dice import ChosenDice
from rules.packs import load_overlay, read_upload
from rules.problems import PackError
from rules.tests import run
from tests.rules.small import MANIFEST, one_test, pack

BASE = one_test("- {roll: check, sides: setting.climb.die}\n- {let: {t: check.total}}")
SETTINGS = "settings: {climb.die: {type: int, min: 2, max: 20, default: 6}}"
OVERLAY = b"on: small\nversion: 1.0.0\ntitle: Ours\n"


def overlaid(more: bytes = b"", **files: str):  # type: ignore[no-untyped-def]
    contents = {"overlay.yaml": OVERLAY + more, **{f"{name}.yaml": text.encode() for name, text in files.items()}}
    return load_overlay(pack(BASE, settings=SETTINGS), contents)


def message(more: bytes = b"", **files: str) -> str:
    with pytest.raises(PackError) as caught:
        overlaid(more, **files)
    return str(caught.value)


def test_other_settings_and_new_tests() -> None:
    found = overlaid(b"settings: {climb.die: 8}\n", rules="tests: {sing: {title: Sing, steps: [{narrate: la}]}}")
    assert run(found, "it", {}, ChosenDice([8]), {}).values["t"] == 8
    assert [str(change) for change in diff(pack(BASE, settings=SETTINGS), found)] == [
        "changed setting climb.die: default 6 -> 8",
        "added test sing",
    ]


def test_nothing_is_overwritten_by_chance() -> None:
    again = "tests: {it: {title: Again, steps: [{let: {t: 1}}]}}"
    assert "'it' is already defined in part1.yaml" in message(rules=again)
    found = overlaid(b"replaces: [tests.it]\n", rules=again)
    assert run(found, "it", {}, ChosenDice([]), {}).values["t"] == 1


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        (b"settings: {climb.dice: 8}\n", "no setting is called 'climb.dice' (did you mean 'climb.die'?)"),
        (b"settings: {climb.die: 1}\n", "1 is below the lowest value"),
        (b"replaces: [tests.itt]\n", "small has no 'tests.itt' (did you mean 'it'?)"),
        (b"replaces: [tests.it]\n", "the overlay brings no 'tests.it' in its place"),
        (b"remove: [tests.it]\n", "unknown field 'remove' (did you mean 'removes'?)"),
    ],
)
def test_mistakes_in_an_overlay(more: bytes, wanted: str) -> None:
    assert wanted in message(more)


def test_an_overlay_is_for_one_version() -> None:
    with pytest.raises(PackError, match="for version 2.0.0; the pack is 1.0.0"):
        load_overlay(pack(BASE, settings=SETTINGS), {"overlay.yaml": OVERLAY.replace(b"1.0.0", b"2.0.0")})


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return out.getvalue()


def test_an_outer_folder_is_taken_off() -> None:
    data = zipped(**{"house__overlay.yaml": OVERLAY, "house__cases__a.yaml": b"cases: []", "house__x.png": b"?"})
    assert read_upload("house.zip", data) == {"overlay.yaml": OVERLAY, "cases/a.yaml": b"cases: []"}


def test_a_single_file() -> None:
    assert read_upload("folder/mine.yml", b"tests: {}") == {"mine.yaml": b"tests: {}"}


def test_tricks_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("pack.yaml")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(PackError, match="is a link"):
        read_upload("a.zip", out.getvalue())
    with pytest.raises(PackError, match="leads out"):
        read_upload("a.zip", zipped(**{"..__..__pack.yaml": b"x"}))
    with pytest.raises(PackError, match="leads out"):
        read_upload("a.zip", zipped(**{"__etc__pack.yaml": b"x"}))
    with pytest.raises(PackError, match="larger than"):
        read_upload("a.zip", zipped(**{"pack.yaml": bytes(13_000_000)}))
    with pytest.raises(PackError, match="more than"):
        read_upload("a.zip", zipped(**{f"f{n}.yaml": b"" for n in range(401)}))
    with pytest.raises(PackError, match="a zip or a YAML file"):
        read_upload("a.exe", b"MZ")
    with pytest.raises(PackError, match="cannot be read|a zip or a YAML"):
        read_upload("a.zip", zipped(**{"pack.yaml": MANIFEST.encode()})[:-30])
