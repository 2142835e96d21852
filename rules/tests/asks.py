"""The verb `ask`: a choice in the middle of a test. A run without the answer stops and says what it waits for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from rules.formulas import Formula
from rules.formulas.types import CELL, Bool, Int, List, Role, Text, Type
from rules.packs.schema import Step
from rules.packs.values import NONE, Misfit, fit_place
from rules.packs.wording import titled
from rules.problems import GivenError, nearest
from rules.sheets.sheet import Sheet
from rules.tests.flow import AskInfo, Closure, Flow, Path
from rules.tests.fuse import Piece, plain
from rules.tests.result import Ask, Option
from rules.tests.runtime import Runtime
from rules.tests.texts import Template, template
from rules.tests.trace import TraceStep

WHO = ("roller", "gm", "asker", "other")


def build_ask(flow: Flow, step: Step, path: Path) -> Closure | None:
    assert step.ask is not None
    who = checked_who(flow, step, path)
    asked = who_asked(flow, who)
    shape = shape_of(flow, step, path)
    if shape is None:
        return None
    kind, type_, make = shape
    name, title = step.ask, step.title or step.ask.replace("_", " ")
    words = asked_words(flow, title, (*path, "title"))
    flow.define(name, type_, (*path, "ask"), step.seen or "all")
    note_ask(flow, name, who, kind, title, step)

    def ask(rt: Runtime) -> None:
        key = rt.prefix + name
        wanted = make(rt, key, asked(rt), words(rt.frame))
        answers = rt.frame.get("user" if wanted.who == "roller" else wanted.who)
        if isinstance(answers, Sheet):
            wanted = replace(wanted, subject=answers.id)
        answer = checked_answer(wanted, rt.answer(key, wanted))
        rt.used[key] = answer
        rt.frame[name] = met(rt, wanted, answer)
        if rt.trace is not None:
            rt.trace.append(
                TraceStep(kind="ask", name=name, value=written(answer), seen=step.seen or "all", depth=rt.depth)
            )

    return plain(ask)


def asked_words(flow: Flow, title: str, path: Path) -> Template:
    """A question with what stands in its braces; the whole table reads it."""
    words, level = template(flow, title, path)
    if level != "all":
        flow.report(path, f"everybody at the table reads a question: what only {level} may see cannot stand in it")
    return words


def met(rt: Runtime, ask: Ask, answer: Any) -> Any:
    """An answer as formulas read it: subjects as their sheets."""
    if ask.kind == "subject":
        return rt.board.sheet(answer)
    if ask.kind == "subjects":
        return [rt.board.sheet(name) for name in answer]
    return answer


def written(answer: Any) -> Any:
    """An answer as the trace shows it."""
    if isinstance(answer, dict):
        return answer.get("where") or f"{answer['x']}, {answer['y']}"
    return answer


def build_otherwise(flow: Flow, step: Step, path: Path) -> Closure | None:
    """What stands in for the answer where the question does not come up."""
    assert step.ask is not None
    if step.otherwise is None:
        flow.report(path, "an ask under a condition needs `otherwise`, the value when it is not asked")
        return None
    found = flow.formula(step.otherwise, (*path, "otherwise"))
    if found is None:
        return None
    kind: Type = Bool() if isinstance(found.type, Bool) else found.type
    check_otherwise(flow, step, kind, (*path, "otherwise"))
    flow.define(step.ask, kind, (*path, "otherwise"), flow.audience_of(step, found))
    name, run = step.ask, found.run

    def otherwise(rt: Runtime) -> None:
        rt.frame[name] = run(rt.frame)

    return Piece(otherwise, lambda code: [code.assign(name, found.node)])


def words_of(options: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Each option with what it is called: its title, or its own words."""
    return dict(options) if isinstance(options, Mapping) else {word: word.replace("_", " ") for word in options}


def check_otherwise(flow: Flow, step: Step, kind: Type, path: Path) -> None:
    """What stands in is one of the options, or `none`."""
    if step.options is None or not isinstance(kind, Text):
        return
    strange = (kind.options or frozenset({"(free text)"})) - {*step.options, NONE}
    if strange:
        name = sorted(strange)[0]
        flow.report(path, f"{name!r} is none of the options, nor 'none'", nearest(name, step.options))


def checked_who(flow: Flow, step: Step, path: Path) -> str:
    """Whose choice: one of WHO, a role, or a value that names one of these."""
    who = step.who or "roller"
    subjects = (name for name, kind in flow.scope.names.items() if isinstance(kind, Role))
    known = (*WHO, *flow.shared.roles, *subjects)
    kind = flow.scope.names.get(who)
    if who not in known and not (isinstance(kind, Text) and kind.options is not None and kind.options <= {*known}):
        flow.report((*path, "who"), f"nobody here is called {who!r}; known: {', '.join(known)}", nearest(who, known))
    return who


