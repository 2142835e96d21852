"""Taking actions back: the whole of them, visible to those who saw them, and reversible."""

from uuid import uuid4

import pytest

from campaigns import models
from campaigns.commands.seats import Leave
from campaigns.commands.subjects import CreateSubject, RenameSubject, RevealSubject
from campaigns.commands.voiding import RestoreAction, VoidAction
from campaigns.feed import Entry, cursor_of, newer, older
from campaigns.parts.subjects import Subjects
from campaigns.parts.voids import Voids
from campaigns.previews import preview_restore, preview_void
from campaigns.projecting import project_all
from campaigns.store import states
from rules.refusal import Refused
from tests.campaigns.tables import Table
from tests.campaigns.throwing import Throw, Throws


def cursor(table: Table, position: int) -> str:
    return cursor_of(table.campaign_id, position)


def void(table: Table, position: int, reason: str = "A slip") -> int:
    return table.send("olga", VoidAction(entry=cursor(table, position), reason=reason)).position


def feed(table: Table, who: str) -> list[Entry]:
    viewer = table.viewer(who)
    with states.held(table.campaign_id) as state:
        return newer(state, viewer, 0, 500)


def sums(table: Table) -> dict[str, int]:
    with states.held(table.campaign_id) as state:
        return dict(state.part(Throws).sums)


def test_a_void_takes_the_whole_command(table: Table) -> None:
    thrown = table.send("pia", Throw(name="a", events=3))
    void(table, thrown.events[1].position)
    assert sums(table) == {}
    with states.held(table.campaign_id) as state:
        assert sorted(state.part(Voids).by) == [e.position for e in thrown.events]


def test_a_void_takes_all_that_was_caused_through_any_number_of_links(table: Table) -> None:
    first = table.send("pia", Throw(name="a"))
    second = table.send("pia", Throw(name="b", events=2, cause=first.position))
    table.send("paul", Throw(name="kept"))
    # The third was caused by the first event of the second, which nothing but its command ties to the action.
    table.send("pia", Throw(name="c", cause=second.events[0].position))
    void(table, first.position)
    assert list(sums(table)) == ["kept"]


def test_a_void_of_the_middle_leaves_what_led_to_it(table: Table) -> None:
    first = table.send("pia", Throw(name="a"))
    second = table.send("pia", Throw(name="b", cause=first.position))
    void(table, second.position)
    assert list(sums(table)) == ["a"]


def test_voided_entries_stay_struck_through_and_the_void_names_them(table: Table) -> None:
    thrown = table.send("pia", Throw(name="a", events=2))
    void(table, thrown.position, "Wrong die")
    for who in ("olga", "pia", "paul"):
        entries = {e.position: e for e in feed(table, who)}
        struck = [entries[e.position] for e in thrown.events]
        assert all(e.view["voided"] for e in struck)
        last = feed(table, who)[-1].view
        assert last["type"] == "events.voided" and last["data"]["holds"]
        assert last["says"] == f"Taken back: {struck[0].view['says'].rstrip('.')}, and 1 more. Why: Wrong die"
        assert last["data"]["entries"] == [e.cursor for e in struck]
        assert "positions" not in last["data"]
        viewer = table.viewer(who)
        with states.held(table.campaign_id) as state:
            assert older(state, viewer, 1 << 60, 1)[0].view == last


def test_a_void_of_what_is_hidden_is_hidden(table: Table) -> None:
    before = {who: len(feed(table, who)) for who in ("pia", "link", "olga")}
    hidden = table.send("olga", CreateSubject(kind="character", name="CanaryFoe", hidden=True))
    void(table, hidden.position, "CanaryReason")
    assert len(feed(table, "olga")) == before["olga"] + 2
    for who in ("pia", "link"):
        assert len(feed(table, who)) == before[who]


def test_a_mixed_action_is_told_to_each_audience_apart(table: Table) -> None:
    first = table.send("olga", Throw(name="open"))
    table.send("olga", Throw(name="secret", audience="gm", cause=first.position))
    void(table, first.position)
    assert sum(e.view["type"] == "events.voided" for e in feed(table, "olga")) == 2
    seen = [e.view for e in feed(table, "pia") if e.view["type"] == "events.voided"]
    assert len(seen) == 1 and len(seen[0]["data"]["entries"]) == 1


def test_void_then_restore_equals_before(table: Table) -> None:
    hero = table.character("pia")
    thrown = table.send("pia", Throw(name="a", events=2))
    with states.held(table.campaign_id) as state:
        before = states.refold(table.campaign_id, state.position).parts
    taken = void(table, table.send("pia", RenameSubject(subject=hero, name="Other")).position)
    table.send("olga", RestoreAction(entry=cursor(table, taken)))
    taken = void(table, thrown.position)
    table.send("olga", RestoreAction(entry=cursor(table, taken), reason="It counted"))
    with states.held(table.campaign_id) as state:
        assert state.part(Throws) == before[Throws]
        assert state.part(Subjects).by_id[hero].name == "Other"
        assert not state.part(Voids).by


