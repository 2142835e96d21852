"""The section `pursuits` of a pack: what somebody may set out to do, who agrees, when it gives something, and what."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

import msgspec

from rules.faults import Fault, nearest, repeated

Natural = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Moment = Literal["advance", "stage", "resolve"]


class Pace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way to pace a kind of Pursuits.

    gives    what it takes to be given something: that it advances in earnest, that a stage of it (or all of it) is
             done, or that it is resolved
    remark   how often in one session nothing is said of it; beyond that the GM is told (0: nothing is ever said)
    """

    id: str
    title: str
    gives: Moment
    remark: Natural = 0


class Gift(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is given, called ``title`` ("a Level"): a ``grant`` of the section `advancement`, or a ``test`` of the
    pack (one that asks and rolls nothing), done in its ``role`` by each who is given it. ``inputs`` of the test are
    settled when the Pursuit is written. ``lapses`` is a test, done by each who could have it when a session ends, that
    ends what was not used."""

    title: str
    grant: str = ""
    test: str = ""
    role: str = ""
    inputs: tuple[str, ...] = ()
    lapses: str = ""


class Suggestion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Help for somebody who does not know what to write: for whom, and what they might want."""

    of: str
    text: str


class PursuitKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of Pursuits.

    owner        one subject's own, or the whole party's: all subjects of ``kinds`` that players play
    consent      whose it takes beside the writer's: nobody's, a GM's, or that of each member of the table
    seen         whether others at the table may read it: at once, or only when its player shares it
    open         how many may be open at a time, for each owner (0: any number)
    by_calendar  it takes weeks of the calendar and resolves itself when they are over
    pace         the pace in force, of ``paces``
    without      whether a GM may give the same to one who has none open, with a reason
    stat         a text on the owner's sheet that holds the words of the open one, where only one may be open
    suggestions  help only: any sentence may be written
    """

    id: str
    title: str
    text: str = ""
    owner: Literal["subject", "party"]
    kinds: tuple[str, ...]
    consent: Literal["none", "gm", "everyone"] = "none"
    seen: Literal["table", "holders"] = "table"
    open: Natural = 1
    by_calendar: bool = False
    paces: tuple[Pace, ...]
    pace: str
    gives: Gift
    without: Literal["gm_award", "none_at_all"] = "none_at_all"
    stat: str = ""
    suggestions: tuple[Suggestion, ...] = ()

    def paced(self) -> Pace:
        """The pace in force."""
        return next(pace for pace in self.paces if pace.id == self.pace)


class PursuitRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of it. ``remind_days``: how long a choice that was given and not made waits between two reminders (0: none).

    ``settings`` maps value paths to keys of pack settings (see `rules.bindings`).
    """

    kinds: tuple[PursuitKind, ...]
    remind_days: Natural = 7
    settings: dict[str, str] = {}

    def kind(self, name: str) -> PursuitKind | None:
        """The kind of that id."""
        return next((kind for kind in self.kinds if kind.id == name), None)


def check_pursuits(rules: PursuitRules, kinds: Mapping[str, Any], grants: Collection[str]) -> list[Fault]:
    """What is wrong with the section, given the pack's kinds of subjects and the grants it declares. The tests that it
    names are checked when they are built."""
    faults = [
        Fault(path="kinds", message=f"two kinds are called {name!r}", right="one id for each")
        for name in repeated(kind.id for kind in rules.kinds)
    ]
    for at, kind in enumerate(rules.kinds):
        faults += _check_kind(kind, f"kinds.{at}", kinds, grants)
    return faults


def _check_kind(kind: PursuitKind, path: str, kinds: Mapping[str, Any], grants: Collection[str]) -> list[Fault]:
    faults = [
        Fault(path=f"{path}.kinds.{at}", message=f"no kind of subject is called {name!r}", right=nearest(name, kinds))
        for at, name in enumerate(kind.kinds)
        if name not in kinds
    ]
    if kind.stat:
        faults += _check_stat(kind, path, [kinds[name] for name in kind.kinds if name in kinds])
    paces = [pace.id for pace in kind.paces]
    faults += [
        Fault(path=f"{path}.paces", message=f"two paces are called {name!r}", right="one id for each")
        for name in repeated(paces)
    ]
    if kind.pace not in paces:
        faults.append(Fault(path=f"{path}.pace", message=f"no pace {kind.pace!r}", right=nearest(kind.pace, paces)))
    if bool(kind.gives.grant) == bool(kind.gives.test):
        faults.append(Fault(path=f"{path}.gives", message="it gives one thing", right="a grant or a test"))
    if kind.gives.grant and kind.gives.grant not in grants:
        right = nearest(kind.gives.grant, grants) or "a grant that the section `advancement` declares"
        faults.append(Fault(path=f"{path}.gives.grant", message=f"no grant {kind.gives.grant!r}", right=right))
    if kind.owner == "subject" and kind.consent == "everyone":
        faults.append(
            Fault(path=f"{path}.consent", message="what is one subject's own asks not everyone", right="none or gm")
        )
    if kind.by_calendar and any(pace.gives != "resolve" for pace in kind.paces):
        faults.append(
            Fault(path=f"{path}.paces", message="what the calendar resolves gives when it resolves", right="resolve")
        )
    return faults


def _check_stat(kind: PursuitKind, path: str, found: list[Any]) -> list[Fault]:
    faults = []
    for sheet in found:
        stat = sheet.stats.get(kind.stat)
        if stat is None or stat.type != "text" or stat.formula is not None:
            right = nearest(kind.stat, [name for name, one in sheet.stats.items() if one.type == "text"])
            faults.append(Fault(path=f"{path}.stat", message=f"no text is called {kind.stat!r}", right=right))
    if kind.owner != "subject" or kind.open != 1:
        message = "only what is one subject's own, one at a time, stands on a sheet"
        faults.append(Fault(path=f"{path}.stat", message=message, right="owner: subject and open: 1"))
    return faults


def check_gift(gift: Gift, program: Any) -> list[Fault]:
    """What is wrong with a gift's test, given its program: it has one role, rolls and asks nothing, and every input has
    a default or is settled by the Pursuit."""
    spec = program.spec
    faults = []
    if set(spec.roles) != {gift.role}:
        right = nearest(gift.role, spec.roles) or "a test with one role"
        faults.append(Fault(path="role", message=f"the test is not done by one {gift.role!r}", right=right))
    for at, name in enumerate(gift.inputs):
        if name not in spec.inputs:
            faults.append(
                Fault(path=f"inputs.{at}", message=f"no input is called {name!r}", right=nearest(name, spec.inputs))
            )
    for name, given in spec.inputs.items():
        if name not in gift.inputs and given.default is None and given.type not in ("flag", "list", "modifiers"):
            faults.append(Fault(path="inputs", message=f"nobody gives the input {name!r}", right="name it here"))
    return faults + check_alone(program)


def check_alone(program: Any) -> list[Fault]:
    """Nothing, or that the test cannot be done without somebody's choices."""
    faults = []
    if program.asks:
        faults.append(Fault(path="test", message="the test asks for choices", right="one that asks nothing"))
    return faults
