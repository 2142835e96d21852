"""Calling for a test, agreeing to it, rolling it and making its choices."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from campaigns.answering import seated_of
from campaigns.commands.containers import known_container
from campaigns.commands.publishing import is_published, published
from campaigns.commands.seats import seated
from campaigns.commands.subjects import known
from campaigns.commands.texts import SENTENCE, cleaned
from campaigns.context import Context
from campaigns.events import GM, TABLE, Draft
from campaigns.instants import Moment, brought
from campaigns.modes import check_mode
from campaigns.parts import calls as c
from campaigns.parts.affiliations import Affiliations, players_for
from campaigns.parts.calls import audience_of, holders_of
from campaigns.parts.containers import ContainerRolled, Containers
from campaigns.parts.sheets import known_to
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table
from campaigns.registry import Command, after_tests, call_checks, decides, holds_subject, roll_checks
from campaigns.rolling import (
    Rolled,
    advance,
    asked_of_gm,
    check_allowed,
    check_given,
    inputs_by_audience,
    is_gone,
    with_given,
    with_rollers,
)
from campaigns.state import State
from rules.packs import Pack
from rules.problems import RulesError
from rules.refusal import Refused
from rules.tests.program import Program

MOST_OPEN = 200


class CallTest(Command):
    """Calls for a test. ``roles`` maps the roles of the test to subjects, ``given`` its inputs to values.

    ``roller`` names the member who rolls where the GM wants one person; ``secret`` (GM) keeps it between the GM and
    the players of its subjects. ``anyway`` (GM): though the mode of play bars it.
    """

    pack: str
    test: str
    roles: dict[str, str]
    given: dict[str, Any] = {}
    decision: str = ""
    secret: bool = False
    roller: str = ""
    container: str = ""
    anyway: bool = False


class AgreeTest(Command):
    """The GM agrees to a test that a player called for about somebody else's subject, or that hangs on what is the GM's
    to say; ``given`` are the inputs that they give."""

    call: str
    given: dict[str, Any] = {}


class AssignRoller(Command):
    """The GM names the member who rolls."""

    call: str
    member: str


class DropTest(Command):
    """Gives a call up before the first die."""

    call: str


class WordTest(Command):
    """Puts into words how the outcome of a finished test shows; ``entry`` is the cursor of its outcome."""

    entry: str
    words: str


class RollTest(Command):
    """Rolls. ``choices`` answer what the test asks, by id; ``faces`` are dice thrown at the table, where allowed;
    ``given`` are inputs that the roller gives, before the first die."""

    call: str
    choices: dict[str, Any] = {}
    faces: tuple[int, ...] = ()
    given: dict[str, Any] = {}


class DoTest(Command):
    """Does at once what decides nothing: an act, such as resting or taking a thing. ``roles``, ``given`` and ``anyway``
    as for a call. It stays open where it asks for a choice, or waits for the GM."""

    pack: str
    test: str
    roles: dict[str, str]
    given: dict[str, Any] = {}
    secret: bool = False
    container: str = ""
    anyway: bool = False


def known_call(state: State, call: str, context: Context) -> c.Call:
    """The open call, if it exists for the sender."""
    found = state.part(c.Calls).open.get(call)
    hidden = found is not None and found.secret and not (context.is_gm or _holds(state, found, context.member))
    if found is None or hidden:
        raise Refused("not_open", "This test is closed, or never was.", field="call", value=call, right="an open test")
    return found


def _holds(state: State, call: c.Call, member: str) -> bool:
    return any(member in players_for(state, subject) for subject in call.roles.values())


@decides(CallTest, "test.call", roles=["gm", "player"], title="Calling for a test")
def call_test(state: State, command: CallTest, context: Context) -> list[Draft]:
    """A player's call about another's subject waits for the GM (SPI-006), and one that hangs on what the GM says."""
    if len(state.part(c.Calls).open) >= MOST_OPEN:
        raise Refused("too_many", "Too many tests are open.", field="test", right="roll or drop some first")
    pack = context.packs.get(command.pack)
    program = program_of(pack, command.test)
    seat = "gm" if context.is_gm else "player"
    if seat not in program.spec.called_by:
        right = " or ".join(program.spec.called_by)
        raise Refused("not_allowed", f"{program.spec.title} is not yours to call for.", field="test", right=right)
    if program.spec.decision == "required" and not command.decision.strip():
        message = "Name the decision at stake before anything is rolled."
        raise Refused("name_the_decision_first", message, field="decision", right="a sentence")
    roles = _roles(state, program.spec.roles, command.roles, context)
    hidden = bool(command.container) and known_container(state, command.container, context).hidden
    hidden |= any(state.part(Subjects).by_id[subject].hidden for subject in roles.values())
    context.require(context.is_gm or not command.secret, "gm_only", "Only the GM calls for secret tests.", right="a GM")
    check_mode(state, pack, command.test, roles, context, anyway=command.anyway)
    by_audience = inputs_by_audience(program, command.given, seat)
    alone = _mine(state, roles, context) and not asked_of_gm(program, command.given)
    call = c.Call(
        pack=pack.id,
        test=command.test,
        title=program.spec.title,
        roles=roles,
        given={**by_audience["all"], **by_audience["holders"], **by_audience["gm"]},
        decision=cleaned("decision", command.decision, SENTENCE, empty=True),
        secret=command.secret or hidden,
        asker=context.member,
        rollers=_rollers(state, program.spec.rolled_by, roles, command.roller, command.container, context),
        container=command.container,
        state="open" if context.is_gm or alone else "awaiting_gm",
        position=0,
    )
    for check in call_checks():
        check(state, pack, call, context)
    call.title = check_given(state, pack, call)
    if by_audience["gm"]:  # whoever rolls is not to be told that something hidden is not allowed
        check_allowed(state, pack, call)
    event = c.TestCalled(
        call=context.new_id(),
        pack=pack.id,
        test=call.test,
        title=call.title,
        roles=roles,
        decision=call.decision,
        secret=call.secret,
        asker=call.asker,
        rollers=tuple(call.rollers),
        container=call.container,
        state=call.state,
        given=by_audience["all"],
        given_holders=by_audience["holders"],
        given_gm=by_audience["gm"],
        order=tuple(roles),
    )
    return [Draft(event, audience=audience_of(call), holders=holders_of(call))]


def program_of(pack: Pack, test: str) -> Program:
    """A test of a pack; refused, with the nearest name, where there is none."""
    try:
        return pack.test(test)
    except RulesError as error:
        raise Refused(error.code, error.message, field="test", value=test, right=error.right) from None


def _mine(state: State, roles: dict[str, str], context: Context) -> bool:
    main = next(iter(roles.values()), "")
    return not main or main in state.part(Subjects).played_by(context.member)


def _roles(state: State, specs: Any, roles: dict[str, str], context: Context) -> dict[str, str]:
    for name in roles:
        if name not in specs:
            right = "one of " + ", ".join(specs) if specs else "none"
            raise Refused("unknown_role", "The test has no such role.", field="roles", value=name, right=right)
    for name, spec in specs.items():
        if name not in roles:
            raise Refused(
                "missing", "Somebody must take this role.", field=f"roles.{name}", right="the id of a subject"
            )
        kind = known(state, roles[name], context, f"roles.{name}").kind
        if kind not in spec.kinds:
            right = " or ".join(spec.kinds)
            raise Refused(
                "wrong_kind", f"A {kind} cannot take this role.", field=f"roles.{name}", value=kind, right=right
            )
    return {name: roles[name] for name in specs}


def _acting(state: State, subject: str, container: str) -> list[str]:
    """The players of a subject. Of a body that nobody plays, the player of the one who leads the container for it;
    where none or several do, nobody before the GM names one of its members' players (SPI-008)."""
    own = list(state.part(Subjects).by_id[subject].players)
    if own:
        return own
    found, subjects = state.part(Containers).open.get(container), state.part(Subjects).by_id
    members = state.part(Affiliations).members_of(subject)
    leading = [i for i in (found.leaders if found else ()) if i in members and i in subjects]
    players = [player for i in leading for player in subjects[i].players]
    everybody = players_for(state, subject)
    return players if len(leading) == 1 and players else everybody if len(everybody) == 1 else []


