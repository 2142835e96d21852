"""Seasons and years through the job: one close each, the same faces again, and who learns what of them."""

from fractions import Fraction
from typing import Any

import pytest

from campaigns import registry
from campaigns.commands import calendar as c
from campaigns.commands import starting
from campaigns.commands.voiding import VoidAction
from campaigns.feed import cursor_of
from campaigns.parts.seeds import Seeds
from campaigns.projecting import project_all
from campaigns.seeds import face, fixed_counter
from campaigns.store import states
from campaigns.verifying import verify_campaign
from identity import models
from identity.commands.development import RollAdvancement
from identity.parts.marks import Marks, standing_of
from rules import calendar as rc
from rules import development as rd
from rules.refusal import Refused
from tests.identity.season import Season, at, utc


def mark_three_weeks(season: Season) -> None:
    with at(2026, 1, 25, 12):
        season.award("bold", 2026, 1, 6)
        season.award("bold", 2026, 1, 13, note="Held the bridge")
        season.award("cautious", 2026, 1, 20)
        season.award("patient", 2026, 1, 20)


def results(season: Season) -> dict[str, Any]:
    event: Any = season.events("development.settled")[-1].event
    return {result.pair: result for result in event.results}


def test_opposed_marks_cancel_one_roll_a_pair_and_marks_are_gone(season: Season) -> None:
    mark_three_weeks(season)
    season.run_jobs(2026, 2, 2)
    came = results(season)
    bold = came["bold_cautious"]
    assert (bold.toward, bold.remaining, bold.bonus, bold.rating) == ("bold", 1, 0, 14)
    assert bold.shifted == (bold.face > 14)
    assert season.first("bold_cautious") == 14 + bold.shifted
    assert season.first("patient_impulsive") == 10 + came["patient_impulsive"].shifted
    assert set(came) == {"bold_cautious", "patient_impulsive"}
    assert not models.Mark.objects.exists()


def test_each_face_is_recorded_and_follows_from_season_subject_and_pair(season: Season) -> None:
    mark_three_weeks(season)
    season.run_jobs(2026, 2, 2)
    settled = season.events("development.settled")[0]
    assert settled.cause == season.events("period.closed")[-1].position
    draws = {draw.first: draw for draw in settled.dice}
    season.run_jobs(2026, 3, 3)
    revealed: Any = next(e.event for e in season.events("seed.revealed") if e.event.audience == "close.1")
    assert revealed.drawn == 2
    for pair, result in results(season).items():
        counter = fixed_counter(f"season:1 {season.talyne} personality.{pair}")
        assert (draws[counter].audience, draws[counter].faces) == ("close.1", (result.face,))
        assert face(bytes.fromhex(revealed.seed), counter, 20) == result.face


def test_a_close_taken_back_and_done_again_rolls_the_same_faces(season: Season) -> None:
    mark_three_weeks(season)
    season.run_jobs(2026, 2, 3)
    before = results(season)
    with at(2026, 2, 3, 12):
        season.send("olga", c.TakeBackClose(rung="season", number=1, reason="A mark was forgotten"))
        assert season.first("bold_cautious") == 14
        assert models.Mark.objects.count() == 4
        told = [entry["says"] for entry in season.feed("pia")[-2:]]
        assert told[0].startswith("Taken back: Year 1, Spring ") and told[0].endswith(". Why: A mark was forgotten")
        assert told[1] == "Year 1, Spring is to be closed once more."
        season.award("bold", 2026, 1, 27)
        season.send("olga", c.ClosePeriod(rung="season", number=1, attempt=2))
    again = results(season)
    assert {pair: result.face for pair, result in again.items()} == {p: r.face for p, r in before.items()}
    assert (again["bold_cautious"].remaining, again["bold_cautious"].bonus) == (2, 1)
    assert season.first("bold_cautious") == 14 + again["bold_cautious"].shifted
    assert models.PeriodEntry.objects.filter(rung="season", number=1).exclude(title="").count() == 1


