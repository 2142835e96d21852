"""The one entrance: once a command, whole or not at all, refused with reasons."""

from uuid import uuid4

import pytest

from campaigns import models
from campaigns.commands.seats import (
    ChangeRole,
    HandOverOwnership,
    JoinByLink,
    Leave,
    MakeLink,
    RemoveMember,
    RevokeLink,
)
from campaigns.commands.starting import AskErasure, ChangeSetting, RenameCampaign
from campaigns.commands.subjects import CreateSubject, HandOverSubject, RenameSubject
from campaigns.links import token_of
from campaigns.parts.subjects import Subjects
from campaigns.parts.table import Table as TablePart
from campaigns.projecting import project_all
from campaigns.store import states
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table


def positions(table: Table) -> list[int]:
    events = models.Event.objects.filter(campaign_id=table.campaign_id)
    return list(events.order_by("position").values_list("position", flat=True))


def test_positions_are_gap_free_and_head_agrees(table: Table) -> None:
    table.send("olga", RenameCampaign(name="Spring Tide"))
    head = models.Campaign.objects.get(id=table.campaign_id)
    assert positions(table) == list(range(1, head.position + 1))
    assert head.name == "Spring Tide"


def test_same_command_id_appends_once_and_answers_the_same(table: Table) -> None:
    command_id = uuid4()
    first = table.send("pia", CreateSubject(kind="character", name="Talyne"), command_id)
    count = len(positions(table))
    again = table.send("pia", CreateSubject(kind="character", name="Talyne"), command_id)
    assert again.again and not first.again
    assert [e.id for e in again.events] == [e.id for e in first.events]
    assert len(positions(table)) == count


def test_same_command_id_for_another_command_is_refused(table: Table) -> None:
    command_id = uuid4()
    table.send("olga", RenameCampaign(name="Neap Tide"), command_id)
    with pytest.raises(Refused) as caught:
        table.send("olga", RenameCampaign(name="Ebb"), command_id)
    assert caught.value.code == "command_id_used"


def test_expected_position_refuses_a_stale_page(table: Table) -> None:
    head = models.Campaign.objects.get(id=table.campaign_id).position
    table.send("olga", RenameCampaign(name="Neap Tide"), expected=head)
    with pytest.raises(Refused) as caught:
        table.send("olga", RenameCampaign(name="Ebb"), expected=head)
    assert caught.value.code == "moved_on"


@pytest.mark.parametrize("who", ["pia", "wim", "stan"])
def test_only_gms_rename(table: Table, who: str) -> None:
    with pytest.raises(Refused) as caught:
        table.send(who, RenameCampaign(name="Mine"))
    assert caught.value.code == "not_allowed"


@pytest.mark.parametrize("bad, code", [("", "empty"), ("  ", "empty"), ("x" * 81, "too_long")])
def test_bad_names_are_refused_with_field_and_right(table: Table, bad: str, code: str) -> None:
    before = len(positions(table))
    with pytest.raises(Refused) as caught:
        table.send("olga", RenameCampaign(name=bad))
    assert (caught.value.code, caught.value.field) == (code, "name")
    assert caught.value.right
    assert len(positions(table)) == before


def test_a_player_cannot_act_for_anothers_character(table: Table) -> None:
    talyne = table.character("pia")
    with pytest.raises(Refused) as caught:
        table.send("paul", RenameSubject(subject=talyne, name="Paul's now"))
    assert caught.value.code == "not_yours"


def test_handing_over_a_character(table: Table) -> None:
    talyne = table.character("pia")
    table.send("pia", HandOverSubject(subject=talyne, players=(table.member("paul"),)))
    assert table.viewer("paul").plays == {talyne}
    assert table.viewer("pia").plays == frozenset()


def test_leaving_keeps_the_character_and_the_history(table: Table) -> None:
    talyne = table.character("pia")
    table.send("pia", Leave())
    with states.held(table.campaign_id) as state:
        assert state.part(Subjects).by_id[talyne].players == []
    with pytest.raises(Refused):
        table.viewer("pia")
    assert models.Member.objects.get(campaign_id=table.campaign_id, name="Pia").role == ""


