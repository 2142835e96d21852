"""The feed: what each kind of viewer sees, and cursors that betray nothing."""

from dataclasses import replace

import pytest

from campaigns import audience, events
from campaigns.audience import Viewer
from campaigns.commands.starting import RenameCampaign
from campaigns.commands.subjects import CreateSubject
from campaigns.events import type_named
from campaigns.feed import Entry, cursor_of, newer, older, position_of
from campaigns.store import states
from rules.refusal import Refused
from tests.campaigns.tables import Table
from tests.conftest import unsaid_of_the_site


def feed(table: Table, viewer: Viewer, after: int = 0, limit: int = 200) -> list[Entry]:
    with states.held(table.campaign_id) as state:
        return newer(state, viewer, after, limit)


def test_hidden_subjects_exist_for_the_gm_alone(table: Table) -> None:
    table.send("olga", CreateSubject(kind="character", name="CanaryFoe", hidden=True))
    assert any("CanaryFoe" in e.view["says"] for e in feed(table, table.viewer("olga")))
    for who in ("pia", "paul", "wim", "link"):
        assert not any("CanaryFoe" in repr(e) for e in feed(table, table.viewer(who)))


def test_cursors_chain_without_holes_for_each_viewer(table: Table) -> None:
    table.send("olga", CreateSubject(kind="character", name="CanaryFoe", hidden=True))
    table.send("olga", RenameCampaign(name="Ebb"))
    for who in ("olga", "pia", "link"):
        entries = feed(table, table.viewer(who))
        assert [e.follows for e in entries] == [None, *(e.cursor for e in entries[:-1])]


def test_pages_of_any_size_give_the_same_feed(table: Table) -> None:
    table.character("pia")
    viewer = table.viewer("paul")
    whole = feed(table, viewer)
    paged: list[Entry] = []
    while page := feed(table, viewer, paged[-1].position if paged else 0, limit=2):
        paged += page
    assert paged == whole
    with states.held(table.campaign_id) as state:
        assert [e.view for e in older(state, viewer, 1 << 60)] == [e.view for e in reversed(whole)]


def test_cursors_round_trip_and_strange_ones_are_refused(table: Table) -> None:
    assert position_of(table.campaign_id, cursor_of(table.campaign_id, 7)) == 7
    for strange in ("", "7", "A" * 22, "AAAA-_", "é"):
        with pytest.raises(Refused):
            position_of(table.campaign_id, strange)


def test_members_ids_of_users_and_tokens_leave_to_nobody(table: Table) -> None:
    for who in ("olga", "pia", "link"):
        for entry in feed(table, table.viewer(who)):
            assert "user" not in entry.view["data"] and "token" not in repr(entry) and "nonce" not in repr(entry)


def test_an_entry_that_cannot_be_said_takes_no_other_with_it(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in one sentence must not close the ledger for ever."""
    table.send("olga", RenameCampaign(name="Ebb"))
    monkeypatch.setattr(audience, "unsaid", unsaid_of_the_site)
    broken = replace(type_named("campaign.renamed"), says=lambda data, _names: data["no such field"])
    monkeypatch.setitem(events._by_name, "campaign.renamed", broken)
    with states.held(table.campaign_id) as state:
        said = [entry.view["says"] for entry in newer(state, table.viewer("pia"), 0, 1000)]
    assert said[-1] == "An entry that cannot be put into words." and said.count(said[-1]) == 1 and len(said) > 3
