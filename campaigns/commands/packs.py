"""The rules a campaign plays by: adding a pack, moving to another version, laying house rules over one."""

from __future__ import annotations

from collections.abc import Callable

from campaigns.context import Context
from campaigns.events import Draft
from campaigns.fitting import dropped, refuse_under_way
from campaigns.packs import Packs, on_shelf, overlay_digest
from campaigns.parts import packs as p
from campaigns.parts.packs import PacksState
from campaigns.parts.table import Table
from campaigns.registry import Command, decides, readies
from campaigns.rule_files import MOST_BYTES, check_files, refusing
from campaigns.state import State
from campaigns.upgrading import carried
from rules.packs import Pack
from rules.packs.needs import unmet
from rules.packs.overlay import overlay_title
from rules.refusal import Refused


class AddPack(Command):
    """Lets the campaign play one more pack, pinned to the version that is here."""

    pack: str


class UpgradePack(Command):
    """Moves the campaign to the version of a pack that is here; ``version`` repeats which, as previewed, and
    ``digest`` (where given) with which content."""

    pack: str
    version: str
    digest: str = ""


class LayOverlay(Command):
    """Lays house rules over a pack, in place of those before: the overlay's files, name -> YAML text."""

    pack: str
    files: dict[str, str]


class RemoveOverlay(Command):
    """Plays a pack as written again."""

    pack: str


def overlaid(packs: Packs, pack: str, files: dict[str, str]) -> Callable[[], Pack]:
    """What makes a pack with an overlay on it; it refuses with every problem and its place."""
    check_files(files, MOST_BYTES, "House rules are small.")
    return refusing(packs.laying(pack, files))


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
    old, new = context.packs.plain(command.pack), context.packs.newest(command.pack)
    if command.version != new.version or command.digest not in ("", new.digest):
        message = f"{command.pack} is here in another version."
        raise Refused("unknown_version", message, field="version", value=command.version, right=new.version)
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
    refuse_under_way(state, command.pack)
    event = p.PackUpgraded(
        pack=new.id, title=new.manifest.title, before=old.version, version=new.version, digest=new.digest
    )
    return [*dropped(state, old, new), Draft(event), *carried(state, old, new)]


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
    refuse_under_way(state, command.pack)
    title = overlay_title({name: text.encode() for name, text in command.files.items()})
    event = p.OverlayLaid(pack=command.pack, title=title, digest=digest, files=command.files)
    return [*dropped(state, before, after), Draft(event), *carried(state, before, after)]


@decides(RemoveOverlay, "overlay.remove", roles=["gm"], title="Taking house rules off")
def remove_overlay(state: State, command: RemoveOverlay, context: Context) -> list[Draft]:
    """Taking off what is not there does nothing."""
    overlay = state.part(PacksState).overlays.get(command.pack)
    if overlay is None:
        return []
    refuse_under_way(state, command.pack)
    before, after = context.packs.played(command.pack), context.packs.plain(command.pack)
    event = p.OverlayRemoved(pack=command.pack, title=overlay.title)
    return [*dropped(state, before, after), Draft(event), *carried(state, before, after)]
