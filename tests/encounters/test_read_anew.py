"""Entries of the feed that read differently because of what came later are told again, or fetched anew."""

from __future__ import annotations

from campaigns import feed
from campaigns.commands.starting import RenameCampaign
from campaigns.commands.subjects import CreateSubject, RenameSubject, RevealSubject
from campaigns.parts.voids import Voids
from campaigns.store import read, states
from encounters import frames, reading
from encounters.log import Item, Place
from tests.campaigns.tables import Table
from tests.encounters.sockets import fetched
from tests.encounters.test_honest import Void


def missed_by(table: Table, who: str, after: int, upto: int) -> list[Item]:
    """What somebody is told who comes back behind one position and is told all up to another."""
    viewer = table.viewer(who)
    found = reading.missed(table.campaign_id, viewer, Place(after, after), upto)
    assert found is not None
    return found.items


def test_a_void_that_holds_no_more_is_told_again(table: Table) -> None:
    renamed = table.send("olga", RenameCampaign(name="Ebb")).position
    voided = table.send("olga", Void(position=renamed)).position
    lifted = table.send("olga", Void(position=renamed)).position
    with states.held(table.campaign_id) as state:
        assert renamed not in state.part(Voids).by
        events = read.events_after(table.campaign_id, voided, 10)
        steps = feed.follow(state, table.viewer("pia"), events, voided)
    again = {entry.position: entry.view for step in steps for entry in step.again}
    assert steps[0].position == lifted and set(again) == {renamed, voided}
    assert again[voided]["data"]["holds"] is False


def test_a_new_name_is_said_with_the_event_that_brings_it(table: Table) -> None:
    """Who has that event has heard it, wherever their line broke behind it; who fetched before it hears it yet."""
    made = table.send("pia", CreateSubject(kind="character", name="Talyne"))
    before = table.send("olga", RenameCampaign(name="Ebb")).position
    renamed = table.send("pia", RenameSubject(subject=made.events[0].event.subject, name="Brock")).position
    after = table.send("olga", RenameCampaign(name="Flow")).position
    items = {item.position: item.texts for item in missed_by(table, "paul", made.position, after)}
    assert [position for position, texts in items.items() if frames.RENEW in texts] == [renamed]
    assert items[renamed][0] is frames.RENEW and len(items[renamed]) == 2
    assert set(items) == {before, renamed, after}
    assert not any(frames.RENEW in item.texts for item in missed_by(table, "paul", renamed, after))


def test_a_name_that_went_and_came_back_is_fetched_anew(table: Table) -> None:
    """Somebody may have fetched the list in the middle."""
    made = table.send("pia", CreateSubject(kind="character", name="Talyne"))
    subject = made.events[0].event.subject
    middle = table.send("pia", RenameSubject(subject=subject, name="Brock")).position
    back = table.send("pia", RenameSubject(subject=subject, name="Talyne")).position
    told = [item.position for item in missed_by(table, "paul", made.position, back) if frames.RENEW in item.texts]
    assert told == [middle, back]


def test_who_is_known_no_more_and_again_is_named_anew(table: Table) -> None:
    made = table.send("olga", CreateSubject(kind="faction", name="Silt", hidden=True))
    subject = made.events[0].event.subject
    shown = table.send("olga", RevealSubject(subject=subject)).position
    table.send("olga", Void(position=shown))
    assert [v["data"]["subject"] for _, _, v in fetched(table, "pia") if v["type"] == "subject.revealed"] == [""]
    base = states.fold(table.campaign_id, shown + 1)
    again = table.send("olga", RevealSubject(subject=subject)).position
    with states.held(table.campaign_id) as state:
        names = reading.names_seen(base), reading.names_seen(state)
        events = read.events_after(table.campaign_id, again - 1, 10)
        items = reading.items_of(state, table.viewer("pia"), events, again - 1, names)
    assert [item.position for item in items if frames.RENEW in item.texts] == [again]
    assert {v["data"]["subject"] for _, _, v in fetched(table, "pia") if v["type"] == "subject.revealed"} == {subject}
