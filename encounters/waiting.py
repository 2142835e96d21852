"""What a fight waits for: whose answer is due, what is done meanwhile, and how that is said to whom it holds up."""

from __future__ import annotations

from collections.abc import Callable

from encounters.parts.encounters import Encounter
from rules.fight import Fight
from rules.fight.state import Doing, Waiting
from rules.packs import Pack
from rules.refusal import Refused

GM_DUE = ""
"""among those who are due: the game master"""


def due(fight: Fight) -> list[str]:
    """Those whose answer is still due; an empty name is the GM."""
    waiting = fight.waiting
    if waiting is None:
        return []
    ask = waiting.ask
    if ask.kind == "window":
        answered = waiting.choices.get(ask.id, {})
        return [one for one in ask.asked if one not in answered]
    if ask.who == "gm":
        return [GM_DUE]
    return [ask.subject or (waiting.doing.act.user if waiting.doing.act is not None else GM_DUE)]


def can_pass(waiting: Waiting) -> bool:
    """Whether the rest can be let pass: only in a moment that asks several."""
    return waiting.ask.kind == "window"


def can_cancel(waiting: Waiting) -> bool:
    """Whether what waits can be undone before it happened: not what comes with time."""
    return waiting.doing.act is not None


def in_act(doing: Doing) -> list[str]:
    """Who acts, and on whom, each once; nobody where time passes."""
    if doing.act is None:
        return []
    roles = doing.act.roles.values()
    return list(dict.fromkeys([doing.act.user, *(one for r in roles for one in ([r] if isinstance(r, str) else r))]))


def done_meanwhile(pack: Pack, doing: Doing, name: Callable[[str], str]) -> str:
    """Who does what to whom, in a line."""
    act = doing.act
    if act is None:
        return "Time passes"
    others = [name(one) for one in in_act(doing)[1:]]
    at = f" \N{RIGHTWARDS ARROW} {', '.join(others)}" if others else ""
    return f"{name(act.user)}: {pack.action(act.action).spec.title}{at}"


def held_up(
    found: Encounter, pack: Pack, name: Callable[[str], str], sees: Callable[[str], bool], *, is_gm: bool
) -> Refused:
    """The refusal of what cannot be done before somebody has answered: it names whom, about what, and what goes on with
    it. Who sees nothing of what is done learns no more than that now is not the time."""
    waiting = found.fight.waiting
    if waiting is None:
        return Refused("not_now", "This cannot be done just now.", field="waiting")
    act = waiting.doing.act
    whose = due(found.fight)
    seen = [one for one in whose if one == GM_DUE or sees(one)]
    if not is_gm and (not seen or (act is not None and not sees(act.user))):
        return Refused("not_now", "This cannot be done just now.", field="waiting")
    names = " and ".join(name(one) if one else "the game master" for one in seen)
    verb = "has" if len(seen) == 1 else "have"
    what = done_meanwhile(pack, waiting.doing, name)
    about = f"{what}: {waiting.ask.title}" if waiting.ask.title else what
    message = f"First {names} {verb} to answer ({about})."
    return Refused("waits", message, field="waiting", right=_ways(waiting, names, is_gm=is_gm))


def _ways(waiting: Waiting, names: str, *, is_gm: bool) -> str:
    """What goes on with it."""
    if not is_gm:
        return f"when {names} answered"
    ways = [f"answer for {names}"] if names != "the game master" else ["answer"]
    ways += ["have the rest pass"] if can_pass(waiting) else []
    ways += ["say that it is not done after all"] if can_cancel(waiting) else []
    return f"{', '.join(ways[:-1])} or {ways[-1]}" if len(ways) > 1 else ways[0]
