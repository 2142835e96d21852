"""Sheets that are drawn once for all who see the same: never for anybody else, and never after a change."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils.safestring import SafeString

from campaigns.commands.seats import ChangeRole, RemoveMember
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.starting import AskErasure
from campaigns.commands.subjects import HandOverSubject
from campaigns.entrance import utc_now
from campaigns.erasing import erase, grace
from campaigns.state import State
from frontend import kept, sheet_page
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_making import PACK, tracker
from tests.frontend.test_pages import address, client_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def table() -> Table:
    return make_table({PACK: ""})


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """For whom sheets were drawn (the audience), one after another; nothing is kept before."""
    monkeypatch.setattr(kept, "_parts", type(kept._parts)())
    monkeypatch.setattr(kept, "_size", 0)
    drawn, found = sheet_page.drawn, list[str]()

    def counted(template: str, **values: Any) -> SafeString:
        found.append(values["sight"].audience)
        return drawn(template, **values)

    monkeypatch.setattr(sheet_page, "drawn", counted)
    return found


def sheets(table: Table, who: str, subject: str, query: str = "") -> str:
    """The part of somebody's page that shows the sheets; "" where the page has none."""
    body = client_of(table, who).get(address(table, "subject", subject) + query).content.decode()
    return body.partition('<div class="sheets"')[2].partition("<summary>Look back")[0]


def test_those_who_see_the_same_share_one_drawing(table: Table, drawings: list[str]) -> None:
    subject = tracker(table)
    table.seat("stan", "player")
    assert sheets(table, "paul", subject) == sheets(table, "stan", subject) != ""
    assert drawings == ["all"]
    # Whoever plays them may do more there, and a game master sees more.
    assert sheets(table, "pia", subject) == sheets(table, "pia", subject) != sheets(table, "paul", subject)
    assert sheets(table, "olga", subject) != sheets(table, "pia", subject)
    assert drawings == ["all", "holders", "gm"]
    assert sheets(table, "wim", subject) == ""


@pytest.mark.parametrize("order", ["olga pia paul wim", "wim paul pia olga", "pia wim olga paul"])
def test_nobody_is_answered_with_what_another_may_see(table: Table, drawings: list[str], order: str) -> None:
    subject = tracker(table)
    table.send("olga", ApplyCard(subject=subject, pack=PACK, card="inspired", secret=True))
    seen = {who: sheets(table, who, subject) for who in order.split()}
    assert {who: "<strong>Inspired<" in text for who, text in seen.items()} == {
        "olga": True, "pia": False, "paul": False, "wim": False,
    }  # fmt: skip
    assert {who: "Change a value" in text for who, text in seen.items()} == {
        "olga": True, "pia": True, "paul": False, "wim": False,
    }  # fmt: skip
    drawings.clear()
    assert {who: sheets(table, who, subject) for who in reversed(order.split())} == seen
    assert drawings == []


def test_whoever_gains_or_loses_rights_sees_by_the_new_ones(table: Table) -> None:
    subject = tracker(table)
    table.send("olga", ApplyCard(subject=subject, pack=PACK, card="inspired", secret=True))

    def seen(who: str) -> tuple[bool, bool]:
        text = sheets(table, who, subject)
        return "<strong>Inspired<" in text, "Change a value" in text

    assert seen("olga") == (True, True)
    assert seen("paul") == (False, False)
    table.send("olga", ChangeRole(member=table.member("paul"), role="gm"))
    assert seen("paul") == (True, True)
    table.send("olga", ChangeRole(member=table.member("paul"), role="player"))
    assert seen("paul") == (False, False)
    table.send("olga", HandOverSubject(subject=subject, players=(table.member("paul"),)))
    assert (seen("paul"), seen("pia")) == ((False, True), (False, False))
    table.send("olga", RemoveMember(member=table.member("paul")))
    assert client_of(table, "paul").get(address(table, "subject", subject)).status_code == 404


def test_a_change_shows_at_once_and_the_past_stays(table: Table) -> None:
    subject = tracker(table)
    for hp in (3, 5, 4):
        table.send("olga", ChangeSheet(subject=subject, pack=PACK, values={"hp": hp}))
        for who in ("olga", "pia", "paul"):
            assert f"{hp} / 12" in sheets(table, who, subject)
    ledger = client_of(table, "olga").get(address(table, "ledger")).content.decode()
    newest, before, *_ = re.findall(r"\?entry=([\w-]+)", ledger)
    assert "5 / 12" in sheets(table, "paul", subject, f"?entry={before}")
    assert "4 / 12" in sheets(table, "paul", subject, f"?entry={newest}")
    then = sheets(table, "olga", subject, f"?entry={before}")
    assert f"&amp;entry={before}" in then or f"&entry={before}" in then
    assert "Change a value" not in then
    assert "Change a value" in sheets(table, "olga", subject)


def test_a_form_on_a_page_is_another_each_time(table: Table, drawings: list[str]) -> None:
    subject = table.character("pia")

    def form(who: str) -> list[str]:
        body = client_of(table, who).get(address(table, "subject", subject)).content.decode()
        made = body.partition('<div class="sheets"')[2].partition("</form>")[0]
        return re.findall(r'name="(?:command_id|csrfmiddlewaretoken)" value="([^"]+)"', made)

    first, second = form("pia"), form("pia")
    assert len(first) == len(second) == 2
    assert set(first).isdisjoint(second)
    assert form("paul") == []
    assert drawings == ["holders", "holders", "all"]


def test_a_campaign_that_is_erased_is_shown_to_nobody(table: Table) -> None:
    subject = tracker(table)
    to = address(table, "subject", subject)
    assert client_of(table, "pia").get(to).status_code == 200
    table.send("olga", AskErasure(name="The Long Tide"))
    assert erase(table.campaign_id, utc_now() + grace() + timedelta(seconds=1)) is not None
    for who in ("olga", "pia"):
        assert client_of(table, who).get(to).status_code == 404


def test_what_is_kept_is_bounded_and_the_oldest_goes_first(
    drawings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST", 250)
    state, made = State(), list[str]()

    def draw(_state: State, sight: str) -> SafeString:
        made.append(sight)
        return SafeString(sight * 100)

    for sight in ("a", "b", "a", "c", "a", "b"):
        assert kept.kept(state, draw, sight) == sight * 100
    # c drove b out, which had not been asked for since; b drove c out.
    assert made == ["a", "b", "c", "b"]
    state.position += 1
    kept.kept(state, draw, "a")
    assert made[-1] == "a"
    assert kept._size <= 250