def _rollers(
    state: State, rolled_by: str, roles: dict[str, str], roller: str, container: str, context: Context
) -> list[str]:
    """The members who may roll; empty where it is the GM's to roll or to name somebody (SPI-007, 008)."""
    if roller:
        context.require(context.is_gm, "gm_only", "Only the GM names who rolls.", right="a GM")
        seated(state, roller, "roller")
        return [roller]
    main = next(iter(roles.values()), "")
    if rolled_by in ("owner", "owner_or_gm") and main:
        return _acting(state, main, container)
    if rolled_by == "sides":
        return list(dict.fromkeys(player for one in roles.values() for player in _acting(state, one, container)))
    if rolled_by in ("owner", "owner_or_gm", "anyone"):
        return [context.member] if context.member else []
    return []


@holds_subject
def _in_tests(state: State, subject: str, gm: bool) -> list[str]:
    """The tests that wait and that a subject has a role in; of a secret one its players need not know."""
    every = state.part(c.Calls).open.values()
    return [call.title for call in every if subject in call.roles.values() and (gm or not call.secret)]


@decides(AgreeTest, "test.agree", roles=["gm"], title="Agreeing to a test")
def agree(state: State, command: AgreeTest, context: Context) -> list[Draft]:
    """Agreeing twice does nothing. What the GM leaves out stands at its default; what has none is to be given."""
    call = known_call(state, command.call, context)
    if call.state != "awaiting_gm":
        return []
    pack = context.packs.get(call.pack)
    by_audience = inputs_by_audience(program_of(pack, call.test), command.given, "gm")
    event = c.TestAgreed(
        call=command.call,
        title=check_given(state, pack, replace(call, state="open", given={**call.given, **command.given})),
        given=by_audience["all"],
        given_holders=by_audience["holders"],
        given_gm=by_audience["gm"],
    )
    return [Draft(event, audience=audience_of(call), holders=holders_of(call))]


