"""Dice anyone can check: promised, drawn, revealed, typed in, counted, and found out where they were tampered with."""

import hashlib
import hmac
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from campaigns.commands.containers import CloseContainer, OpenContainer
from campaigns.commands.seats import Leave
from campaigns.commands.seeds import RenewSeeds
from campaigns.commands.starting import ChangeSetting
from campaigns.dice_statistics import Tally, chi_squared_tail, tallies
from campaigns.parts.seeds import SeedCommitted, SeedRevealed, Seeds
from campaigns.seeds import face
from campaigns.store import guards, read, states
from campaigns.verifying import verify_campaign
from rules.refusal import Refused
from tests.campaigns.tables import Table
from tests.campaigns.test_feed import feed
from tests.campaigns.throwing import Throw


def tamper(sql: str, *parameters: object) -> None:
    """Changes the table behind everybody's back, as somebody with the database's keys could."""
    guards.remove(connection)
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
    guards.install(connection)


def seed_of(table: Table, audience: str) -> int:
    with states.held(table.campaign_id) as state:
        return state.part(Seeds).running[audience].number


def test_a_face_is_what_anyone_computes_from_the_revealed_seed(table: Table) -> None:
    drawn = table.send("pia", Throw(name="a", sides=(20, 6, 12))).events[0]
    revealed = [e.event for e in table.send("olga", RenewSeeds()).events if isinstance(e.event, SeedRevealed)]
    seed = bytes.fromhex(revealed[0].seed)
    promised = [e for e in read.events_after(table.campaign_id, 0) if isinstance(e.event, SeedCommitted)]
    commitment = next(e.event.commitment for e in promised if e.event.audience == "table")
    assert hashlib.sha256(seed).hexdigest() == commitment
    draw = drawn.dice[0]
    for i, (sides, shown) in enumerate(zip(draw.sides, draw.faces, strict=True)):
        block = hmac.digest(seed, (draw.first + i).to_bytes(8, "big") + bytes(4), hashlib.sha256)
        # 2**64 is within a thousandth of a millionth of a multiple of the sides: no number here is rejected.
        assert shown == int.from_bytes(block[:8], "big") % sides + 1


def test_faces_are_within_the_die_and_evenly_spread() -> None:
    seed = bytes(32)
    faces = [face(seed, counter, 6) for counter in range(6000)]
    assert set(faces) == {1, 2, 3, 4, 5, 6}
    expected = 1000
    assert chi_squared_tail(sum((faces.count(f) - expected) ** 2 / expected for f in range(1, 7)), 5) > 0.001


def test_numbers_past_the_last_whole_multiple_are_drawn_anew() -> None:
    # With sides just above half of 2**64 nearly half of all first blocks are rejected.
    sides = (1 << 63) + 1
    faces = [face(bytes(32), counter, sides) for counter in range(64)]
    first = [
        int.from_bytes(hmac.digest(bytes(32), c.to_bytes(8, "big") + bytes(4), hashlib.sha256)[:8], "big")
        for c in range(64)
    ]
    rejected = [c for c in range(64) if first[c] >= sides]
    assert rejected and all(1 <= shown <= sides for shown in faces)
    assert all(faces[c] == first[c] % sides + 1 for c in range(64) if c not in rejected)


def test_renewing_reveals_only_used_seeds_and_each_to_its_audience(table: Table) -> None:
    table.send("olga", Throw(name="open"))
    table.send("olga", Throw(name="secret", audience="gm"))
    done = table.send("olga", RenewSeeds())
    assert [type(e.event).__name__ for e in done.events] == ["SeedRevealed", "SeedCommitted"] * 2
    assert {e.audience for e in done.events} == {"gm", "table"}
    seeds = [e.view["data"] for e in feed(table, table.viewer("pia")) if e.view["type"] == "seed.revealed"]
    assert [s["audience"] for s in seeds] == ["table"]
    assert table.send("olga", RenewSeeds()).events == ()


def test_players_cannot_renew(table: Table) -> None:
    with pytest.raises(Refused):
        table.send("pia", RenewSeeds())


def test_the_seed_of_one_who_left_is_not_promised_again(table: Table) -> None:
    audience = f"member:{table.member('pia')}"
    table.send("pia", Throw(name="own", audience=audience))
    table.send("pia", Leave())
    table.send("olga", RenewSeeds())
    with states.held(table.campaign_id) as state:
        assert audience not in state.part(Seeds).running