def test_a_close_whose_seed_is_revealed_stands(season: Season) -> None:
    season.run_jobs(2026, 3, 3)
    with at(2026, 3, 3):
        with states.held(season.table.campaign_id) as state:
            assert set(state.part(Seeds).running) >= {"close.2", "close.3"}
            assert "close.1" not in state.part(Seeds).running
        with pytest.raises(Refused):
            season.send("olga", c.TakeBackClose(rung="season", number=1))
        season.send("olga", c.TakeBackClose(rung="season", number=2))
        with pytest.raises(Refused) as caught:
            season.send("olga", c.TakeBackClose(rung="season", number=1))
    assert caught.value.code == "dice_revealed"


def test_holders_see_the_rolls_others_only_what_rose(season: Season) -> None:
    with at(2026, 1, 25, 12):
        season.award("cautious", 2026, 1, 6, note="CanaryNote")
        season.award("cautious", 2026, 1, 13)
        season.award("cautious", 2026, 1, 20)
    season.run_jobs(2026, 2, 2)
    rose = results(season)["bold_cautious"].shifted
    for who in ("olga", "pia"):
        assert "development.settled" in {view["type"] for view in season.feed(who)}
        assert "CanaryNote" in repr(season.feed(who))
    for who in ("paul", "wim", "link"):
        views = season.feed(who)
        assert {"period.closed"} <= {view["type"] for view in views}
        assert not {"development.settled", "mark.awarded"} & {view["type"] for view in views}
        shown = [view for view in views if view["type"] == "development.shown"]
        assert len(shown) == (rose and who == "paul")
        assert not any({"face", "rating", "marks"} & set(repr(view).replace("'", " ").split()) for view in shown)
        assert all("recorded" not in view["data"] for view in views)


def test_watchers_learn_what_rose_where_it_is_published(season: Season) -> None:
    season.send("olga", starting.ChangeSetting(setting="publish_seasons", value=True))
    with at(2026, 1, 25, 12):
        for side in ("cautious", "suspicious", "severe", "subtle", "open", "proud", "dutiful", "patient"):
            season.award(side, 2026, 1, 6)
    season.run_jobs(2026, 2, 2)
    rose = any(result.shifted for result in results(season).values())
    assert any(view["type"] == "development.shown" for view in season.feed("link")) == rose


def test_houses_are_settled_at_the_years_end(season: Season) -> None:
    with at(2026, 1, 7):
        season.award("individual", 2026, 1, 6, subject=season.house)
    season.run_jobs(2026, 4, 26)
    assert not season.events("development.settled")
    assert season.run_jobs(2026, 4, 27) == 3
    settled: Any = season.events("development.settled")[0].event
    assert (settled.rung, settled.number, settled.results[0].rating) == ("year", 1, 5)


def test_an_outage_of_forty_days_settles_each_season_with_its_own_marks(season: Season) -> None:
    with at(2026, 2, 14, 12):
        season.award("bold", 2026, 1, 6)
        season.award("bold", 2026, 2, 10)
    assert season.run_jobs(2026, 2, 14) == 6
    assert season.run_jobs(2026, 3, 2) == 4
    settled: Any = [event.event for event in season.events("development.settled")]
    assert [(event.number, len(event.marks)) for event in settled] == [(1, 1), (2, 1)]
    assert season.events("development.settled")[0].stamp.season == 1


def test_preview_says_what_the_close_then_does(season: Season) -> None:
    mark_three_weeks(season)
    with states.held(season.table.campaign_id) as state:
        standing = standing_of(state)
        found = rc.period(standing.calendar, "season", 1)
        assert found is not None
        plan = rd.plan_close(standing, found)
    lines = {line.pair: line for line in plan.lines}
    assert (lines["bold_cautious"].needed, lines["bold_cautious"].chance) == (15, Fraction(6, 20))
    season.run_jobs(2026, 2, 2)
    assert {pair: result.rating for pair, result in results(season).items()} == {p: x.rating for p, x in lines.items()}


