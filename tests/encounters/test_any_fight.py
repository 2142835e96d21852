"""Any fight whatever: legal and illegal commands of any member in any order, with undo; what must hold, holds."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from campaigns.audience import Viewer
from campaigns.commands.voiding import RestoreAction, VoidAction
from campaigns.feed import cursor_of, newer
from campaigns.models import Event
from campaigns.packs import Packs
from campaigns.parts.voids import Voids
from campaigns.state import State
from campaigns.store import states
from campaigns.verifying import verify_campaign
from encounters.board_reading import board_of
from encounters.commands import hand, playing, preparing
from encounters.commands.common import fighters
from encounters.parts.encounters import Encounter, Encounters
from rules.fight import their_turn
from rules.refusal import Refused
from rules.sheets import Sheet
from rules.tests.perform import possible
from tests.campaigns.tables import Table, make_table
from tests.encounters.bridge import HEIGHT, ORDER, PACK, WIDTH, Bridge

PLAYS = {"rell": "pia", "bryn": "pia", "wren": "paul", "osk": "paul"}
WHO = st.sampled_from(["olga", "olga", "pia", "paul", "wim"])
ANY = st.integers(0, 10_000)
LAST = 40


def one_of(data: Any, options: list[Any]) -> Any:
    return options[data.draw(ANY) % len(options)]


class AnyFight(RuleBasedStateMachine):
    """The toll bridge, played at random."""

    def __init__(self) -> None:
        super().__init__()
        self.table: Table = make_table({PACK: ""})
        self.bridge = Bridge(lambda who, command: self.table.send(who, command).events[0].event, "olga", PLAYS)
        self.bridge.make(foes="words", seconds=30)
        self.last: tuple[str, Any, Any, int] | None = None

    @initialize()
    def begins(self) -> None:
        self.bridge.begin()

    # -------------------------------------------------------------- asking

    def send(self, who: str, command: Any) -> None:
        """Sent once; refused, it leaves nothing behind; carried out, it appends what it answers and no more."""
        before, key = self.head(), uuid4()
        try:
            answer = self.table.send(who, command, key)
        except Refused as refusal:
            assert refusal.code and refusal.message
            assert self.head() == before
            return
        assert self.head() == before + len(answer.events)
        assert [one.position for one in answer.events] == list(range(before + 1, self.head() + 1))
        self.last = (who, command, key, before)

    def head(self) -> int:
        return int(Event.objects.filter(campaign_id=self.table.campaign_id).count())

    def look(self) -> tuple[State, Encounter | None]:
        with states.held(self.table.campaign_id) as state:
            return state, state.part(Encounters).open.get(self.bridge.encounter)

    @property
    def found(self) -> Encounter | None:
        return self.look()[1]

    def somebody(self, data: Any) -> str:
        return self.bridge.ids[one_of(data, list(ORDER))]

    # -------------------------------------------------------------- playing

    @precondition(lambda self: self.found is not None and self.found.fight.waiting is None)
    @rule(data=st.data(), mine=st.booleans())
    def acts(self, data: Any, mine: bool) -> None:
        state, found = self.look()
        assert found is not None
        user = their_turn(found.fight) if data.draw(st.integers(0, 5)) else self.somebody(data)
        user = user or self.somebody(data)
        if user not in fighters(state, found) or (found.fight.order and user not in found.fight.scene.order):
            return
        able = possible(Packs(state).get(PACK), found.fight.scene, fighters(state, found), user)
        ready = [one for one in able if one.hindrance is None] or able
        if not ready:
            return
        chosen = one_of(data, ready)
        spec = Packs(state).get(PACK).action(chosen.action).spec
        roles: dict[str, Any] = {}
        for role, wanted in spec.roles.items():
            among = chosen.targets.get(role) or list(self.bridge.ids.values())
            roles[role] = [one_of(data, among)] if wanted.many else one_of(data, among)
        given = {name: self.value(data, one) for name, one in spec.inputs.items() if one.type in ("place", "int")}
        who = PLAYS.get(self.name(user), "olga") if mine else data.draw(WHO)
        self.send(
            who,
            playing.ActInEncounter(
                encounter=self.bridge.encounter, action=chosen.action, user=user, roles=roles, given=given
            ),
        )

    def value(self, data: Any, spec: Any) -> Any:
        if spec.type == "int":
            return data.draw(st.integers(spec.min or 0, min(spec.max or 6, 6)))
        return {"x": data.draw(st.integers(0, WIDTH - 1)), "y": data.draw(st.integers(0, HEIGHT - 1))}

    def name(self, subject: str) -> str:
        return next(name for name, some_id in self.bridge.ids.items() if some_id == subject)

    @precondition(lambda self: self.found is not None and self.found.fight.waiting is not None)
    @rule(data=st.data(), who=st.sampled_from(["olga", "olga", "pia", "paul"]))
    def answers(self, data: Any, who: str) -> None:
        found = self.found
        assert found is not None and found.fight.waiting is not None
        ask = found.fight.waiting.ask
        subject = one_of(data, list(ask.asked)) if ask.kind == "window" else ""
        self.send(
            who,
            playing.AnswerInEncounter(
                encounter=self.bridge.encounter, subject=subject, answer=self.an_answer(data, ask, subject)
            ),
        )

    def an_answer(self, data: Any, ask: Any, subject: str) -> Any:
        options = [one.id for one in (ask.asked[subject] if ask.kind == "window" else ask.options)]
        match ask.kind:
            case "window":
                return [one_of(data, options)] if options and data.draw(st.booleans()) else []
            case "subjects":
                return [one_of(data, options)] if options and data.draw(st.booleans()) else []
            case "flag":
                return data.draw(st.booleans())
            case "int" | "die":
                return data.draw(st.integers(ask.min or 0, ask.max or 6))
            case "place":
                return self.value(data, type("Place", (), {"type": "place"}))
            case "adjust":
                return "best"
        return one_of(data, options) if options else ""

    @rule(who=WHO)
    def ends_a_turn(self, who: str) -> None:
        self.send(who, playing.EndTurn(encounter=self.bridge.encounter))

    @rule(who=WHO)
    def closes(self, who: str) -> None:
        self.send(who, playing.CloseMoment(encounter=self.bridge.encounter))

    @precondition(lambda self: self.found is not None and self.found.fight.waiting is not None)
    @rule(who=WHO)
    def cancels(self, who: str) -> None:
        self.send(who, playing.CancelAct(encounter=self.bridge.encounter))

    # -------------------------------------------------------------- the GM's hand

    @rule(data=st.data(), who=WHO)
    def by_hand(self, data: Any, who: str) -> None:
        one, other, id_ = self.somebody(data), self.somebody(data), self.bridge.encounter
        number = data.draw(st.integers(0, 12))
        commands: list[Any] = [
            hand.PlaceInEncounter(encounter=id_, subject=one, x=number, y=number % HEIGHT),
            hand.PlaceApart(encounter=id_, one=one, other=other, units=number),
            hand.RankInEncounter(encounter=id_, subject=one, initiative=number),
            hand.AdjustInEncounter(encounter=id_, reason="So be it.", set={one: {"hp": number}}),
            hand.AdjustInEncounter(encounter=id_, reason="So be it.", give={one: ["prone"]}, secret=number % 2 == 0),
            hand.AdjustInEncounter(encounter=id_, reason="So be it.", end={one: ["prone"]}),
            preparing.ShowInEncounter(encounter=id_, subject=one, hidden=number % 2 == 0),
            preparing.PauseEncounter(encounter=id_, paused=number % 3 == 0),
            preparing.LeaveEncounter(encounter=id_, subject=one),
            preparing.JoinEncounter(encounter=id_, subject=one, side="party", initiative=number),
        ]
        self.send(who, one_of(data, commands))

    @rule(data=st.data(), who=st.sampled_from(["olga", "olga", "olga", "pia"]))
    def takes_back(self, data: Any, who: str) -> None:
        head = self.head()
        entry = cursor_of(self.table.campaign_id, max(1, head - data.draw(st.integers(0, LAST))))
        self.send(who, VoidAction(entry=entry, reason="Not so."))

    @rule(data=st.data())
    def lets_stand(self, data: Any) -> None:
        state, _ = self.look()
        voids = sorted(set(state.part(Voids).by.values()))
        if voids:
            self.send("olga", RestoreAction(entry=cursor_of(self.table.campaign_id, one_of(data, voids))))

    @precondition(lambda self: self.last is not None)
    @rule()
    def presses_twice(self) -> None:
        assert self.last is not None
        who, command, key, _ = self.last
        before = self.head()
        self.table.send(who, command, key)
        assert self.head() == before

    # -------------------------------------------------------------- what must hold

    @invariant()
    def numbers_are_in_bounds(self) -> None:
        state, found = self.look()
        if found is None:
            return
        pack = Packs(state).get(PACK)
        for name, subject in fighters(state, found).items():
            sheet = Sheet(subject, pack.kinds[subject.kind], pack.settings)
            tracks = pack.source.sections["kinds"][subject.kind].sheet.tracks
            for stat, most in tracks.items():
                assert 0 <= sheet[stat] <= sheet[most], (self.name(name), stat, sheet[stat], sheet[most])
            for stat in pack.encounter.budgets:
                assert sheet[stat] >= 0, (self.name(name), stat)

    @invariant()
    def one_turn_at_a_time(self) -> None:
        _, found = self.look()
        if found is None or found.fight.order is None:
            return
        fight, order = found.fight, found.fight.order
        present = [slot.subject for slot in order.slots if slot.present]
        assert list(dict.fromkeys(present)) == fight.scene.order
        assert {name for name, one in fight.members.items() if one.present} == set(present)
        assert their_turn(fight) in fight.members
        assert fight.scene.turn == their_turn(fight)
        assert fight.scene.round == order.round

    def board(self, state: State, viewer: Viewer) -> Any:
        """The board as somebody sees it; None where there is none for them."""
        try:
            return msgspec.to_builtins(board_of(state, viewer, self.bridge.encounter))
        except Refused:
            return None

    def teardown(self) -> None:
        """What was folded step by step equals what is folded anew, and each is told everything once."""
        state, _ = self.look()
        again = states.refold(self.table.campaign_id, state.position)
        assert again.parts == state.parts
        for who in ("olga", "pia", "link"):
            viewer = self.table.viewer(who)
            assert self.board(again, viewer) == self.board(state, viewer)
            with states.held(self.table.campaign_id) as now:
                told = [entry.cursor for entry in newer(now, viewer, 0, 5000)]
            assert len(told) == len(set(told))
        assert verify_campaign(self.table.campaign_id).sound


@pytest.mark.parametrize("examples", [4])
def test_any_fight_holds_what_must_hold(transactional_db: None, examples: int) -> None:
    run_state_machine_as_test(
        AnyFight,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink a fight takes minutes
        ),
    )