@decides(AssignRoller, "test.assign", roles=["gm"], title="Naming who rolls")
def assign(state: State, command: AssignRoller, context: Context) -> list[Draft]:
    """Before the first die; one member rolls from then on."""
    call = known_call(state, command.call, context)
    _not_rolled(call)
    seated(state, command.member)
    event = c.TestAssigned(call=command.call, roller=command.member)
    return [Draft(event, audience=audience_of(call), holders=holders_of(call))]


def _not_rolled(call: c.Call) -> None:
    if call.faces:
        raise Refused("already_rolled", "The first die has fallen.", field="call", right="finish the test")


@decides(DropTest, "test.drop", roles=["gm", "player"], title="Dropping a test")
def drop(state: State, command: DropTest, context: Context) -> list[Draft]:
    """By its asker, the players of its subject, or a GM; not after the first die (SPI-006), unless the rules have no
    such test any more. A player who drops what a GM called is named to the GMs (SPI-006)."""
    call = known_call(state, command.call, context)
    allowed = context.is_gm or context.member == call.asker or context.member in call.rollers
    context.require(allowed, "not_yours", "This test is not yours to drop.", right="its asker, its roller or a GM")
    if not is_gone(state, call):
        _not_rolled(call)
    by = context.member if called_by_gm(state, call) and not context.is_gm else ""
    event = c.TestDropped(call=command.call, by=by, title=call.title)
    return [Draft(event, audience=audience_of(call), holders=holders_of(call))]


def called_by_gm(state: State, call: c.Call) -> bool:
    """Whether a GM asked for a test."""
    asker = state.part(Table).members.get(call.asker)
    return asker is not None and asker.role == GM


@decides(RollTest, "test.roll", roles=["gm", "player"], title="Rolling a test")
def roll(state: State, command: RollTest, context: Context) -> list[Draft]:
    """Runs the test with what is known; dice fall until it is over or waits for somebody's choice."""
    call = known_call(state, command.call, context)
    if call.state == "awaiting_gm":
        raise Refused("awaiting_gm", "The GM has not agreed to this test yet.", field="call", right="wait for the GM")
    if any(state.part(Subjects).by_id[subject].away for subject in call.roles.values()):
        right = "bring them back first"
        raise Refused("put_away", "Somebody in it was put away.", field="call", value=command.call, right=right)
    _may_roll(state, call, context)
    for check in roll_checks:
        check(state, command.call, call, context)
    pack = context.packs.get(call.pack)
    program_of(pack, call.test)
    call = with_rollers(state, pack, with_given(state, pack, command.call, call), command.given)
    rolled = advance(state, pack, call, command.choices, command.faces, context)
    first = [] if rolled.pending else _first_of_container(state, call)
    # What was rolled leads: an act reads by its first entry.
    return [*_told(state, command.call, call, rolled, context), *first]


@decides(DoTest, "test.do", roles=["gm", "player"], title="Doing something")
def do(state: State, command: DoTest, context: Context) -> list[Draft]:
    """A call and its only step, in one action. What comes to an outcome by dice is called for, then rolled."""
    pack = context.packs.get(command.pack)
    if program_of(pack, command.test).offered == "test":
        right = "a call for it, and then its roll"
        raise Refused("not_an_act", "This is a test: it is not done at once.", field="test", right=right)
    asked = CallTest(
        pack=command.pack,
        test=command.test,
        roles=command.roles,
        given=command.given,
        secret=command.secret,
        container=command.container,
        anyway=command.anyway,
    )
    drafts = call_test(state, asked, context)
    called = drafts[0].event
    assert isinstance(called, c.TestCalled)
    if called.state != "open":
        return drafts
    call = with_given(state, pack, called.call, c.opened(called, 0))
    if not context.is_gm:  # who runs the game does for anybody what is no roll
        _may_roll(state, call, context)
    for check in roll_checks:
        check(state, called.call, call, context)
    rolled = advance(state, pack, call, {}, (), context)
    first = [] if rolled.pending else _first_of_container(state, call)
    if not rolled.pending:
        drafts = [Draft(replace(called, quiet=True), audience=drafts[0].audience, holders=drafts[0].holders)]
    return [*drafts, *first, *_told(state, called.call, call, rolled, context)]