def who_asked(flow: Flow, who: str) -> Callable[[Runtime], str]:
    """Whose choice it is in a run."""
    if who in (*WHO, *flow.shared.roles):
        return lambda rt: who

    def named(rt: Runtime) -> str:
        found = rt.frame[who]
        return who if isinstance(found, Sheet) else str(found)

    return named


def note_ask(flow: Flow, name: str, who: str, kind: str, title: str, step: Step) -> None:
    flow.shared.asks[name] = AskInfo(name, who, kind, title, tuple(step.options or ()))


Make = Callable[[Runtime, str, str, str], Ask]


def shape_of(flow: Flow, step: Step, path: Path) -> tuple[str, Type, Make] | None:
    """The kind of answer, its type, and a function that makes the question."""
    if step.options is None and step.card is None and (step.first is not None or step.beside is not None):
        word = "first" if step.first is not None else "beside"
        flow.report((*path, word), f"`{word}` goes with `options` or `card`")
        return None
    if step.options is not None:
        return names_shape(flow, step, path, words_of(step.options))
    if step.card is not None:
        cards = flow.shared.builder.source.sections["cards"].get(step.card)
        if not cards:
            known = flow.shared.builder.words.cards
            flow.report((*path, "card"), f"no card type is called {step.card!r}", nearest(step.card, known))
            return None
        flow.shared.builder.words.used.add(step.card)
        return names_shape(flow, step, path, {card: found.title for card, found in cards.items()}, step.card)
    if step.flag:
        return "flag", Bool(), lambda rt, key, who, title: Ask(id=key, who=who, kind="flag", title=title)
    if step.roll_of is not None:
        return die_shape(flow, step, path)
    if step.among is not None:
        return subjects_shape(flow, step, path)
    if step.cell:
        return "place", CELL, lambda rt, key, who, title: Ask(id=key, who=who, kind="place", title=title)
    if step.min is not None and step.max is not None:
        return number_shape(flow, step, path)
    flow.report(path, "an ask needs `options`, `card`, `flag`, `roll_of`, `among`, `cell`, or `min` and `max`")
    return None


def names_shape(
    flow: Flow, step: Step, path: Path, titles: dict[str, str], card: str | None = None
) -> tuple[str, Type, Make] | None:
    kind = Text(frozenset(titles), card)
    where: Formula | None = None
    if step.where is not None:
        inner = flow.fork()
        inner.scope.names["option"] = kind
        where = inner.condition(step.where, (*path, "where"))
        if where is None:
            return None

    first, beside = words_of_options(flow, step, path, kind)

    def make(rt: Runtime, key: str, who: str, title: str) -> Ask:
        options = [Option(word, text) for word, text in titles.items() if where is None or fits(rt, where, word)]
        if first is not None or beside is not None:
            options = [noted(rt, one, first, beside) for one in options]
            options.sort(key=lambda one: not one.first)
        return Ask(id=key, who=who, kind="name", title=title, options=options)

    return "name", kind, make


def words_of_options(
    flow: Flow, step: Step, path: Path, kind: Text
) -> tuple[Formula | None, Callable[[dict[str, Any]], str] | None]:
    """Which options stand first, and what is said behind each: whoever may answer reads it."""
    if step.first is None and step.beside is None:
        return None, None
    inner = flow.fork()
    inner.scope.names["option"] = kind
    first = None if step.first is None else inner.condition(step.first, (*path, "first"))
    if step.beside is None:
        return first, None
    beside, level = template(inner, step.beside, (*path, "beside"))
    if level != "all":
        flow.report((*path, "beside"), f"it may be read at the table: what only {level} may see cannot stand in it")
    return first, beside


def noted(rt: Runtime, one: Option, first: Formula | None, beside: Callable[[dict[str, Any]], str] | None) -> Option:
    rt.frame["option"] = one.id
    note = "" if beside is None else beside(rt.frame)
    return replace(one, note=note, first=first is not None and bool(first.run(rt.frame)))


def fits(rt: Runtime, where: Formula, word: str) -> bool:
    rt.frame["option"] = word
    return bool(where.run(rt.frame))


def die_shape(flow: Flow, step: Step, path: Path) -> tuple[str, Type, Make] | None:
    """One die of a roll, by its place from 1."""
    roll = step.roll_of or ""
    if roll not in flow.rolls:
        flow.report((*path, "roll_of"), f"no roll is called {roll!r} here", nearest(roll, flow.rolls))
        return None
    flow.rolls[roll].ordered = flow.rolls[roll].seen_later = flow.rolls[roll].read_later = True
    where = None
    if step.where is not None:
        from rules.tests.verbs_dice import die_condition

        where = die_condition(flow, step.where, (*path, "where"))

    def make(rt: Runtime, key: str, who: str, title: str) -> Ask:
        dice = rt.frame[roll].every
        options = [
            Option(str(at + 1), f"d{d['sides']}: {d['face']}")
            for at, d in enumerate(dice)
            if d["kept"] and (where is None or where(rt, d))
        ]
        return Ask(id=key, who=who, kind="die", title=title, options=options, roll=roll, dice=rt.frame[roll].seen())

    return "die", Int(1), make


