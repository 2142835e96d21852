"""Pairs through commands: the starting array, ratings by hand, who may see them. Ledger: SPI-001 to 005, 089 to 091."""

from typing import Any

import pytest

from campaigns import registry
from campaigns.commands.subjects import CreateSubject
from campaigns.projecting import project_all
from campaigns.store import states
from identity import models
from identity.commands import pairs as pr
from rules import pairs as rp
from rules.refusal import Refused
from tests.identity.season import Season

SIDES = [
    *("bold", "suspicious", "merciful", "forthright", "reserved"),
    *("passionate", "proud", "self_directed", "patient", "experimental"),
]


def rolled_character(season: Season) -> tuple[str, list[int]]:
    made: Any = season.send("pia", CreateSubject(kind="character", name="Orsel")).events[0].event
    rolled: Any = season.send("pia", pr.RollArray(subject=made.subject)).events[-1].event
    return made.subject, list(rolled.results)


def test_array_is_rolled_placed_and_confirmed(season: Season) -> None:
    orsel, results = rolled_character(season)
    assert len(results) == 10 and all(4 <= result <= 18 for result in results)
    placed = {side: number for number, side in enumerate(SIDES, start=1)}
    season.send("pia", pr.PlaceArray(subject=orsel, placed=placed))
    assert not models.Pair.objects.filter(subject=orsel).exists()
    season.send("pia", pr.ConfirmPairs(subject=orsel))
    rows = {row.pair: row for row in models.Pair.objects.filter(subject=orsel)}
    assert rows["bold_cautious"].first_rating == results[0]
    assert rows["trusting_suspicious"].second_rating == results[1]
    assert {row.first_rating + row.second_rating for row in rows.values()} == {20}


def test_array_dice_come_from_the_tables_seed_and_stand_in_the_envelope(season: Season) -> None:
    rolled_character(season)
    event = season.events("pairs.array_rolled")[0]
    assert [draw.audience for draw in event.dice] == ["table"]
    assert [face for draw in event.dice for face in draw.faces] == [f for two in event.event.faces for f in two]


def test_array_is_not_rolled_twice_nor_confirmed_half_placed(season: Season) -> None:
    orsel, _ = rolled_character(season)
    with pytest.raises(Refused) as caught:
        season.send("pia", pr.RollArray(subject=orsel))
    assert caught.value.code == "no_reroll"
    season.send("pia", pr.PlaceArray(subject=orsel, placed={"bold": 1}))
    with pytest.raises(Refused) as caught:
        season.send("pia", pr.ConfirmPairs(subject=orsel))
    assert caught.value.code == "assign_all"


def test_another_players_character_is_not_yours(season: Season) -> None:
    orsel, _ = rolled_character(season)
    for command in (pr.PlaceArray(subject=orsel, placed={"bold": 1}), pr.ConfirmPairs(subject=orsel)):
        with pytest.raises(Refused) as caught:
            season.send("paul", command)
        assert caught.value.code == "not_yours"


def test_gm_sets_a_rating_with_a_reason_and_the_other_side_follows(season: Season) -> None:
    with pytest.raises(Refused) as caught:
        season.send("pia", pr.SetRating(subject=season.talyne, side="bold", rating=20, reason="I want"))
    assert caught.value.code == "not_allowed"
    with pytest.raises(Refused) as caught:
        season.send("olga", pr.SetRating(subject=season.talyne, side="bold", rating=21, reason="Typo"))
    assert (caught.value.code, caught.value.right) == ("rating_out_of_range", "a whole number from 0 to 20")
    with pytest.raises(Refused) as caught:
        season.send("olga", pr.SetRating(subject=season.talyne, side="bold", rating=15, reason=" "))
    assert caught.value.field == "reason"
    season.send("olga", pr.SetRating(subject=season.talyne, side="cautious", rating=9, reason="Agreed at the table"))
    row = models.Pair.objects.get(subject=season.talyne, pair="bold_cautious")
    assert (row.first_rating, row.second_rating) == (11, 9)


def test_a_house_has_its_own_pairs_only(season: Season) -> None:
    with pytest.raises(Refused) as caught:
        season.send("olga", pr.SetRating(subject=season.house, side="personality.bold", rating=12, reason="x"))
    assert caught.value.code == "pair_not_of_this_kind"
    assert models.Pair.objects.filter(subject=season.house).count() == 5


def test_only_gm_and_holders_learn_ratings(season: Season) -> None:
    season.send("olga", pr.SetRating(subject=season.talyne, side="bold", rating=17, reason="CanaryReason"))
    for who in ("olga", "pia"):
        assert any("CanaryReason" in repr(view) for view in season.feed(who))
    for who in ("paul", "wim", "link"):
        told = [view for view in season.feed(who) if view["type"].startswith("pairs.")]
        assert not any("CanaryReason" in repr(view) or view["data"]["subject"] == season.talyne for view in told)


def test_rolls_can_read_ratings(season: Season) -> None:
    with states.held(season.table.campaign_id) as state:
        told = registry.provided(state, season.talyne, "spindrift-identity")
        assert registry.provided(state, season.talyne, "trait-tests") == {}
    assert told["rating"]["bold_cautious"] == 14


def test_projections_made_anew_equal_those_grown(season: Season) -> None:
    season.send("olga", pr.SetRating(subject=season.talyne, side="bold", rating=17, reason="Once"))
    season.send("olga", pr.ShiftPair(subject=season.talyne, toward="bold", reason="Twice"))

    def rows() -> list[object]:
        tables = (models.Pair, models.Mark, models.PairChange, models.PeriodEntry)
        return [
            sorted(repr({k: v for k, v in row.items() if k != "id"}) for row in table.objects.values())
            for table in tables
        ]

    grown = rows()
    with states.held(season.table.campaign_id) as state:
        project_all(season.table.campaign_id, state)
        assert state.part(rp.PairsState).subjects[season.talyne].ratings["bold_cautious"] == 18
    assert rows() == grown