def test_the_end_of_a_session_reveals_its_seeds(table: Table) -> None:
    opened = table.send("olga", OpenContainer(kind="session", title="One")).events[0].event.container
    table.send("pia", Throw(name="a"))
    before = seed_of(table, "table")
    done = table.send("olga", CloseContainer(container=opened))
    assert [type(e.event).__name__ for e in done.events][-2:] == ["SeedRevealed", "SeedCommitted"]
    assert seed_of(table, "table") == before + 1
    assert verify_campaign(table.campaign_id).sound


def test_no_commitment_no_nonce_and_no_key_give_the_seed_away(table: Table) -> None:
    """What the database holds of a running seed is its nonce; without the server's key that is not the seed."""
    with states.held(table.campaign_id) as state:
        running = state.part(Seeds).running["table"]
    for guess in (running.nonce.encode(), bytes.fromhex(running.nonce), bytes.fromhex(running.commitment)):
        assert hashlib.sha256(guess).hexdigest() != running.commitment


def test_a_changed_dice_key_stops_the_dice_instead_of_faking_them(table: Table, settings: object) -> None:
    settings.DICE_KEY = "another key"
    with pytest.raises(Refused) as caught:
        table.send("pia", Throw(name="a"))
    assert caught.value.code == "seed_lost"


def test_typed_dice_need_the_setting_and_are_marked(table: Table) -> None:
    command = Throw(name="a", sides=(20, 20), typed=(3, 17))
    with pytest.raises(Refused) as caught:
        table.send("pia", command)
    assert caught.value.code == "no_typed_dice"
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    draw = table.send("pia", command).events[0].dice[0]
    assert draw.typed and draw.faces == (3, 17)
    for typed, code in (((0, 4), "wrong_face"), ((21, 4), "wrong_face"), ((4,), "wrong_dice")):
        with pytest.raises(Refused) as caught:
            table.send("pia", Throw(name="a", sides=(20, 20), typed=typed))
        assert caught.value.code == code
    report = verify_campaign(table.campaign_id)
    assert report.sound and report.typed == 2


def test_verify_finds_everything_in_order_before_and_after_the_reveal(table: Table) -> None:
    table.send("pia", Throw(name="a", sides=(20,) * 5))
    table.send("olga", Throw(name="b", audience="gm"))
    before = verify_campaign(table.campaign_id)
    assert before.sound and (before.dice, before.sealed) == (6, 0)
    table.send("olga", RenewSeeds())
    table.send("pia", Throw(name="a"))
    after = verify_campaign(table.campaign_id)
    assert after.sound and after.dice == 7 and after.says().startswith("In order")


def test_dice_of_a_lost_key_are_sealed_until_revealed(table: Table, settings: object) -> None:
    table.send("pia", Throw(name="a"))
    key = settings.DICE_KEY
    settings.DICE_KEY = "another"
    report = verify_campaign(table.campaign_id)
    assert report.sound and report.sealed == 1
    settings.DICE_KEY = key
    table.send("olga", RenewSeeds())
    settings.DICE_KEY = "another"
    assert verify_campaign(table.campaign_id).dice == 1


COLUMNS = {
    "data": "replace(data, '\"faces\"', '\"facez\"')",
    "actor": "'member:somebody'",
    "type": "'test.throw_'",
    "version": "version + 1",
    "cause": "1",
    "audience": "'gm'",
    "holders": "'[\"x\"]'",
    "packs": "'x@1'",
    "stamp": "replace(stamp, '0', '1')",
    "command_seq": "command_seq + 1",
    "dice": "replace(dice, '\"seed\":1', '\"seed\":2')",
}


@pytest.mark.parametrize("column", COLUMNS)
def test_a_change_in_any_column_is_found_and_named(table: Table, column: str) -> None:
    thrown = table.send("pia", Throw(name="a")).position
    for _ in range(3):
        table.send("pia", Throw(name="b"))
    tamper(f"UPDATE campaigns_event SET {column} = {COLUMNS[column]} WHERE position = %s", thrown)
    first = verify_campaign(table.campaign_id).first_break
    assert first is not None and (first.position, first.code) == (thrown, "digest")


def test_one_flipped_bit_of_a_body_is_found_and_named(table: Table) -> None:
    thrown = table.send("pia", Throw(name="abcdefgh")).position
    table.send("pia", Throw(name="b"))
    # "h" and "i" differ in one bit.
    tamper("UPDATE campaigns_event SET data = replace(data, 'abcdefgh', 'abcdefgi') WHERE position = %s", thrown)
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("verify", str(table.campaign_id), stdout=out)
    assert f"Broken at position {thrown}" in out.getvalue()


