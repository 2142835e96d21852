"""Starting a campaign, renaming it, its settings, and asking for its end."""

from __future__ import annotations

from collections.abc import Callable

from campaigns.commands.own_packs import brought
from campaigns.commands.texts import cleaned
from campaigns.context import Context
from campaigns.events import ALL, Draft
from campaigns.packs import pinned
from campaigns.parts import table as t
from campaigns.parts.seeds import Seeds, commit_draft
from campaigns.registry import Command, decides, readies
from campaigns.rule_files import whole_pack
from campaigns.state import State
from rules.problems import RulesError, nearest
from rules.refusal import Refused

# Settings that every campaign has, with their defaults; packs bring more.
SETTINGS: dict[str, bool | int | str] = {"publish_tests": False, "publish_seasons": False, "typed_dice": False}


class StartCampaign(Command):
    """Begins a campaign; the sender becomes its owner and first GM. ``packs``: id -> version, empty for the newest;
    ``files`` are those of a pack of one's own, name -> YAML text."""

    name: str
    owner_name: str
    packs: dict[str, str] = {}
    files: dict[str, str] = {}


class RenameCampaign(Command):
    """Gives the campaign another name."""

    name: str


class ChangeSetting(Command):
    """Gives a setting of the campaign another value."""

    setting: str
    value: bool | int | str


class AskErasure(Command):
    """The owner wants the campaign erased after its days of grace; ``name`` repeats the campaign's name."""

    name: str


class WithdrawErasure(Command):
    """The owner wants the campaign to stay after all."""


@readies(StartCampaign)
def compile_own(_state: State, command: StartCampaign) -> Callable[[], object]:
    """The pack that the table brings along."""
    return whole_pack(command.files) if command.files else lambda: None


@decides(StartCampaign, "campaign.start", roles=["stranger"], title="Starting a campaign")
def start(state: State, command: StartCampaign, context: Context) -> list[Draft]:
    """Promises the table's, the GM's and the owner's dice seeds along with the first seat."""
    if state.part(t.Table).owner:
        raise Refused("already_started", "This campaign has begun already.", field="campaign")
    member = context.new_id()
    assert context.actor.user is not None
    context.member = member
    packs = pinned(command.packs)
    own = brought(whole_pack(command.files)(), packs.values(), played=False) if command.files else []
    started = t.CampaignStarted(
        name=cleaned("name", command.name),
        packs={pack_id: pack.version for pack_id, pack in packs.items()},
        digests={pack_id: pack.digest for pack_id, pack in packs.items()},
    )
    joined = t.MemberJoined(
        member=member, user=context.actor.user, name=cleaned("owner_name", command.owner_name), role="gm"
    )
    return [
        Draft(started, audience=ALL),
        Draft(joined),
        *own,
        *(seed_draft(state, a, context) for a in ("table", "gm", f"member:{member}")),
    ]


def seed_draft(state: State, audience: str, context: Context) -> Draft:
    """The draft that promises the next seed of an audience."""
    number = state.part(Seeds).last.get(audience, 0) + 1
    return commit_draft(audience, number, context.make_seed(audience, number))


@decides(RenameCampaign, "campaign.rename", roles=["gm"], title="Renaming the campaign")
def rename(state: State, command: RenameCampaign, _context: Context) -> list[Draft]:
    """Nothing happens where the name stays the same."""
    name = cleaned("name", command.name)
    return [] if name == state.part(t.Table).name else [Draft(t.CampaignRenamed(name=name), audience=ALL)]


@decides(ChangeSetting, "setting.change", roles=["gm"], title="Changing a setting")
def change_setting(state: State, command: ChangeSetting, context: Context) -> list[Draft]:
    """Only known settings, only values that fit. A pack's settings are called ``<pack id>/<setting>``."""
    pack_id, slash, name = command.setting.partition("/")
    before = _pack_setting(context, pack_id, name, command) if slash else _own_setting(state, command)
    if before == command.value:
        return []
    return [Draft(t.SettingChanged(setting=command.setting, value=command.value))]


def _own_setting(state: State, command: ChangeSetting) -> bool | int | str:
    default = SETTINGS.get(command.setting)
    if default is None:
        right = nearest(command.setting, SETTINGS) or f"one of {', '.join(sorted(SETTINGS))}, or <pack id>/<setting>"
        message = "There is no such setting."
        raise Refused("unknown_setting", message, field="setting", value=command.setting, right=right)
    if type(command.value) is not type(default):
        right = {bool: "true or false", int: "a whole number", str: "a text"}[type(default)]
        raise Refused("wrong_value", "A setting keeps its type.", field="value", value=command.value, right=right)
    return state.part(t.Table).setting(command.setting, default)


def _pack_setting(context: Context, pack_id: str, name: str, command: ChangeSetting) -> object:
    pack = context.packs.get(pack_id)
    try:
        pack.setting(name)
        pack.with_settings({name: command.value})
    except RulesError as error:
        field = "setting" if error.code == "unknown_setting" else "value"
        raise Refused(error.code, error.message, field=field, value=command.value, right=error.right) from None
    return pack.setting_values[name]


@decides(AskErasure, "campaign.erase", roles=["gm", "player"], title="Erasing the campaign")
def ask_erasure(state: State, command: AskErasure, context: Context) -> list[Draft]:
    """The owner's right alone; the campaign's name, typed again, keeps it apart from leaving."""
    table = state.part(t.Table)
    context.require(context.is_owner, "owner_only", "Only the owner can have the campaign erased.", right="the owner")
    if command.name != table.name:
        raise Refused(
            "name_differs", "That is not the campaign's name.", field="name", value=command.name, right=table.name
        )
    return [] if table.erase_asked_at else [Draft(t.ErasureAsked(asked_at=context.now))]


@decides(WithdrawErasure, "campaign.keep", roles=["gm", "player"], title="Keeping the campaign")
def withdraw_erasure(state: State, _command: WithdrawErasure, context: Context) -> list[Draft]:
    """The owner's right, as long as the grace lasts."""
    context.require(context.is_owner, "owner_only", "Only the owner can take the erasure back.", right="the owner")
    return [Draft(t.ErasureWithdrawn())] if state.part(t.Table).erase_asked_at else []
