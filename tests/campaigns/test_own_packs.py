"""A pack of the table's own: brought whole, checked, played, upgraded, taken along, erased; and nobody else's."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from campaigns.commands.calls import CallTest, DropTest, RollTest
from campaigns.commands.own_packs import MOST_OWN, MOST_VERSIONS, BringPack
from campaigns.commands.packs import AddPack, LayOverlay, RemoveOverlay, UpgradePack
from campaigns.commands.sheets import ChangeSheet
from campaigns.commands.starting import AskErasure, StartCampaign
from campaigns.context import Actor
from campaigns.entrance import execute, found, utc_now
from campaigns.erasing import erase, grace
from campaigns.feed import newer
from campaigns.fitting import under_way, unfit
from campaigns.models import Campaign, OwnPack
from campaigns.packs import Packs
from campaigns.parts.calls import Calls
from campaigns.parts.packs import PacksState
from campaigns.parts.sheets import Sheets
from campaigns.parts.table import Table as TablePart
from campaigns.rebuilding import rebuild
from campaigns.rule_files import MOST_BYTES_OWN
from campaigns.store import rows, states
from campaigns.transfer.exporting import export_whole
from rules.packs import pack_ids
from rules.refusal import Refused
from tests.campaigns.tables import Table, make_table

RULES = """
kinds:
  hero:
    title: Hero
    stats: {grit: {type: int, min: 0, max: 9, default: 2, title: Grit}}
tests:
  attempt:
    title: A try
    roles: {hero: {kinds: [hero]}}
    inputs: {how: {type: name, options: [fast, slow], default: fast}}
    steps:
      - {roll: d6, sides: 6}
      - {ask: again, flag: true, title: "Again, after a {d6.total}?"}
      - {outcome: done, when: "d6.total + hero.grit >= 4"}
      - {outcome: undone}
    outcomes: {done: {title: Done, success: true}, undone: {title: Undone, success: false}}
"""


def whole(version: str = "1.0.0", rules: str = RULES, **more: str) -> dict[str, str]:
    """The files of a pack of one's own."""
    about = {"id": "glass", "title": "Glass", "source": "Ours", "rights": "Ours", **more, "version": version}
    head = "".join(f"{name}: {value}\n" for name, value in about.items())
    return {"pack.yaml": head, "rules.yaml": rules, "cases/a.yaml": "nobody: reads this"}


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table()


@pytest.fixture
def playing(table: Table) -> Table:
    table.send("olga", BringPack(files=whole()))
    return table


def refused(table: Table, who: str, command: object) -> Refused:
    with pytest.raises(Refused) as caught:
        table.send(who, command)  # type: ignore[arg-type]
    return caught.value


def hero(table: Table, grit: int = 3) -> str:
    subject = table.character("pia", "Hal", "hero")
    table.send("pia", ChangeSheet(subject=subject, pack="glass", values={"grit": grit}))
    return subject


def called(table: Table, subject: str) -> str:
    sent = table.send("pia", CallTest(pack="glass", test="attempt", roles={"hero": subject}, given={"how": "slow"}))
    return str(sent.events[0].event.call)


def test_the_first_version_is_played_at_once_and_only_here(playing: Table) -> None:
    table, elsewhere = playing, make_table()
    with states.held(table.campaign_id) as state:
        assert (Packs(state).get("glass").version, list(state.part(TablePart).packs)) == ("1.0.0", ["glass"])
    assert table.send("olga", BringPack(files=whole())).events == ()
    assert "glass" not in pack_ids()
    assert refused(elsewhere, "olga", AddPack(pack="glass")).code == "unknown_pack"
    seen = [entry.view for entry in newer_of(table, "pia")]
    assert [view["type"] for view in seen if view["type"].startswith("pack.")] == ["pack.added"]
    assert all("files" not in entry.view["data"] for entry in newer_of(table, "olga"))