def players_roll(season: Season) -> list[str]:
    setting = "spindrift-identity/identity.advancement_roller"
    season.send("olga", starting.ChangeSetting(setting=setting, value="owner_player"))
    mark_three_weeks(season)
    season.run_jobs(2026, 2, 2)
    with states.held(season.table.campaign_id) as state:
        return list(state.part(Marks).kept.open_rolls)


def test_players_roll_and_the_job_rolls_the_rest(season: Season) -> None:
    first, second = players_roll(season)
    assert registry.projections["calendar"]
    with at(2026, 2, 4):
        for who, code in (("paul", "no_such_roll"), ("olga", "player_rolls")):
            with pytest.raises(Refused) as caught:
                season.send(who, RollAdvancement(roll=first))
            assert caught.value.code == code
        season.send("pia", RollAdvancement(roll=first))
        with pytest.raises(Refused):
            season.send("pia", RollAdvancement(roll=first))
    season.run_jobs(2026, 2, 9)
    rolled: Any = [event.event for event in season.events("development.rolled")]
    assert [(event.roll, event.by) for event in rolled] == [(first, "holder"), (second, "server")]
    assert season.first("bold_cautious") == 14 + rolled[0].result.shifted


def test_taking_back_takes_the_players_rolls_along_and_they_roll_the_same(season: Season) -> None:
    first, _ = players_roll(season)
    with at(2026, 2, 4):
        season.send("pia", RollAdvancement(roll=first))
        before: Any = season.events("development.rolled")[0].event
        season.send("olga", c.TakeBackClose(rung="season", number=1))
        assert season.first("bold_cautious") == 14
        season.send("olga", c.ClosePeriod(rung="season", number=1, attempt=2))
        season.send("pia", RollAdvancement(roll=first))
        after: Any = season.events("development.rolled")[1].event
    assert after.result.face == before.result.face


def test_a_roll_whose_pair_was_taken_back_says_that_nothing_was_rolled(season: Season) -> None:
    """It stays told for ever, so that it has to be readable."""
    rolls = players_roll(season)
    opened = next(e for e in season.events("pairs.opened") if e.event.subject == season.talyne)
    season.send("olga", VoidAction(entry=cursor_of(season.table.campaign_id, opened.position), reason="Another's"))
    with at(2026, 2, 4):
        season.send("pia", RollAdvancement(roll=rolls[0]))
    said = [entry["says"] for entry in season.feed("pia") if entry["type"] == "development.rolled"]
    assert said == ["Nothing was rolled for Talyne: what it was for is gone."]


def test_projections_made_anew_equal_those_grown(season: Season) -> None:
    mark_three_weeks(season)
    season.run_jobs(2026, 2, 3)
    with at(2026, 2, 3):
        season.send("olga", c.TakeBackClose(rung="season", number=1))
        season.send("olga", c.ClosePeriod(rung="season", number=1, attempt=2))
    tables = (models.Pair, models.Mark, models.PairChange, models.PeriodEntry)

    def rows() -> list[object]:
        return [sorted(repr({k: v for k, v in r.items() if k != "id"}) for r in t.objects.values()) for t in tables]

    grown = rows()
    with states.held(season.table.campaign_id) as state:
        states.forget(season.table.campaign_id)
        assert states.fold(season.table.campaign_id, state.position).parts == state.parts
        project_all(season.table.campaign_id, state)
    assert rows() == grown
    assert utc(2026, 2, 1, 23, 59, 59) in {row.happened_at for row in models.PairChange.objects.all()} or not any(
        result.shifted for result in results(season).values()
    )


def test_closes_verify_like_all_dice_also_where_one_was_taken_back(season: Season) -> None:
    mark_three_weeks(season)
    season.run_jobs(2026, 2, 3)
    with at(2026, 2, 3, 12):
        season.send("olga", c.TakeBackClose(rung="season", number=1))
        season.send("olga", c.ClosePeriod(rung="season", number=1, attempt=2))
    assert verify_campaign(season.table.campaign_id).findings == []
    season.run_jobs(2026, 3, 3)
    report = verify_campaign(season.table.campaign_id)
    assert report.findings == [] and report.sealed == 0 and report.dice == 4