def test_voids_survive_a_restart_and_reach_the_tables(table: Table) -> None:
    hero = table.character("pia", "Talyne")
    renamed = table.send("pia", RenameSubject(subject=hero, name="Slip"))
    void(table, renamed.position)
    assert models.Subject.objects.get(subject=hero).name == "Talyne"
    states.forget(table.campaign_id)
    with states.held(table.campaign_id) as state:
        assert state.part(Subjects).by_id[hero].name == "Talyne"
        project_all(table.campaign_id, state)
    assert models.Subject.objects.get(subject=hero).name == "Talyne"


@pytest.mark.parametrize("who, code", [("pia", "not_allowed"), ("wim", "not_allowed"), ("stan", "not_allowed")])
def test_only_gms_take_back(table: Table, who: str, code: str) -> None:
    position = table.send("pia", Throw(name="a")).position
    with pytest.raises(Refused) as caught:
        table.send(who, VoidAction(entry=cursor(table, position), reason="Mine"))
    assert caught.value.code == code


def test_what_must_stay_is_refused_with_its_reason(table: Table) -> None:
    left = table.send("paul", Leave()).position
    for position in (1, 2, left):
        with pytest.raises(Refused) as caught:
            void(table, position)
        assert caught.value.code == "has_to_stay"
        assert caught.value.message.endswith(".")


def test_taking_back_twice_or_nothing_is_refused(table: Table) -> None:
    position = table.send("pia", Throw(name="a")).position
    taken = void(table, position)
    with pytest.raises(Refused) as caught:
        void(table, position)
    assert caught.value.code == "voided_already"
    with pytest.raises(Refused) as caught:
        void(table, taken)
    assert caught.value.code == "has_to_stay"
    with pytest.raises(Refused) as caught:
        table.send("olga", RestoreAction(entry=cursor(table, position)))
    assert caught.value.code == "no_void"
    table.send("olga", RestoreAction(entry=cursor(table, taken)))
    with pytest.raises(Refused) as caught:
        table.send("olga", RestoreAction(entry=cursor(table, taken)))
    assert caught.value.code == "stands_already"
    with pytest.raises(Refused) as caught:
        void(table, 10_000)
    assert caught.value.code == "unknown_cursor"


def test_the_preview_says_what_would_change_and_changes_nothing(table: Table) -> None:
    hero = table.character("pia", "Talyne")
    renamed = table.send("pia", RenameSubject(subject=hero, name="Slip"))
    before = models.Campaign.objects.get(id=table.campaign_id).position
    preview = preview_void(table.campaign_id, cursor(table, renamed.position))
    assert [(c.part, c.path, c.before, c.after, c.about) for c in preview.changes] == [
        ("subjects", ("by_id", hero, "name"), "Slip", "Talyne", "Slip")
    ]
    assert [e.position for e in preview.entries] == [renamed.position] and preview.shown == []
    assert models.Campaign.objects.get(id=table.campaign_id).position == before
    taken = void(table, renamed.position)
    again = preview_restore(table.campaign_id, cursor(table, taken))
    assert [(c.before, c.after) for c in again.changes] == [("Talyne", "Slip")]


def test_the_preview_warns_where_hidden_things_were_shown(table: Table) -> None:
    made = table.send("olga", CreateSubject(kind="character", name="Foe", hidden=True)).events[0].event.subject
    shown = table.send("olga", RevealSubject(subject=made))
    assert preview_void(table.campaign_id, cursor(table, shown.position)).shown == ["Foe entered the story."]
    secret = table.send("olga", Throw(name="secret", audience="gm"))
    assert preview_void(table.campaign_id, cursor(table, secret.position)).shown == []
    thrown = table.send("olga", Throw(name="Olga"))
    assert preview_void(table.campaign_id, cursor(table, thrown.position)).shown == ["Olga threw."]


def test_a_void_reaching_behind_snapshots_folds_right(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "SNAPSHOT_EVERY", 5)
    early = table.send("pia", Throw(name="early")).position
    for _ in range(12):
        table.send("pia", Throw(name="late"))
    head = models.Campaign.objects.get(id=table.campaign_id).position
    assert models.Snapshot.objects.filter(campaign_id=table.campaign_id, position__gt=early).exists()
    void(table, early)
    states.forget(table.campaign_id)
    assert list(sums(table)) == ["late"]
    # As it was known before the void, the early throw counted.
    assert "early" in states.fold(table.campaign_id, head).part(Throws).sums


def test_the_same_void_sent_twice_is_one(table: Table) -> None:
    position, command_id = table.send("pia", Throw(name="a")).position, uuid4()
    command = VoidAction(entry=cursor(table, position), reason="Once")
    first = table.send("olga", command, command_id)
    again = table.send("olga", command, command_id)
    assert again.again and again.position == first.position
