"""Cases about Pursuits: the commands of `rules.pursuits` by their names in lower snake, driven by the same deciders.

Who sits at the table is the case's `members`; who asks is the step's `by` (gm, holder, server). `begin_session` begins
a session. Ids of awards end with the place of what they are given for, counted from 1 through the case.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from rules import pursuits
from rules.bindings import with_settings
from rules.cases.schema import Case, CaseStep, SubjectSpec
from rules.cases.timeline import differences, plain
from rules.packs.pack import Pack
from rules.refusal import Refused

COMMANDS = {
    re.sub(r"(?<!^)(?=[A-Z])", "_", struct.__name__).lower(): struct for struct in get_args(pursuits.PursuitCommand)
}
BEGIN, KIND, OPEN, DUE = "begin_session", "pursuit_kind", "pursuits_open", "pursuits_due"
STARTS = dt.datetime(2000, 1, 3, tzinfo=dt.UTC)


def is_about_pursuits(step: CaseStep) -> bool:
    """Whether a step gives one of these commands, or asks one of these questions."""
    return step.command in COMMANDS or step.command == BEGIN or step.ask in (KIND, OPEN, DUE)


class PursuitCase:
    """The Pursuits of one case, and how its steps change them."""

    def __init__(self, pack: Pack, specs: Mapping[str, SubjectSpec], case: Case) -> None:
        section = pack.source.sections["pursuits"]
        if section is None:
            raise Refused("no_such_section", "The pack has no Pursuits.")
        self.rules: pursuits.PursuitRules = with_settings(section, pack.setting_values)
        self.company = pursuits.Company(
            members={member: role == "gm" for member, role in case.members.items()},
            subjects={name: spec.kind for name, spec in specs.items()},
        )
        self.state, self.position, self.now = pursuits.PursuitsState(), 0, STARTS

    def do(self, step: CaseStep) -> list[str]:
        """Give a command or ask a question; the differences from what the step expects."""
        self.now = step.now or self.now
        if step.ask is not None:
            return differences("answer", step.expect.answer, self.answer(step.ask, step.given))
        refused, told = None, []
        try:
            told = self.command(step.command or "", step)
        except Refused as no:
            refused = no.code
        except msgspec.ValidationError as error:
            return [f"given: {error}"]
        out = differences("refused", step.expect.refused, refused)
        if step.expect.events is not None:
            out += differences("events", step.expect.events, told)
        return out

    def command(self, name: str, step: CaseStep) -> list[dict[str, Any]]:
        """Decide and apply one command; the events as plain values with their name under `event`."""
        if name == BEGIN:
            pursuits.session_began(self.state)
            return []
        command = msgspec.convert(step.given, COMMANDS[name])
        at = pursuits.At(now=self.now, by=step.by, position=self.position + 1)
        told = []
        for event in pursuits.decide(self.rules, self.state, command, self.company, at):
            self.position += 1
            pursuits.evolve(self.state, event, self.position)
            told.append({"event": type(event).__name__, **plain(event)})
        return told

    def answer(self, what: str, given: Mapping[str, Any]) -> Any:
        """A kind as the pack has it, what is open (words by id), or how much is due to the party."""
        if what == KIND:
            return plain(pursuits.kind_named(self.rules, given.get("kind", "")))
        if what == DUE:
            return len(self.state.due)
        return {pursuit: found.words for pursuit, found in self.state.pursuits.items() if found.open}