def _may_roll(state: State, call: c.Call, context: Context) -> None:
    """The roller alone rolls; a waiting choice is answered by whom it is put to."""
    due = seated_of(state, call.ask_of if call.state == "rolling" else call.rollers)
    if due:
        names = " or ".join(state.part(Table).members[m].name for m in due)
        context.require(context.member in due, "not_your_roll", "This roll is another's.", right=names or "its roller")
    else:
        program = context.packs.get(call.pack).test(call.test)
        waits = call.state == "rolling"
        owners = program.spec.rolled_by == "owner" and not waits
        message = "This waits for the GM's word." if waits else "A player rolls this."
        right = "a GM's answer" if waits else "a GM names who rolls first"
        context.require(context.is_gm and not owners, "not_your_roll", message, right=right)


def _first_of_container(state: State, call: c.Call) -> list[Draft]:
    container = state.part(Containers).open.get(call.container)
    if container is None or container.rolled:
        return []
    # Its name is told to those who know of it; a test in a hidden one may be told to more.
    rolled = ContainerRolled(container=call.container, title="" if container.hidden else container.title)
    return [Draft(rolled, audience=audience_of(call), holders=holders_of(call))]


def _told(state: State, call_id: str, call: c.Call, rolled: Rolled, context: Context) -> list[Draft]:
    """The events of one advance: waiting for a choice, or resolved with what follows."""
    audience, holders = audience_of(call), holders_of(call)
    thrower = call.thrower or (context.member if rolled.faces else "")
    if rolled.pending is not None:
        waits = c.TestAdvanced(
            call=call_id,
            faces=rolled.faces,
            choices=rolled.choices,
            ask=rolled.pending,
            ask_of=tuple(rolled.pending_of),
            subjects=rolled.subjects,
            given=call.given,
            thrower=thrower,
            **rolled.shown,
        )
        return [Draft(waits, audience=audience, holders=holders, dice=rolled.draws, cause=call.position or None)]
    done = c.TestResolved(
        call=call_id,
        pack=call.pack,
        test=call.test,
        title=call.title,
        roles=call.roles,
        decision=call.decision,
        container=call.container,
        outcome=rolled.outcome,
        outcome_title=rolled.outcome_title,
        success=rolled.success,
        faces=rolled.faces,
        choices=rolled.choices,
        order=tuple(call.roles),
        thrower=thrower,
        **rolled.facts,
        **rolled.shown,
    )
    drafts = [Draft(done, audience=audience, holders=holders, dice=rolled.draws, cause=call.position or None)]
    # What comes of a secret test keeps to those who know of it.
    subjects = state.part(Subjects).by_id
    drafts += [
        Draft(
            e if subjects[h[0]].hidden else known_to(e, audience),
            audience=audience if a == TABLE else a,
            holders=h,
            cause=call.position or None,
        )
        for e, a, h in rolled.effects
    ]
    drafts += _elsewhere(state, call, rolled, context, drafts)
    drafts += [draft for follow in after_tests for draft in follow(state, call, done, context)]
    if not call.secret and is_published(state, call.container):
        told = published(state, done, holders_of(call), call.position or None)
        drafts.append(told)
    return drafts


def _elsewhere(state: State, call: c.Call, rolled: Rolled, context: Context, before: list[Draft]) -> list[Draft]:
    """The instants that a test brought about come to everybody else too."""
    pack, others = context.packs.get(call.pack), frozenset(state.part(Subjects).by_id) - {*call.roles.values()}
    words = "" if call.secret else call.title
    moments = [Moment(at=at, words=words, whose=whose, reached=others, pack=pack.id) for at, whose in rolled.passed]
    return [draft for drafts in brought(state, moments, context, before=before) for draft in drafts]


@decides(WordTest, "test.word", roles=["gm", "player"], title="Wording an outcome")
def word(state: State, command: WordTest, context: Context) -> list[Draft]:
    """The outcome fixes what follows; how it looks is for its holder's player to say, and nobody else (SPI-020)."""
    done = context.action_of(command.entry).named
    if not isinstance(done.event, c.TestResolved):
        raise Refused("not_an_outcome", "This entry is no test's outcome.", field="entry", value=command.entry)
    main = next(iter(c.in_order(done.event.roles, done.event.order).values()), "")
    subject = state.part(Subjects).by_id.get(main)
    allowed = subject is not None and (context.member in subject.players or (context.is_gm and not subject.players))
    context.require(allowed, "player_decides_how", "Its player says how it shows.", right="the holder's player")
    event = c.TestWorded(call=done.event.call, subject=main, words=cleaned("words", command.words, SENTENCE))
    return [Draft(event, audience=done.audience, holders=done.holders, cause=done.position)]
