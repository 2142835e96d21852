"""Making characters by commands: drafts, whose they are, finishing, files; and growing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from campaigns.character_files import CharacterFile, SheetFile, export
from campaigns.commands.growth import AwardGrowth, GainLevel, TakeGrowth
from campaigns.commands.making import (
    BeginDraft,
    ChooseDraft,
    DiscardDraft,
    FinishDraft,
    ImportCharacter,
    can_be_made,
    mark_of,
)
from campaigns.commands.packs import LayOverlay, RemoveOverlay
from campaigns.commands.sheets import ChangeSheet
from campaigns.commands.subjects import RevealSubject
from campaigns.packs import Packs
from campaigns.parts.growth import Growths
from campaigns.parts.making import HalfMade, Making
from campaigns.parts.sheets import Sheets
from campaigns.parts.subjects import Subjects
from campaigns.rolling import subject_of
from campaigns.store import states
from rules.refusal import Refused
from rules.sheets import Sheet
from tests.campaigns.tables import Table, make_table

PACK = "trait-tests"
TRAITS = {"physique": 2, "agility": -1}


@pytest.fixture
def table(transactional_db: None) -> Table:
    """A campaign that plays one pack in which characters are made."""
    return make_table({PACK: ""})


def begin(table: Table, who: str = "pia", **more: Any) -> str:
    """A draft; its id."""
    made: Any = table.send(who, BeginDraft(pack=PACK, kind="character", **more)).events[0].event
    draft: str = made.draft
    return draft


def drafts(table: Table) -> dict[str, HalfMade]:
    with states.held(table.campaign_id) as state:
        return dict(state.part(Making).drafts)


def sheet(table: Table, subject: str) -> Sheet:
    with states.held(table.campaign_id) as state:
        pack = Packs(state).get(PACK)
        found = subject_of(state, subject, PACK)
        return Sheet(found, pack.kinds[found.kind], pack.settings)


def refusal(table: Table, who: str, command: Any) -> Refused:
    with pytest.raises(Refused) as no:
        table.send(who, command)
    return no.value


def finished(table: Table, who: str = "pia", **more: Any) -> str:
    draft = begin(table, who, ready="tracker")
    events = table.send(who, FinishDraft(draft=draft, **more)).events
    subject: str = next(e.event.subject for e in events if e.type == "subject.created")  # type: ignore[attr-defined]
    return subject


def test_a_half_made_character_is_kept_and_finished_later(table: Table) -> None:
    draft = begin(table)
    table.send("pia", ChooseDraft(draft=draft, choices={"traits": TRAITS}, name="Iva"))
    assert drafts(table)[draft].choices == {"traits": {**dict.fromkeys(("endurance", "knowledge"), 0), **TRAITS,
                                                       "intuition": 0, "determination": 0}}  # fmt: skip
    table.send("pia", ChooseDraft(draft=draft, choices={"learnt": ["stealth"], "life": 13}))
    events = table.send("pia", FinishDraft(draft=draft)).events
    assert [e.type for e in events] == ["subject.created", "draft.finished", "sheet.made"]
    subject = events[0].event.subject  # type: ignore[attr-defined]
    assert drafts(table) == {}
    with states.held(table.campaign_id) as state:
        assert state.part(Subjects).by_id[subject].players == [table.member("pia")]
    made = sheet(table, subject)
    # Level 1 gives a bonus of 2 in what is learnt.
    assert (made["trait_value"]["physique"], made["skill_bonus"]["stealth"], made["hp"]) == (2, 2, 13)


def test_a_draft_is_its_makers_and_the_game_masters(table: Table) -> None:
    draft = begin(table)
    assert refusal(table, "paul", ChooseDraft(draft=draft, name="Mine")).code == "no_such_draft"
    assert refusal(table, "paul", DiscardDraft(draft=draft)).code == "no_such_draft"
    table.send("olga", ChooseDraft(draft=draft, choices={"level": 4}, name="Iva"))
    table.send("pia", FinishDraft(draft=draft))
    with states.held(table.campaign_id) as state:
        (made,) = state.part(Subjects).by_id.values()
    # Whoever finishes it, its maker plays it.
    assert (made.name, made.players) == ("Iva", [table.member("pia")])


def test_what_is_no_value_or_not_yours_to_choose_is_refused_at_once(table: Table) -> None:
    draft = begin(table)
    for choices, code, field in (
        ({"level": 4}, "gm_only", "actor"),
        ({"trait": {}}, "unknown_choice", "choices.trait"),
        ({"learnt": ["juggling"]}, "wrong_value", "choices.learnt"),
        ({"traits": {"physique": "high"}}, "wrong_value", "choices.traits"),
    ):
        no = refusal(table, "pia", ChooseDraft(draft=draft, choices=choices))
        assert (no.code, no.field) == (code, field)
    assert drafts(table)[draft].choices == {}


def test_what_is_not_legal_is_kept_and_keeps_the_draft_from_being_finished(table: Table) -> None:
    draft = begin(table, name="Iva")
    table.send("pia", ChooseDraft(draft=draft, choices={"traits": {"physique": 6}}))
    no = refusal(table, "pia", FinishDraft(draft=draft))
    assert (no.code, no.field, no.right) == ("out_of_bounds", "choices.traits", "-2 to 5")
    table.send("pia", ChooseDraft(draft=draft, choices={"traits": None}))
    table.send("pia", FinishDraft(draft=draft))


def test_a_choice_that_no_longer_has_a_place_is_taken_back(table: Table) -> None:
    draft = begin(table)
    table.send("pia", ChooseDraft(draft=draft, choices={"focus_aspect": "sight", "focus_skill": "perception"}))
    (event,) = table.send("pia", ChooseDraft(draft=draft, choices={"focus_aspect": None})).events
    assert sorted(event.event.cleared) == ["focus_aspect", "focus_skill"]  # type: ignore[attr-defined]
    assert drafts(table)[draft].choices == {}


def test_a_character_needs_a_name(table: Table) -> None:
    draft = begin(table)
    no = refusal(table, "pia", FinishDraft(draft=draft))
    assert (no.code, no.field) == ("empty", "name")


def test_the_same_choice_again_records_nothing(table: Table) -> None:
    draft = begin(table)
    assert table.send("pia", ChooseDraft(draft=draft, choices={"life": 12})).events
    assert not table.send("pia", ChooseDraft(draft=draft, choices={"life": 12})).events


def test_ready_made_ones_need_nothing_but_to_be_finished(table: Table) -> None:
    subject = finished(table)
    made = sheet(table, subject)
    assert (made["trait_value"]["intuition"], made["hp_max"]) == (3, 12)
    assert refusal(table, "pia", BeginDraft(pack=PACK, kind="character", ready="trackr")).right == "tracker"


def test_there_are_not_more_drafts_than_somebody_can_look_through(table: Table) -> None:
    for _ in range(30):
        begin(table)
    assert refusal(table, "pia", BeginDraft(pack=PACK, kind="character")).code == "too_many"
    table.send("pia", DiscardDraft(draft=next(iter(drafts(table)))))
    begin(table)


def test_somebody_who_is_there_gets_a_sheet_once(table: Table) -> None:
    subject = table.character("pia", "Talyne")
    assert refusal(table, "paul", BeginDraft(pack=PACK, kind="character", subject=subject)).code == "not_yours"
    draft = begin(table, subject=subject, choices={"life": 17})
    events = table.send("pia", FinishDraft(draft=draft)).events
    assert [e.type for e in events] == ["draft.finished", "sheet.made"]
    assert sheet(table, subject)["hp"] == 17
    assert refusal(table, "pia", BeginDraft(pack=PACK, kind="character", subject=subject)).code == "already_made"


def test_a_game_master_hides_whom_they_make(table: Table) -> None:
    subject = finished(table, "olga", hidden=True)
    with states.held(table.campaign_id) as state:
        found = state.part(Subjects).by_id[subject]
    assert (found.hidden, found.players) == (True, [])
    table.send("olga", RevealSubject(subject=subject))


def test_a_file_makes_the_same_character_again(table: Table) -> None:
    subject = finished(table)
    table.send("olga", ChangeSheet(subject=subject, pack=PACK, values={"hp": 4}))
    with states.held(table.campaign_id) as state:
        text = msgspec.json.encode(export(state, subject, "gm"))
    file = msgspec.json.decode(text, type=CharacterFile)
    before = sheet(table, subject)
    by_gm = brought(table, "olga", file)
    assert (by_gm["hp"], by_gm["trait_value"].complete()) == (4, before["trait_value"].complete())
    # A player's copy starts as it was made: what play did to it is a game master's to bring.
    assert brought(table, "pia", file)["hp"] == 12


def brought(table: Table, who: str, file: CharacterFile) -> Sheet:
    events = table.send(who, ImportCharacter(character=file, again=True)).events
    return sheet(table, events[0].event.subject)  # type: ignore[attr-defined]


def test_a_file_that_breaks_a_limit_is_refused_whole(table: Table) -> None:
    def file(**sheet: Any) -> ImportCharacter:
        sheets = {PACK: SheetFile(**sheet)}
        return ImportCharacter(character=CharacterFile(name="Iva", kind="character", sheets=sheets))

    no = refusal(table, "pia", file(choices={"traits": {"agility": 7}}))
    assert (no.code, no.field) == ("out_of_bounds", f"character.sheets.{PACK}.choices.traits")
    assert refusal(table, "pia", file(choices={"level": 9})).code == "gm_only"
    assert refusal(table, "pia", file(values={"hp": 9})).code == "gm_only"
    assert refusal(table, "olga", file(choices={}, values={"hp": "many"})).field.endswith("values.hp")  # type: ignore[union-attr]
    assert refusal(table, "olga", file(choices={}, values={"trait_value": {}})).code == "wrong_value"
    with states.held(table.campaign_id) as state:
        assert not state.part(Subjects).by_id


GROWS = """
on: trait-tests
version: 1.0.0
title: Growing
replaces: [advancement.character]
"""
RULES = """
advancement:
  character:
    purchases:
      tougher:
        title: Tougher
        cost: {action_points: 2}
        most: 1
        steps: [{change: {holder.hp_max: 3}}]
    awards:
      point:
        title: A point
        steps: [{change: {holder.action_points: 1}}]
        limits: [{require: holder.action_points <= 2, reason: enough, text: 2 at most}]
      milestone:
        title: A milestone
        steps: [{change: {holder.hp_max: 1}}]
    levels:
      stat: level
      most: 3
      grants:
        lesson:
          title: A lesson
          at: [2]
          choices: [{id: skill, title: Skill, type: card, card: skill}]
          steps: [{set: {"holder.skill_degree[skill]": "'learnt'"}}]
