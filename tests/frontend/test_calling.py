"""Calling for a test: what is called most comes first, who calls what, who is proposed, where it stands; a contest."""

from __future__ import annotations

import re
from itertools import permutations
from typing import Any

import pytest

from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.containers import OpenContainer
from campaigns.commands.sheets import ChangeSheet
from campaigns.commands.starting import ChangeSetting
from campaigns.commands.subjects import CreateSubject
from campaigns.sheet_reading import shown_value
from campaigns.store import states
from frontend.asking import fields_of, offered
from frontend.seat import Seat
from identity.commands.pairs import EnterPairs
from rules.packs import load_pack, pack_ids
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of

PACK = "frontiers-fantasy"
MOST_UNFOLDED = 8


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


def page(table: Table, who: str, name: str, *args: str, ask: str = "") -> str:
    return client_of(table, who).get(address(table, name, *args) + ask).content.decode()


def chosen(html: str, name: str) -> str:
    """The option that stands chosen in a select."""
    select = html.split(f'name="{name}"')[1].split("</select>")[0]
    return next(iter(re.findall(r'value="([^"]*)" selected', select)), "")


def contest(table: Table, who: str = "olga", **more: Any) -> tuple[str, str, str]:
    """A contest of Pia's Sefa against Paul's Ilo, called: its id and theirs."""
    sefa, ilo = table.character("pia", "Sefa Lark"), table.character("paul", "Ilo Wick")
    given = {"attribute": "deft", "other_attribute": "acuity"}
    command = CallTest(pack=PACK, test="contest", roles={"one": sefa, "two": ilo}, given=given, **more)
    return table.send(who, command).events[0].event.call, sefa, ilo


def test_the_form_opens_on_what_is_called_most(table: Table) -> None:
    table.character("pia")
    html = page(table, "olga", "new_test")
    assert f'name="test" value="{PACK}/check"' in html
    names = [one.title for one in offered_to_gm(table)]
    assert names.index("Check") < names.index("Contest") < names.index("Damage dice")


def test_who_tries_brings_their_own_numbers_in_a_dialog_and_on_the_page(table: Table) -> None:
    """What hangs on who takes the first role is asked for anew when another is chosen, wherever the form stands."""
    for who, name in (("pia", "Sefa Lark"), ("paul", "Ilo Wick")):
        table.character(who, name)
    gm = client_of(table, "olga")
    for headers, within in (({}, "main"), ({"HX-Request": "true", "HX-Target": "dialog-body"}, "#dialog-body")):
        html = gm.get(address(table, "new_test"), headers=headers).content.decode()
        role = html.split('name="role-')[1].split(">")[0]
        assert 'hx-trigger="change"' in role and f"hx-include=\"{within} [name^='given-']" in role
        assert html.count('id="call-fields"') == 1


def offered_to_gm(table: Table) -> list[Any]:
    with states.held(table.campaign_id) as state:
        return offered(state, Seat(table.campaign_id, "", table.viewer("olga"), "Olga", True, ""))


@pytest.mark.parametrize("pack_id", pack_ids())
def test_what_is_seldom_needed_is_folded(transactional_db: None, pack_id: str) -> None:
    table = make_table({pack_id: ""})
    for one in offered_to_gm(table):
        pack = load_pack(pack_id)
        seat = Seat(table.campaign_id, "", table.viewer("olga"), "Olga", True, "")
        fields = fields_of(seat, pack, one.test, "character", {})
        assert len([field for field in fields if not field.more]) <= MOST_UNFOLDED, one.test


def test_whoever_calls_nothing_has_no_button_and_is_told_who_does(table: Table) -> None:
    sefa = table.character("pia", "Sefa Lark")
    for html in (page(table, "pia", "campaign"), page(table, "pia", "subject", sefa), page(table, "pia", "tests")):
        assert "Call a test" not in html
    assert "The game master calls the tests" in page(table, "pia", "campaign")
    assert "The game master calls the tests" in page(table, "pia", "tests")
    assert client_of(table, "pia").get(address(table, "new_test")).status_code == 404
    assert "Call a test" in page(table, "olga", "campaign")