def number_shape(flow: Flow, step: Step, path: Path) -> tuple[str, Type, Make] | None:
    assert step.min is not None and step.max is not None
    low = flow.of_type(step.min, Int(), (*path, "min"))
    high = flow.of_type(step.max, Int(), (*path, "max"))
    if low is None or high is None:
        return None
    lowest, highest = low.type, high.type
    kind = Int(lowest.low if isinstance(lowest, Int) else None, highest.high if isinstance(highest, Int) else None)

    def make(rt: Runtime, key: str, who: str, title: str) -> Ask:
        return Ask(id=key, who=who, kind="int", title=title, min=low.run(rt.frame), max=high.run(rt.frame))

    return "int", kind, make


def subjects_shape(flow: Flow, step: Step, path: Path) -> tuple[str, Type, Make] | None:
    """One of several subjects, or, with `min` and `max`, so many of them."""
    assert step.among is not None
    among = flow.formula(step.among, (*path, "among"))
    if among is None:
        return None
    if not (isinstance(among.type, List) and isinstance(among.type.of, Role)):
        flow.report((*path, "among"), f"a list of subjects is wanted here, not {among.type.show()}")
        return None
    many = step.min is not None or step.max is not None
    low = flow.of_type(step.min if step.min is not None else 0, Int(), (*path, "min"))
    high = flow.of_type(step.max if step.max is not None else 100, Int(), (*path, "max"))
    if low is None or high is None:
        return None
    kind = "subjects" if many else "subject"

    def make(rt: Runtime, key: str, who: str, title: str) -> Ask:
        options = [Option(sheet.id, sheet["title"]) for sheet in among.run(rt.frame)]
        most = min(high.run(rt.frame), len(options)) if many else None
        least = min(low.run(rt.frame), len(options)) if many else None
        return Ask(id=key, who=who, kind=kind, title=title, options=options, min=least, max=most)  # type: ignore[arg-type]

    return kind, among.type if many else among.type.of, make


def misfit(ask: Ask, message: str, suggestion: str = "") -> GivenError:
    """An answer that does not fit, said by the title of what was asked."""
    return GivenError(ask.id, message, suggestion, said=f"{ask.title or titled(ask.id)}: {message}.")


def offered(ask: Ask) -> str:
    """That none of what is offered was answered, by its titles; of people nobody is named, for some may be unseen."""
    if ask.kind in ("subject", "subjects"):
        return "one of those who can be chosen is wanted"
    titles = ", ".join(option.title or titled(option.id) for option in ask.options)
    return f"one of {titles} is wanted" if titles else "nothing can be chosen"


def checked_subjects(ask: Ask, answer: Any) -> list[str]:
    """Several of those offered, nobody twice."""
    known = [option.id for option in ask.options]
    if not isinstance(answer, list) or len(set(map(str, answer))) != len(answer):
        raise misfit(ask, "a list is wanted, nobody in it twice")
    for name in answer:
        if name not in known:
            raise misfit(ask, offered(ask), nearest(str(name), known))
    assert ask.min is not None and ask.max is not None
    if not ask.min <= len(answer) <= ask.max:
        raise misfit(ask, f"from {ask.min} to {ask.max} are wanted, not {len(answer)}")
    return answer


def checked_place(ask: Ask, answer: Any) -> Any:
    try:
        return fit_place(answer)
    except Misfit as exc:
        raise misfit(ask, exc.message, exc.suggestion) from None


def checked_flag(ask: Ask, answer: Any) -> bool:
    if not isinstance(answer, bool):
        raise misfit(ask, "yes or no is wanted")
    return answer


CHECKS: dict[str, Callable[[Ask, Any], Any]] = {
    "flag": checked_flag,
    "subjects": checked_subjects,
    "place": checked_place,
}


def checked_answer(ask: Ask, answer: Any) -> Any:
    """The answer as the test uses it; GivenError when it is none of those offered."""
    if ask.kind in CHECKS:
        return CHECKS[ask.kind](ask, answer)
    if ask.kind in ("name", "subject"):
        known = [option.id for option in ask.options]
        if answer not in known:
            raise misfit(ask, offered(ask), nearest(str(answer), known))
        return answer
    if isinstance(answer, bool) or not isinstance(answer, int):
        raise misfit(ask, "a whole number is wanted")
    if ask.kind == "die":
        if str(answer) not in [option.id for option in ask.options]:
            raise misfit(ask, f"die {answer} cannot be chosen")
    elif not (ask.min is not None and ask.max is not None and ask.min <= answer <= ask.max):
        raise misfit(ask, f"{answer} is not from {ask.min} to {ask.max}")
    return answer
