"""Seats in odd orders: a table without a GM, and one who was removed and holds an old invitation."""

from __future__ import annotations

import pytest

from campaigns.commands.seats import ChangeRole, JoinByLink, Leave, MakeLink, RemoveMember
from campaigns.commands.subjects import RenameSubject
from campaigns.links import token_of
from campaigns.parts.table import Table as TablePart
from campaigns.store import states
from rules.refusal import Refused
from tests.campaigns.tables import Table


def role_of(table: Table, member: str) -> str:
    with states.held(table.campaign_id) as state:
        return state.part(TablePart).members[member].role


def test_a_table_whose_last_gm_has_gone_gets_one_again_from_its_owner(table: Table) -> None:
    owner, paul = table.member("olga"), table.member("paul")
    table.send("olga", ChangeRole(member=paul, role="gm"))
    table.send("olga", ChangeRole(member=owner, role="player"))
    table.send("paul", Leave())
    for who, member in (("pia", table.member("pia")), ("wim", table.member("wim"))):
        with pytest.raises(Refused) as caught:
            table.send(who, ChangeRole(member=member, role="gm"))
        assert caught.value.code == "not_allowed"
    table.send("olga", ChangeRole(member=owner, role="gm"))
    assert role_of(table, owner) == "gm"


def test_one_who_was_removed_comes_back_by_a_newer_invitation_only(table: Table) -> None:
    def join(link: str) -> None:
        table.send("pia", JoinByLink(link=link, token=token_of(table.campaign_id, link), name="Pia"))

    old = table.send("olga", MakeLink(role="player")).events[0].event.link
    pia = table.member("pia")
    table.send("olga", RemoveMember(member=pia))
    with pytest.raises(Refused) as caught:
        join(old)
    assert (caught.value.code, caught.value.field) == ("removed", "link")
    join(table.send("olga", MakeLink(role="player")).events[0].event.link)
    assert role_of(table, pia) == "player"
    table.send("pia", Leave())
    join(old)
    assert role_of(table, pia) == "player"


@pytest.mark.parametrize("name", ["Olga", " olga ", "\uff2f\uff4c\uff47\uff41", "Ol\u200bga", "\u202eOlga"])
def test_nobody_takes_a_seat_under_another_s_name(table: Table, name: str) -> None:
    """Their words in the ledger could not be told apart."""
    link = table.send("olga", MakeLink(role="player", uses=None)).events[0].event.link
    with pytest.raises(Refused) as refused:
        table.send("stan", JoinByLink(link=link, token=token_of(table.campaign_id, link), name=name))
    assert (refused.value.code, refused.value.field) == ("name_taken", "name")


UNSEEN = ["\u200b", "\u200b\u200d\u2060", "\u3164", "\u00ad", "\ufeff", "\U000e0041\U000e0042", " \u2800 "]


@pytest.mark.parametrize("name", UNSEEN)
def test_a_name_that_nobody_sees_is_none(table: Table, name: str) -> None:
    subject = table.character("pia")
    with pytest.raises(Refused) as refused:
        table.send("pia", RenameSubject(subject=subject, name=name))
    assert (refused.value.code, refused.value.field) == ("empty", "name")


def test_what_turns_the_line_or_shows_nothing_is_left_out_of_a_name(table: Table) -> None:
    subject = table.character("pia")
    wizard = "\U0001f9d9\u200d\u2642\ufe0f"
    renamed = table.send("pia", RenameSubject(subject=subject, name=f"\u202elak\u200bcaj{wizard}")).events[0].event
    assert renamed.name == f"lakcaj{wizard}"
