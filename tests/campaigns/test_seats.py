"""Seats in odd orders: a table without a GM, and one who was removed and holds an old invitation."""

from __future__ import annotations

import pytest

from campaigns.commands.seats import ChangeRole, JoinByLink, Leave, MakeLink, RemoveMember
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
