"""Marks and rolls of a subject that was put away rest: no close reaches them before it is back."""

from campaigns.commands.subjects import BringBackSubject, PutAwaySubject
from campaigns.store import states
from identity import models
from identity.reads import preview
from tests.identity.season import Season, at, utc


def test_a_close_passes_over_who_was_put_away_and_settles_it_once_back(season: Season) -> None:
    with at(2026, 1, 25, 12):
        season.award("bold", 2026, 1, 6)
        season.award("dynastic", 2026, 1, 7, subject=season.house)
        season.send("olga", PutAwaySubject(subject=season.talyne))
        with states.held(season.table.campaign_id) as state:
            lines = preview(state, season.table.viewer("olga"), utc(2026, 1, 25, 12), "season").lines
        assert not any(line.subject == season.talyne for line in lines)
    season.run_jobs(2026, 2, 2)
    assert not any(event.event.subject == season.talyne for event in season.events("development.settled"))
    assert models.Mark.objects.filter(subject=season.talyne).count() == 1
    with at(2026, 2, 10, 12):
        season.send("olga", BringBackSubject(subject=season.talyne))
    season.run_jobs(2026, 3, 2)
    (settled,) = [e.event for e in season.events("development.settled") if e.event.subject == season.talyne]
    assert [result.pair for result in settled.results] == ["bold_cautious"]
    assert not models.Mark.objects.filter(subject=season.talyne).exists()