"""


def test_a_draft_of_a_kind_that_house_rules_no_longer_make_waits_until_they_do(table: Table) -> None:
    draft = begin(table, ready="tracker")
    gone = GROWS.replace("replaces: [advancement.character]", "removes: [creation.character]")
    table.send("olga", LayOverlay(pack=PACK, files={"overlay.yaml": gone}))
    assert refusal(table, "pia", FinishDraft(draft=draft)).code == "no_creation"
    with states.held(table.campaign_id) as state:
        assert not can_be_made(state, state.part(Making).drafts[draft])
    table.send("olga", RemoveOverlay(pack=PACK))
    table.send("pia", FinishDraft(draft=draft))


def test_growing_by_awards_purchases_and_levels(table: Table) -> None:
    table.send("olga", LayOverlay(pack=PACK, files={"overlay.yaml": GROWS, "grows.yaml": RULES}))
    subject = finished(table)
    buy = TakeGrowth(subject=subject, pack=PACK, offer="tougher")
    assert refusal(table, "pia", buy).right == "2 or more"
    award = AwardGrowth(subject=subject, pack=PACK, offer="point", reason="For the bridge")
    for _ in range(2):
        table.send("olga", award)
    assert refusal(table, "olga", award).code == "enough"
    assert refusal(table, "pia", TakeGrowth(subject=subject, pack=PACK, offer="point")).code == "is_award"
    assert refusal(table, "paul", buy).code == "not_yours"
    events = table.send("pia", buy).events
    assert [e.type for e in events] == ["growth.taken", "sheet.changed"]
    assert (sheet(table, subject)["hp_max"], sheet(table, subject)["action_points"]) == (15, 0)
    table.send("olga", GainLevel(subject=subject, pack=PACK))
    lesson = TakeGrowth(subject=subject, pack=PACK, offer="lesson", choices={"skill": "medicine"})
    table.send("pia", lesson)
    assert sheet(table, subject)["skill_bonus"]["medicine"] == 2
    assert refusal(table, "pia", lesson).code == "not_due"
    with states.held(table.campaign_id) as state:
        assert state.part(Growths).growth(subject, PACK).bought == {"point": 2, "tougher": 1}


def test_what_was_changed_behind_an_audience_stays_hidden_from_it(table: Table) -> None:
    from campaigns.parts.sheets import Change, SheetChanged

    sheets = Sheets()
    evolve = next(e for _, e in __import__("campaigns.registry").registry.evolvers_of(SheetChanged))

    def change(after: int, seen: str) -> None:
        before = sheets.sheet("s", "p").values.get("hp", 10)
        event = SheetChanged(subject="s", pack="p", changes=(Change(stat="hp", before=before, after=after),), seen=seen)
        evolve(sheets, event, 1)

    change(8, "all")
    change(5, "gm")
    change(4, "holders")
    known = {audience: sheets.sheet("s", "p").known_to(audience)[0]["hp"] for audience in ("all", "holders", "gm")}
    assert known == {"all": 8, "holders": 4, "gm": 4}
    change(3, "all")
    assert sheets.sheet("s", "p").known_to("all")[0]["hp"] == 3


def test_two_devices_over_the_api_neither_undo_nor_overwrite_one_another(table: Table) -> None:
    """The command itself looks: what only one of them changes is kept, what both change is refused by name."""
    draft = begin(table)
    was = {"learnt": mark_of(None), "focus_aspect": mark_of(None)}
    table.send("pia", ChooseDraft(draft=draft, choices={"learnt": ["stealth"]}, was=was))
    # The other device started from the same marks, and sends its whole form: an empty list, and an aspect of its own.
    table.send("pia", ChooseDraft(draft=draft, choices={"learnt": [], "focus_aspect": "Reefs"}, was=was))
    assert drafts(table)[draft].choices == {"learnt": ["stealth"], "focus_aspect": "Reefs"}
    with pytest.raises(Refused) as refused:
        table.send("pia", ChooseDraft(draft=draft, choices={"learnt": ["nature"], "focus_aspect": "Tides"}, was=was))
    assert refused.value.code == "changed_meanwhile" and refused.value.field == "choices.learnt"
    assert refused.value.value == ["learnt", "focus_aspect"]
    assert drafts(table)[draft].choices == {"learnt": ["stealth"], "focus_aspect": "Reefs"}, "nothing of it is kept"
    fresh = {"learnt": mark_of(["stealth"])}
    table.send("pia", ChooseDraft(draft=draft, choices={"learnt": ["nature"]}, was=fresh))
    assert drafts(table)[draft].choices["learnt"] == ["nature"]
    table.send("pia", ChooseDraft(draft=draft, choices={"learnt": ["survival"]}))
    assert drafts(table)[draft].choices["learnt"] == ["survival"], "who gives no marks asks for no look"