def newer_of(table: Table, who: str):  # type: ignore[no-untyped-def]
    viewer = table.viewer(who)
    with states.held(table.campaign_id) as state:
        return newer(state, viewer, 0)


def test_a_player_brings_none(table: Table) -> None:
    assert refused(table, "pia", BringPack(files=whole())).code == "not_allowed"
    assert refused(table, "stan", BringPack(files=whole())).code == "not_allowed"
    assert not OwnPack.objects.exists()


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        ({}, "pack_problems", "the manifest is missing"),
        (whole(rules=RULES.replace("hero.grit", "hero.gritt")), "pack_problems", "rules.yaml:14:"),
        (
            whole(rules=RULES.replace("roles:", "rolls:").replace("title: Done", "titel: Done")),
            "pack_problems",
            "titel",
        ),
        (whole(rights="[]"), "pack_problems", "pack.yaml:4:9"),
        (whole(id="trait-tests"), "id_taken", "This server has a pack 'trait-tests'"),
        (whole(needs="{other: '>=1.0'}"), "pack_needs", "glass needs other"),
        ({**whole(), "big.yaml": "#" * MOST_BYTES_OWN}, "too_large", "smaller"),
        ({**whole(), "../up.yaml": ""}, "wrong_value", "no file of rules"),
        ({**whole(), "rules.yml": ""}, "wrong_value", "no file of rules"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(table: Table, files: dict[str, str], code: str, said: str) -> None:
    found = refused(table, "olga", BringPack(files=files))
    assert found.code == code and said in found.message
    assert not OwnPack.objects.exists()


def test_every_problem_is_told_at_once(table: Table) -> None:
    rules = RULES.replace("hero.grit", "hero.gritt").replace("- {outcome: undone}", "- {outcome: undnoe}")
    told = refused(table, "olga", BringPack(files=whole(rules=rules))).message
    assert "rules.yaml:14:" in told and "rules.yaml:15:" in told and "undone" in told


def test_a_later_version_waits_is_previewed_and_carries_sheets_over(playing: Table) -> None:
    table = playing
    subject = hero(table, 7)
    assert refused(table, "olga", BringPack(files=whole(rules=RULES.replace(">= 4", ">= 5")))).code == "version_taken"
    less = RULES.replace("max: 9", "max: 5")
    assert [e.type for e in table.send("olga", BringPack(files=whole("1.1.0", less))).events] == ["pack.brought"]
    with states.held(table.campaign_id) as state:
        waiting = Packs(state).waiting("glass")
        assert (Packs(state).get("glass").version, waiting and waiting.version) == ("1.0.0", "1.1.0")
    moved = UpgradePack(pack="glass", version="1.1.0", digest="0" * 64)
    assert refused(table, "olga", moved).code == "unknown_version"
    moved.digest = waiting.digest if waiting else ""
    assert [e.type for e in table.send("olga", moved).events] == ["pack.upgraded", "sheet.carried"]
    with states.held(table.campaign_id) as state:
        assert Packs(state).get("glass").version == "1.1.0" and Packs(state).waiting("glass") is None
        assert state.part(Sheets).sheet(subject, "glass").values == {}


def test_a_campaign_begins_with_it(db: None, django_user_model: type, transactional_db: None) -> None:
    user = django_user_model.objects.create_user("vera").pk  # type: ignore[attr-defined]
    begun = uuid4()
    wrong = StartCampaign(name="Glass", owner_name="Vera", files={"pack.yaml": "id: glass"})
    with pytest.raises(Refused) as caught:
        found(begun, wrong, Actor(user=user), command_id=uuid4())
    assert caught.value.code == "pack_problems" and not Campaign.objects.exists()
    start = StartCampaign(name="Glass", owner_name="Vera", packs={"trait-tests": ""}, files=whole())
    found(begun, start, Actor(user=user), command_id=uuid4())
    with states.held(begun) as state:
        assert list(state.part(TablePart).packs) == ["trait-tests", "glass"]
        assert Packs(state).get("glass").version == "1.0.0"


def test_how_many_a_campaign_keeps(table: Table) -> None:
    for number in range(MOST_OWN):
        table.send("olga", BringPack(files=whole(id=f"glass-{number}", rules="tables: {}")))
    assert refused(table, "olga", BringPack(files=whole(rules="tables: {}"))).right == f"at most {MOST_OWN}"
    for number in range(MOST_VERSIONS - MOST_OWN):
        table.send("olga", BringPack(files=whole(f"1.{number + 1}.0", "tables: {}", id="glass-0")))
    last = BringPack(files=whole("2.0.0", "tables: {}", id="glass-0"))
    assert refused(table, "olga", last).right == f"at most {MOST_VERSIONS}"


def test_it_is_read_again_by_another_process_and_after_a_rebuild(playing: Table) -> None:
    from campaigns import packs

    hero(playing)
    digest = OwnPack.objects.get().digest
    rows.clear(OwnPack, playing.campaign_id)
    for _ in range(2):
        packs._compiled.cache_clear()
        states.forget(playing.campaign_id)
        list(rebuild(playing.campaign_id))
    assert OwnPack.objects.get().digest == digest
    with states.held(playing.campaign_id) as state:
        assert Packs(state).get("glass").digest == digest


def test_it_goes_along_with_an_export_and_is_erased_with_its_campaign(playing: Table, tmp_path: Path) -> None:
    from campaigns import packs

    subject, table = hero(playing), playing
    table.send("olga", BringPack(files=whole("1.1.0", RULES.replace(">= 4", ">= 5"))))
    file = tmp_path / "whole.tidebook"
    with file.open("wb") as out:
        export_whole(table.campaign_id, out)
    with states.held(table.campaign_id) as state:
        name, owner = state.part(TablePart).name, table.users["olga"]
    table.send("olga", AskErasure(name=name))
    assert erase(table.campaign_id, utc_now() + grace() + timedelta(seconds=1)) is not None
    assert not OwnPack.objects.exists()
    packs._compiled.cache_clear()
    packs.own_pack.cache_clear()
    from campaigns.transfer.importing import import_campaign

    import_campaign(file, owner)
    with states.held(table.campaign_id) as state:
        waiting = Packs(state).waiting("glass")
        assert (Packs(state).get("glass").version, waiting and waiting.version) == ("1.0.0", "1.1.0")
        assert state.part(Sheets).sheet(subject, "glass").values == {"grit": 3}


def test_open_tests_that_no_longer_fit_are_closed_by_the_change_that_unfits_them(playing: Table) -> None:
    table, subject = playing, hero(playing)
    kept, gone = called(table, subject), RULES.replace("attempt:", "another:")
    fewer = RULES.replace("[fast, slow]", "[fast, faster]")
    for version, rules, why in (("1.1.0", gone, "no such test"), ("1.2.0", fewer, "'slow'")):
        table.send("olga", BringPack(files=whole(version, rules)))
        with states.held(table.campaign_id) as state:
            packs = Packs(state)
            (one,) = unfit(state, packs.plain("glass"), packs.newest("glass"))
        assert one.call == kept and why in one.why
    events = table.send("olga", UpgradePack(pack="glass", version="1.2.0")).events
    assert [e.type for e in events] == ["test.dropped", "pack.upgraded"]
    with states.held(table.campaign_id) as state:
        assert state.part(Calls).open == {}


def test_what_still_fits_stays_open_and_what_has_begun_is_named(playing: Table) -> None:
    table, subject = playing, hero(playing, 7)
    call = called(table, subject)
    # Less grit than the hero has: the sheet is carried over in the same step, and the test goes on with it.
    table.send("olga", BringPack(files=whole("1.1.0", RULES.replace("max: 9", "max: 5"))))
    events = table.send("olga", UpgradePack(pack="glass", version="1.1.0")).events
    assert [e.type for e in events] == ["pack.upgraded", "sheet.carried"]
    table.send("pia", RollTest(call=call))
    lay = LayOverlay(pack="glass", files={"overlay.yaml": "{on: glass, version: 1.1.0, removes: [tests.attempt]}"})
    stands = refused(table, "olga", lay)
    assert stands.code == "test_under_way" and "A try (Hal)" in stands.message
    with states.held(table.campaign_id) as state:
        assert [one.call for one in under_way(state, "glass")] == [call]
    table.send("pia", RollTest(call=call, choices={"again": True}))
    table.send("olga", lay)
    assert refused(table, "pia", CallTest(pack="glass", test="attempt", roles={"hero": subject})).code == "unknown_test"
    table.send("olga", RemoveOverlay(pack="glass"))
    called(table, subject)


def test_a_test_whose_rules_are_gone_can_be_dropped_though_it_began(playing: Table) -> None:
    """No command leaves one behind; the stream of an older version may."""
    table, subject = playing, hero(playing)
    call = called(table, subject)
    table.send("pia", RollTest(call=call))
    with states.held(table.campaign_id) as state:
        state.part(Calls).open[call].test = "gone"
    stands = refused(table, "pia", RollTest(call=call, choices={"again": True}))
    assert (stands.code, stands.field) == ("unknown_test", "test")
    assert [e.type for e in table.send("olga", DropTest(call=call)).events] == ["test.dropped"]


def test_the_command_line_brings_one(table: Table, tmp_path: Path) -> None:
    for name, text in whole(rules=RULES.replace("hero.grit", "hero.gritt")).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    from django.contrib.auth.models import User

    said, who = StringIO(), User.objects.get(pk=table.users["olga"]).username
    where = (str(table.campaign_id), str(tmp_path), "--as", who)
    with pytest.raises(CommandError, match="rules.yaml:14"):
        call_command("bring_pack", *where)
    (tmp_path / "rules.yaml").write_text(RULES)
    call_command("bring_pack", *where, stdout=said)
    assert "glass 1.0.0 is played now" in said.getvalue()
    (tmp_path / "pack.yaml").write_text(whole("1.1.0")["pack.yaml"])
    call_command("bring_pack", *where, stdout=said)
    assert "glass 1.1.0 waits" in said.getvalue()
    with states.held(table.campaign_id) as state:
        assert state.part(PacksState).own["glass"].version == "1.1.0"
    player = User.objects.get(pk=table.users["pia"]).username
    with pytest.raises(CommandError, match="not yours to do"):
        call_command("bring_pack", str(table.campaign_id), str(tmp_path), "--as", player)


def test_a_second_press_brings_it_once(table: Table) -> None:
    press, command = uuid4(), BringPack(files=whole())
    first = execute(table.campaign_id, command, Actor(user=table.users["olga"]), command_id=press)
    again = execute(table.campaign_id, command, Actor(user=table.users["olga"]), command_id=press)
    assert again.again and [e.position for e in again.events] == [e.position for e in first.events]


def test_a_test_that_computes_for_minutes_is_stopped_and_nothing_happened(table: Table) -> None:
    """The campaign's lock is held meanwhile, and with SQLite every other campaign's writing waits too."""
    products = "sum(sum(f * g for g in many.faces) for f in many.faces)"
    steps = (
        "{roll: many, count: 250, sides: 6}",
        '{repeat: 100, as: a, steps: [{let: {u: "' + products + '"}}]}',
        "{roll: d6, sides: 6}",
    )
    slow = RULES.replace("{roll: d6, sides: 6}", "\n      - ".join(steps))
    table.send("olga", BringPack(files=whole(rules=slow)))
    call = called(table, hero(table, 7))
    with states.held(table.campaign_id) as state:
        before = state.position
    assert "too many lists for one command" in refused(table, "pia", RollTest(call=call)).message
    with states.held(table.campaign_id) as state:
        assert state.position == before and call in state.part(Calls).open
