"""What a subject may be follows from the campaign's packs."""

from __future__ import annotations

import re

import msgspec
import pytest
from django.urls import reverse

from campaigns.character_files import CharacterFile, SheetFile
from campaigns.commands.making import ImportCharacter
from campaigns.commands.subjects import CreateSubject
from rules.refusal import Refused
from tests.campaigns.tables import make_table
from tests.frontend.test_pages import client_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_kind_that_no_pack_knows_is_refused_with_those_there_are() -> None:
    table = make_table({"spindrift-identity": ""})
    with pytest.raises(Refused) as caught:
        table.send("pia", CreateSubject(kind="charcter", name="Talyne"))
    assert (caught.value.code, caught.value.field, caught.value.value) == ("no_such_kind", "kind", "charcter")
    assert caught.value.right == "one of character, faction, house"
    assert table.character("pia")


@pytest.mark.parametrize(
    ("pack", "kinds"),
    [("frontiers-fantasy", ("adversary", "party")), ("trait-tests", ("npc", "table")), ("attribute-checks", ("npc",))],
)
def test_a_player_lets_in_what_players_make_and_a_game_master_all(pack: str, kinds: tuple[str, ...]) -> None:
    table = make_table({pack: ""})
    assert table.character("pia")
    form = client_of(table, "pia").get(reverse("new_subject", args=[table.campaign_id])).content.decode()
    assert re.findall(r'<option value="([^"]+)"', form) == ["character"]
    for kind in kinds:
        with pytest.raises(Refused) as caught:
            table.send("pia", CreateSubject(kind=kind, name="Grim"))
        assert (caught.value.code, caught.value.right) == ("not_made_by_players", "one of character")
        assert table.send("olga", CreateSubject(kind=kind, name="Grim")).events
    own = client_of(table, "olga").get(reverse("new_subject", args=[table.campaign_id])).content.decode()
    assert set(re.findall(r'<option value="([^"]+)"', own)) == {"character", *kinds}


def test_a_second_one_of_a_name_is_brought_on_purpose_only_and_hidden_names_are_not_told() -> None:
    table = make_table({"trait-tests": ""})
    table.character("pia")
    file = CharacterFile(name="Talyne", kind="character", sheets={"trait-tests": SheetFile()})
    with pytest.raises(Refused) as caught:
        table.send("olga", ImportCharacter(character=file))
    assert (caught.value.code, caught.value.field) == ("same_name", "character.name")
    assert "a second Talyne" in caught.value.message
    assert table.send("olga", ImportCharacter(character=file, again=True)).events
    table.send("olga", CreateSubject(kind="character", name="Vael", hidden=True))
    unknown = msgspec.structs.replace(file, name="Vael")
    for who, code in (("olga", "same_name"), ("pia", "gm_only")):
        with pytest.raises(Refused) as caught:
            table.send(who, ImportCharacter(character=unknown))
        assert caught.value.code == code


def test_without_packs_a_subject_is_called_what_the_table_likes() -> None:
    assert make_table().character("pia", kind="sailor")
