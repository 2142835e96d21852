"""A pack of the table's own: brought whole by its game masters, checked like any, kept in this campaign alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from campaigns.context import Context
from campaigns.events import GM_ONLY, Draft
from campaigns.packs import Packs
from campaigns.parts.packs import PackAdded, PackBrought, PacksState
from campaigns.parts.table import Table
from campaigns.registry import Command, decides, readies
from campaigns.rule_files import whole_pack
from campaigns.state import State
from rules.packs import Pack, pack_ids
from rules.packs.needs import unmet
from rules.refusal import Refused

MOST_OWN = 8
"""packs of its own that a campaign keeps"""
MOST_VERSIONS = 40
"""of all of them together"""


class BringPack(Command):
    """Brings a whole pack of the table's own: its files, name -> YAML text. The first version is played at once; a
    later one waits until the campaign is moved to it."""

    files: dict[str, str]


@readies(BringPack)
def compile_pack(_state: State, command: BringPack) -> Callable[[], object]:
    """A large pack takes seconds to compile, in which the table plays on."""
    return whole_pack(command.files)


@decides(BringPack, "pack.bring", roles=["gm"], title="Bringing a pack of one's own")
def bring(state: State, command: BringPack, context: Context) -> list[Draft]:
    """The content that was brought last, brought again, does nothing."""
    pack, table = whole_pack(command.files)(), state.part(Table)
    own = state.part(PacksState).own.get(pack.id)
    if own is not None and own.digest == pack.digest and pack.id in table.packs:
        return []
    _refuse_same_version(context.packs, pack)
    _refuse_too_many(state.part(PacksState), pack)
    others = [other for other in context.packs.all() if other.id != pack.id]
    return brought(pack, others, played=pack.id in table.packs)


def brought(pack: Pack, others: Iterable[Pack], *, played: bool) -> list[Draft]:
    """The events that bring a pack, and let the campaign play it. Refused where its id is another's, or where it needs
    what the campaign does not play."""
    if pack.id in pack_ids():
        raise Refused(
            "id_taken",
            f"This server has a pack {pack.id!r} of its own.",
            field="files",
            value=pack.id,
            right="another `id` in pack.yaml",
        )
    missing = unmet([*others, pack])
    if missing:
        raise Refused("pack_needs", " ".join(missing), field="files", value=pack.id, right="add what it needs first")
    about = {"pack": pack.id, "title": pack.manifest.title, "version": pack.version, "digest": pack.digest}
    files = {name: data.decode() for name, data in pack.source.files.items()}
    drafts = [Draft(PackBrought(**about, files=files), audience=GM_ONLY)]
    return drafts if played else [*drafts, Draft(PackAdded(**about))]


def _refuse_same_version(packs: Packs, pack: Pack) -> None:
    """What was rolled says by which version: two contents of one would leave that open."""
    if pack.id in packs.ids():
        now = packs.plain(pack.id)
        if now.version == pack.version and now.digest != pack.digest:
            message = f"{pack.id} {pack.version} is played already, and says something else."
            raise Refused(
                "version_taken", message, field="files", value=pack.version, right="a higher `version` in pack.yaml"
            )


def _refuse_too_many(packs: PacksState, pack: Pack) -> None:
    """A campaign keeps what it was ever played by, within bounds."""
    if pack.id not in packs.own and len(packs.own) >= MOST_OWN:
        message = "The campaign has packs enough of its own."
        raise Refused("too_many", message, field="files", value=len(packs.own), right=f"at most {MOST_OWN}")
    kept = sum(len(own.digests) for own in packs.own.values())
    if kept >= MOST_VERSIONS:
        message = "The campaign keeps versions enough of its own packs."
        raise Refused("too_many", message, field="files", value=kept, right=f"at most {MOST_VERSIONS}")