def test_coming_back_gives_the_old_seat(table: Table) -> None:
    before = table.member("pia")
    table.send("pia", Leave())
    assert table.seat("pia", "player") == before


def test_owner_cannot_be_ousted_and_hands_over_explicitly(table: Table) -> None:
    paul = table.seat("stan", "gm")
    for command in (RemoveMember(member=table.member("olga")), ChangeRole(member=table.member("olga"), role="player")):
        with pytest.raises(Refused):
            table.send("stan", command)
    with pytest.raises(Refused):
        table.send("olga", Leave())
    table.send("olga", HandOverOwnership(member=paul))
    with states.held(table.campaign_id) as state:
        assert state.part(TablePart).owner == paul
    table.send("olga", Leave())


def test_links_expire_by_use_and_revocation(table: Table) -> None:
    made = table.send("olga", MakeLink(role="player", uses=1)).events[0].event
    token = token_of(table.campaign_id, made.link)
    with pytest.raises(Refused) as caught:
        table.send("stan", JoinByLink(link=made.link, token="x" * 22, name="Stan"))
    assert caught.value.code == "no_such_link"
    table.send("olga", RevokeLink(link=made.link))
    with pytest.raises(Refused) as caught:
        table.send("stan", JoinByLink(link=made.link, token=token, name="Stan"))
    assert caught.value.code == "no_such_link"


def test_settings_keep_their_type(table: Table) -> None:
    with pytest.raises(Refused) as caught:
        table.send("olga", ChangeSetting(setting="publish_tests", value="yes"))
    assert caught.value.right == "true or false"
    table.send("olga", ChangeSetting(setting="publish_tests", value=True))
    with states.held(table.campaign_id) as state:
        assert state.part(TablePart).setting("publish_tests", False) is True


def test_erasing_is_the_owners_and_needs_the_name(table: Table) -> None:
    with pytest.raises(Refused) as caught:
        table.send("pia", AskErasure(name="The Long Tide"))
    assert caught.value.code == "owner_only"
    with pytest.raises(Refused) as caught:
        table.send("olga", AskErasure(name="Long Tide"))
    assert caught.value.field == "name"
    table.send("olga", AskErasure(name="The Long Tide"))
    assert models.Campaign.objects.get(id=table.campaign_id).deleted_at is not None


def test_projections_made_anew_equal_those_grown(table: Table) -> None:
    table.character("pia")
    table.send("pia", Leave())

    def rows() -> list[object]:
        tables = (models.Campaign, models.Member, models.Subject)
        return [list(m.objects.order_by("pk").values()) for m in tables]

    grown = rows()
    with states.held(table.campaign_id) as state:
        project_all(table.campaign_id, state)
    assert rows() == grown


def test_state_folded_afresh_equals_state_kept(table: Table) -> None:
    table.character("pia")
    with states.held(table.campaign_id) as kept:
        states.forget(table.campaign_id)
        assert states.fold(table.campaign_id, kept.position).parts == kept.parts


def test_events_refuse_change_by_every_orm_path(table: Table) -> None:
    event = models.Event.objects.filter(campaign_id=table.campaign_id).first()
    assert event is not None
    for change in (
        event.save,
        event.delete,
        models.Event.objects.all().delete,
        lambda: models.Event.objects.update(type="x"),
        lambda: models.Event.objects.bulk_update([event], ["type"]),
        lambda: models.Event.objects.bulk_create([event]),
    ):
        with pytest.raises(models.AppendOnly):
            change()


def test_settings_of_packs_are_checked_by_the_pack(transactional_db: None) -> None:
    table = make_table({"spindrift-identity": ""})
    for setting, value, code in (
        ("trait-tests/x", 1, "unknown_pack"),
        ("spindrift-identity/identity.seson_weeks", 3, "unknown_setting"),
        ("spindrift-identity/identity.season_weeks", 0, "setting_value"),
    ):
        with pytest.raises(Refused) as caught:
            table.send("olga", ChangeSetting(setting=setting, value=value))
        assert caught.value.code == code
    table.send("olga", ChangeSetting(setting="spindrift-identity/identity.season_weeks", value=3))
