"""The rules a campaign plays by: adding a pack, moving to another version, laying house rules over one."""

from __future__ import annotations

import re
from collections.abc import Callable

from campaigns.context import Context
from campaigns.events import Draft
from campaigns.packs import Packs, on_shelf, overlay_digest
from campaigns.parts import packs as p
from campaigns.parts.calls import Calls
from campaigns.parts.packs import PacksState
from campaigns.parts.table import Table
from campaigns.registry import Command, decides, readies
from campaigns.state import State
from campaigns.upgrading import carried
from rules.packs import Pack
from rules.packs.needs import unmet
from rules.packs.overlay import overlay_title
from rules.problems import PackError
from rules.refusal import Refused

MOST_BYTES = 400_000
_FILE_NAME = re.compile(r"[\w .()-]{1,100}(/[\w .()-]{1,100}){0,4}\.yaml")


class AddPack(Command):
    """Lets the campaign play one more pack, pinned to the version that is here."""

    pack: str


class UpgradePack(Command):
    """Moves the campaign to the version of a pack that is here; ``version`` repeats which, as previewed."""

    pack: str
    version: str


class LayOverlay(Command):
    """Lays house rules over a pack, in place of those before: the overlay's files, name -> YAML text."""

    pack: str
    files: dict[str, str]


class RemoveOverlay(Command):
    """Plays a pack as written again."""

    pack: str


def overlaid(packs: Packs, pack: str, files: dict[str, str]) -> Callable[[], Pack]:
    """What makes a pack with an overlay on it; it refuses with every problem and its place."""
    size = sum(len(text.encode()) for text in files.values())
    if size > MOST_BYTES:
        raise Refused(
            "too_large", "House rules are small.", field="files", value=size, right=f"at most {MOST_BYTES} bytes"
        )
    for name in files:
        if not _FILE_NAME.fullmatch(name) or ".." in name:
            right = "a name such as rules.yaml, or cards/swords.yaml"
            raise Refused("wrong_value", "This is no file of rules.", field="files", value=name[:100], right=right)
    compiles = packs.laying(pack, files)

    def compiled() -> Pack:
        try:
            return compiles()
        except PackError as error:
            right = "files without these problems"
            raise Refused("pack_problems", str(error), field="files", right=right) from None

    return compiled


def _nothing_rolls(state: State, pack: str) -> None:
    """Rules do not change under a test whose dice have begun to fall."""
    if any(call.pack == pack and call.faces for call in state.part(Calls).open.values()):
        raise Refused("test_under_way", "A test of this pack is being rolled.", field="pack", right="finish it first")


@decides(AddPack, "pack.add", roles=["gm"], title="Adding a pack")
def add_pack(state: State, command: AddPack, context: Context) -> list[Draft]:
    """Adding what is played already does nothing."""
    if command.pack in state.part(Table).packs:
        return []
    pack = on_shelf(command.pack)
    missing = unmet([*context.packs.all(), pack])
    if missing:
        raise Refused(
            "pack_needs", " ".join(missing), field="pack", value=command.pack, right="add what it needs first"
        )
    added = p.PackAdded(pack=pack.id, title=pack.manifest.title, version=pack.version, digest=pack.digest)
    return [Draft(added)]


@decides(UpgradePack, "pack.upgrade", roles=["gm"], title="Upgrading a pack")
def upgrade_pack(state: State, command: UpgradePack, context: Context) -> list[Draft]:
    """Sheets are carried over in the same step; the past stays as it was recorded."""
    old = context.packs.plain(command.pack)
    new = on_shelf(command.pack, command.version)
    if new.digest == old.digest:
        return []
    if command.pack in state.part(PacksState).overlays:
        raise Refused(
            "overlay_in_the_way",
            "House rules lie on the old version.",
            field="pack",
            value=command.pack,
            right="take them off, upgrade, and lay ones written for the new version",
        )
    _nothing_rolls(state, command.pack)
    event = p.PackUpgraded(
        pack=new.id, title=new.manifest.title, before=old.version, version=new.version, digest=new.digest
    )
    return [Draft(event), *carried(state, old, new)]


@readies(LayOverlay)
def compile_overlay(state: State, command: LayOverlay) -> Callable[[], object]:
    """House rules of thousands of cards take seconds to compile, in which the table plays on."""
    return overlaid(Packs(state), command.pack, command.files)


@decides(LayOverlay, "overlay.lay", roles=["gm"], title="Laying house rules")
def lay_overlay(state: State, command: LayOverlay, context: Context) -> list[Draft]:
    """Checked like any pack; the same again does nothing."""
    before, after = context.packs.played(command.pack), overlaid(context.packs, command.pack, command.files)()
    digest = overlay_digest(command.files)
    now = state.part(PacksState).overlays.get(command.pack)
    if now is not None and now.digest == digest:
        return []
    _nothing_rolls(state, command.pack)
    title = overlay_title({name: text.encode() for name, text in command.files.items()})
    event = p.OverlayLaid(pack=command.pack, title=title, digest=digest, files=command.files)
    return [Draft(event), *carried(state, before, after)]


@decides(RemoveOverlay, "overlay.remove", roles=["gm"], title="Taking house rules off")
def remove_overlay(state: State, command: RemoveOverlay, context: Context) -> list[Draft]:
    """Taking off what is not there does nothing."""
    overlay = state.part(PacksState).overlays.get(command.pack)
    if overlay is None:
        return []
    _nothing_rolls(state, command.pack)
    before, after = context.packs.played(command.pack), context.packs.plain(command.pack)
    event = p.OverlayRemoved(pack=command.pack, title=overlay.title)
    return [Draft(event), *carried(state, before, after)]