def test_missing_and_unreadable_events_are_named(table: Table) -> None:
    thrown = table.send("pia", Throw(name="a")).position
    table.send("pia", Throw(name="b"))
    tamper("UPDATE campaigns_event SET data = '{' WHERE position = %s", thrown)
    assert verify_campaign(table.campaign_id).first_break.code == "unreadable"
    tamper("DELETE FROM campaigns_event WHERE position = %s", thrown)
    first = verify_campaign(table.campaign_id).first_break
    assert (first.position, first.code) == (thrown + 1, "gap")
    tamper("DELETE FROM campaigns_event WHERE position > %s", thrown)
    assert verify_campaign(table.campaign_id).first_break.code == "head"


def test_a_server_that_cheats_with_a_sound_chain_is_found_out(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever holds the server can write what they like; the promised seeds tell all the same."""
    from campaigns import seeds

    monkeypatch.setattr(seeds, "face", lambda *_: 20)
    cheat = table.send("pia", Throw(name="a", sides=(20, 20, 20))).position
    monkeypatch.undo()
    first = verify_campaign(table.campaign_id).first_break
    assert (first.position, first.code) == (cheat, "face")


def test_a_counter_passed_over_is_found(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Throwing until it pleases leaves a counter unused."""
    from campaigns.seeds import DiceBox

    table.send("pia", Throw(name="a"))
    source = DiceBox.source

    def pickier(self: DiceBox, audience: str) -> object:
        roll = source(self, audience)
        roll(20)
        self._open.clear()
        return roll

    monkeypatch.setattr(DiceBox, "source", pickier)
    picked = table.send("pia", Throw(name="b")).position
    monkeypatch.undo()
    first = verify_campaign(table.campaign_id).first_break
    assert (first.position, first.code) == (picked, "counter_skipped")


def test_refused_and_failed_commands_use_no_counter(table: Table) -> None:
    table.send("pia", Throw(name="a"))
    with pytest.raises(Refused):
        table.send("wim", Throw(name="a"))
    with pytest.raises(RuntimeError), transaction.atomic():
        table.send("pia", Throw(name="a"))
    table.send("pia", Throw(name="a"))
    assert verify_campaign(table.campaign_id).sound


def test_statistics_count_what_fell_and_show_each_viewer_their_own(table: Table) -> None:
    table.send("pia", Throw(name="a", sides=(6,) * 30))
    table.send("olga", Throw(name="b", sides=(6,) * 5, audience="gm"))
    table.send("paul", Throw(name="c", sides=(6,) * 3, audience=f"member:{table.member('paul')}"))

    def total(viewer: object) -> int:
        return sum(t.total for t in tallies(table.campaign_id, viewer))

    assert total(None) == total(table.viewer("olga")) == 38
    assert (total(table.viewer("pia")), total(table.viewer("paul")), total(table.viewer("link"))) == (30, 33, 0)
    out = StringIO()
    call_command("dice_statistics", str(table.campaign_id), stdout=out)
    assert "d6: 38 dice, 6.3 of each face expected" in out.getvalue()


@pytest.mark.parametrize(
    "faces, says",
    [
        ({1: 10, 2: 10, 3: 10, 4: 10, 5: 10, 6: 10}, "Nothing remarkable"),
        ({1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2}, "Too few"),
        ({1: 20, 2: 8, 3: 8, 4: 8, 5: 8, 6: 8}, "Unusual"),
        ({1: 60, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0}, "Remarkable"),
    ],
)
def test_the_sentence_on_deviation(faces: dict[int, int], says: str) -> None:
    assert Tally(6, False, faces).says.startswith(says)


@pytest.mark.parametrize(
    # Critical values as printed in tables of the chi-squared distribution.
    "statistic, freedom, tail",
    [
        (3.841, 1, 0.05),
        (11.070, 5, 0.05),
        (30.144, 19, 0.05),
        (36.191, 19, 0.01),
        (124.342, 100, 0.05),
        (0.554, 5, 0.99),
    ],
)
def test_chi_squared_tails(statistic: float, freedom: int, tail: float) -> None:
    assert chi_squared_tail(statistic, freedom) == pytest.approx(tail, rel=2e-3)