def test_a_player_who_calls_some_is_told_whose_the_others_are(transactional_db: None) -> None:
    table = make_table({"spindrift-identity": "", PACK: ""})
    own, other = table.character("pia", "Sefa Lark"), table.character("paul", "Ilo Wick")
    assert "Call a test" not in page(table, "pia", "campaign")
    for subject in (own, other):
        table.send("olga", EnterPairs(subject=subject, ratings={"bold": 14}))
    assert "Call a test" in page(table, "pia", "campaign")
    html = page(table, "pia", "new_test")
    assert "The game master calls the others: Check, Contest" in html
    options = dict(re.findall(r'<option value="(\w+)"[^>]*>([^<]*)</option>', html))
    assert options[own] == "Sefa Lark" and options[other] == "Ilo Wick (the game master is asked)"
    assert "left-to-gm" not in page(table, "olga", "new_test")


def test_nobody_is_proposed_against_themselves(table: Table) -> None:
    sefa, ilo = table.character("pia", "Sefa Lark"), table.character("paul", "Ilo Wick")
    for first, second in ((sefa, ilo), (ilo, sefa)):
        html = page(table, "olga", "new_test", ask=f"?test={PACK}/contest&subject={first}")
        assert (chosen(html, "role-one"), chosen(html, "role-two")) == (first, second)
        html = page(table, "olga", "new_test", ask=f"?test={PACK}/contest&role-one={first}&role-two={first}")
        assert (chosen(html, "role-one"), chosen(html, "role-two")) == (first, second)


def test_a_test_stands_within_what_is_open(table: Table) -> None:
    sefa, ilo = table.character("pia", "Sefa Lark"), table.character("paul", "Ilo Wick")
    session = table.send("olga", OpenContainer(kind="session", title="First")).events[0].event.container
    ask = f"?test={PACK}/check&subject={sefa}"
    assert chosen(page(table, "olga", "new_test", ask=ask), "container") == session
    inner = OpenContainer(kind="scene", title="The quay", participants=(sefa,))
    scene = table.send("olga", inner).events[0].event.container
    assert chosen(page(table, "olga", "new_test", ask=ask), "container") == scene
    # Whoever does not take part in it is tested beside it.
    ask = f"?test={PACK}/check&subject={ilo}"
    assert chosen(page(table, "olga", "new_test", ask=ask), "container") == session
    assert chosen(page(table, "olga", "new_test", ask=ask + "&container="), "container") == ""


def test_both_sides_of_a_contest_have_the_button(table: Table) -> None:
    call, sefa, ilo = contest(table)
    for who, own in (("pia", sefa), ("paul", ilo)):
        for html in (page(table, who, "test", call), page(table, who, "campaign"), page(table, who, "subject", own)):
            assert re.search(r"button--roll[^>]*>(<svg.*?</svg>)? *Roll", html), who
    table.send("paul", RollTest(call=call))
    assert "is closed" not in page(table, "pia", "test", call)


def test_a_contest_names_people(table: Table) -> None:
    call, *_ = contest(table)
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    # Which dice are wanted is said before; Sefa's d20 falls first.
    assert "Throw <strong>2 d20</strong>" in page(table, "pia", "test", call)
    table.send("pia", RollTest(call=call, faces=(17, 3)))
    for html in (page(table, "pia", "test", call), page(table, "olga", "campaign"), page(table, "olga", "ledger")):
        assert "Sefa Lark wins" in html and "The first" not in html
    html = page(table, "pia", "test", call)
    assert re.search(r"<dt>Sefa Lark</dt><dd><strong>\d+</strong>", html) and "<dt>Ilo Wick</dt>" in html
    assert "Thrown at the table" in html and "Thrown at the table" in page(table, "paul", "tests")


