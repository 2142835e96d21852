"""House rules on a pinned pack, and what a GM may upload."""

from __future__ import annotations

import io
import random
import stat
import zipfile
from pathlib import Path

import pytest

from rules.cli.diff import diff
from rules.dice import ChosenDice
from rules.packs import load_files, load_overlay, load_pack, read_upload
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


def said(name: str, data: bytes) -> str:
    with pytest.raises(PackError) as caught:
        read_upload(name, data)
    return str(caught.value)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_zip_is_one_refusal_whatever_is_damaged(method: int) -> None:
    """Bytes of a zip changed at random: it is read as well as before, or it is refused, and nothing else happens."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("höhle/pack.yaml", MANIFEST * 3)
        archive.writestr("höhle/rules.yaml", BASE)
    whole, chance = out.getvalue(), random.Random(f"zip {method}")
    refused = 0
    for _ in range(1500):
        broken = bytearray(whole[chance.choice((0, 0, 0, chance.randrange(40))) :])
        for _ in range(chance.randint(1, 4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        try:
            read_upload("a.zip", bytes(broken))
        except PackError:
            refused += 1
    assert refused > 500


def test_nothing_that_looks_like_rules_is_passed_over() -> None:
    pack = MANIFEST.encode()
    assert "r.yml would not be read" in said("a.zip", zipped(**{"pack.yaml": pack, "r.yml": b"tests: {}"}))
    assert "R.YAML would not be read" in said("a.zip", zipped(**{"pack.yaml": pack, "R.YAML": b"tests: {}"}))
    assert "a/pack.yaml and b/pack.yaml" in said("a.zip", zipped(**{"b__pack.yaml": pack, "a__pack.yaml": pack}))
    assert "more.yaml lies beside" in said("a.zip", zipped(**{"a__pack.yaml": pack, "more.yaml": b"tests: {}"}))
    # What the packing computer adds is nobody's rules.
    out = io.BytesIO(zipped(**{"a__pack.yaml": pack, "a__.github__ci.yml": b"on: push"}))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("__MACOSX/a/._pack.yaml", b"\0")
    assert read_upload("a.zip", out.getvalue()) == {"pack.yaml": pack}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("pack.yaml", "an overlay has overlay.yaml in place of pack.yaml"),
        ("cases/a.yaml", "an overlay has no cases"),
        ("rules.yml", "its name must end in .yaml"),
    ],
)
def test_an_overlay_passes_nothing_over_either(name: str, wanted: str) -> None:
    with pytest.raises(PackError, match=wanted):
        load_overlay(pack(BASE, settings=SETTINGS), {"overlay.yaml": OVERLAY, name: b"nonsense: 1"})


def test_a_folder_with_a_file_of_another_ending_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pack.yaml").write_text(MANIFEST)
    (tmp_path / "rules.yml").write_text(BASE)
    with pytest.raises(PackError, match=r"rules.yml:0:0: error: the file would not be read"):
        load_pack(tmp_path)


def test_a_small_pack_or_overlay_is_one_file() -> None:
    whole = load_files({"pack.yaml": f"{MANIFEST}{SETTINGS}\n{BASE}".encode()})
    assert run(whole, "it", {}, ChosenDice([5]), {}).values["t"] == 5
    sung = "tests: {sing: {title: Sing, steps: [{narrate: la}]}}"
    assert "sing" in overlaid(sung.encode()).tests
    with pytest.raises(PackError, match=r"pack.yaml:7:\d+: error: unknown field 'setps'"):
        load_files({"pack.yaml": f"{MANIFEST}tests: {{sing: {{title: S, setps: []}}}}".encode()})