def test_a_hidden_side_is_called_by_its_role(table: Table) -> None:
    sefa = table.character("pia", "Sefa Lark")
    shade = table.send("olga", CreateSubject(kind="character", name="Shade", hidden=True)).events[0].event.subject
    given = {"attribute": "deft", "other_attribute": "acuity"}
    call = table.send("olga", CallTest(pack=PACK, test="contest", roles={"one": shade, "two": sefa}, given=given))
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    table.send("pia", RollTest(call=call.events[0].event.call, faces=(20, 1)))
    html = page(table, "pia", "test", call.events[0].event.call)
    assert "Who begins wins" in html and "Shade" not in html


def test_the_threshold_is_there_for_its_keeper_alone_after_the_roll(table: Table) -> None:
    sefa = table.character("pia", "Sefa Lark")
    given = {"attribute": "deft", "dt": 14}
    call = table.send("olga", CallTest(pack=PACK, test="check", roles={"hero": sefa}, given=given)).events[0].event.call
    table.send("pia", RollTest(call=call))
    theirs, own = page(table, "olga", "test", call), page(table, "pia", "test", call)
    assert "Difficulty Threshold: <strong>14</strong>" in theirs
    assert "Attribute: <strong>Deft</strong>" in own and "Difficulty Threshold" not in own


def test_what_is_thrown_does_not_hang_on_what_is_hidden(table: Table) -> None:
    sefa = table.character("pia", "Sefa Lark")
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    said = set()
    for dt in (1, 14, 60):
        given = {"attribute": "deft", "dt": dt}
        sent = table.send("olga", CallTest(pack=PACK, test="check", roles={"hero": sefa}, given=given))
        html = page(table, "pia", "test", sent.events[0].event.call)
        said |= set(re.findall(r"Throw <strong>([^<]*)", html))
    assert len(said) == 1 and "d20" in said.pop()


def test_a_phone_comes_from_a_campaign_to_every_other_place(table: Table) -> None:
    menu = page(table, "pia", "campaign").split('class="menu"')[1].split("</details>")[0]
    places = ("encounters", "pursuits", "pictures", "chronicle", "rules", "dice", "keeping")
    for to in (*(address(table, name) for name in places), "/campaigns/" if "/campaigns/" in menu else "/"):
        assert f'href="{to}"' in menu
    assert "Account" in menu and "All campaigns" in menu and "data-theme-switch" in menu
    # What the bar at the foot of the page holds is not there twice.
    assert f'href="{address(table, "tests")}"' not in menu


def test_a_record_reads_alike_however_it_was_kept(table: Table) -> None:
    pack = load_pack(PACK)
    spec = pack.kinds["character"].stats["projects"].spec
    one = {"name": "Chart the shoals", "kind": "project", "days": 3, "done": 1}
    several = {shown_value(pack, [dict(items)], spec) for items in permutations(one.items())}
    assert len(several) == 1 and several.pop().startswith("Chart the shoals")


def test_words_have_a_whole_line_of_a_sheet_and_numbers_a_box(table: Table) -> None:
    """A box has room for fourteen signs; a longer word would be broken in it."""
    sefa = table.character("pia", "Sefa Lark")
    begun = {"projects": [{"name": "Sail", "kind": "project", "days": 1, "done": 0}]}
    table.send("olga", ChangeSheet(subject=sefa, pack=PACK, values=begun))
    html = page(table, "pia", "subject", sefa)
    boxes = re.findall(r'class="sheet__value([^"]*)"><dt>[^<]*</dt><dd>(.*?)</dd>', html, re.S)
    words = {re.sub(r"<[^>]*>|, why\?", "", inner).strip(): css for css, inner in boxes}
    assert any(len(shown) > 14 for shown in words)
    assert all("--long" in css for shown, css in words.items() if len(shown) > 14)
