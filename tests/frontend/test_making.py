"""Making a character and its sheet on pages: without script, as each seat sees them."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaigns.commands.calls import CallTest, RollTest
from campaigns.commands.making import BeginDraft, FinishDraft
from campaigns.commands.sheets import ApplyCard, ChangeSheet
from campaigns.commands.starting import ChangeSetting
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import address, client_of

pytestmark = pytest.mark.django_db(transaction=True)
PACK, STEPS = "trait-tests", "frontiers-fantasy"


@pytest.fixture
def table() -> Table:
    """A campaign of two packs: one makes characters by steps, the other keeps pairs of them."""
    return make_table({PACK: "", "spindrift-identity": ""})


def begun(table: Table, client: Client, **more: str) -> str:
    """The address of a draft begun on the page."""
    answer = client.post(address(table, "begin_draft"), {"kind": f"{PACK}/character", "command_id": uuid4(), **more})
    assert answer.status_code == 302
    return answer["Location"].partition("?")[0]


def keep(client: Client, to: str, act: str = "keep", **fields: Any) -> HttpResponse:
    data = {"command_id": uuid4(), "finish_id": uuid4(), "act": act, **fields}
    return client.post(to, data)  # type: ignore[return-value]


def text_of(answer: Any) -> str:
    """What the page says, without its marks."""
    body = answer.content.decode().partition("<main")[2]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def tracker(table: Table, who: str = "pia") -> str:
    made: Any = table.send(who, BeginDraft(pack=PACK, kind="character", ready="tracker")).events[0].event
    events = table.send(who, FinishDraft(draft=made.draft)).events
    subject: str = events[0].event.subject  # type: ignore[attr-defined]
    return subject


def test_a_character_is_made_step_by_step_without_script(table: Table) -> None:
    client = client_of(table, "pia")
    assert "A new Character" in text_of(client.get(address(table, "making")))
    to = begun(table, client)
    first = client.get(to + "?step=who")
    assert "Concepts" in text_of(first)
    answer = keep(client, to, "next", step="who", asked=["concepts"], **{"c-concepts": "Fears water", "name": "Iva"})
    assert answer["Location"] == to + "?step=traits"
    traits = {f"c-traits-{name}": value for name, value in (("physique", "2"), ("intuition", "\N{MINUS SIGN}1"))}
    answer = keep(client, to, "next", step="traits", asked=["traits"], **traits)
    assert answer["Location"] == to + "?step=level"
    assert "The game master decides this." in text_of(client.get(answer["Location"]))
    skills = {"c-learnt": ["stealth", "nature"], "c-focus_aspect": ""}
    keep(client, to, "next", step="skills", asked=["learnt", "focus_aspect"], **skills)
    whole = client.get(to + "?step=finish")
    assert "Nothing is open" in text_of(whole)
    # What the other pack rolls is told, and waits on the character's page.
    assert "Personality comes afterwards" in text_of(whole)
    answer = keep(client, to, "finish", step="finish", name="Iva Mott")
    page = client.get(answer["Location"])
    said = text_of(page)
    assert "Iva Mott" in said and "Fears water" in said and "Roll the array" in said
    assert re.search(r"Stealth learnt 2 ", said.replace(", why?", ""))


def test_what_is_wrong_is_said_beside_its_choice_with_what_would_be_right(table: Table) -> None:
    client = client_of(table, "pia")
    to = begun(table, client)
    page = text_of(keep(client, to, step="traits", asked=["traits"], **{"c-traits-agility": "9"}))
    assert "Agility cannot be 9. Right would be: -2 to 5." in page
    refused = keep(client, to, step="traits", asked=["traits"], **{"c-traits-agility": "nine"})
    assert refused.status_code == 422
    finish = keep(client, to, "finish", step="finish", name="Iva")
    assert finish.status_code == 422
    assert "Agility cannot be 9" in text_of(finish)


def test_numbers_grow_with_the_choices(table: Table) -> None:
    client = client_of(table, "pia")
    to = begun(table, client)
    before = client.get(to + "?step=body").content.decode()
    assert '<strong data-number="hp_max">10</strong>' in before
    after = keep(client, to, step="body", asked=["life"], **{"c-life": "14"}).content.decode()
    assert '<strong data-number="hp_max">14</strong>' in after


def test_a_second_press_of_finish_makes_no_second_one(table: Table) -> None:
    client = client_of(table, "pia")
    to = begun(table, client, ready="tracker")
    fields = {"command_id": uuid4(), "finish_id": uuid4(), "act": "finish", "step": "finish", "name": "Oda"}
    one, two = client.post(to, fields), client.post(to, fields)
    assert one["Location"] == two["Location"]
    assert text_of(client.get(address(table, "subjects"))).count("Oda") == 1


def test_a_draft_is_nobody_elses(table: Table) -> None:
    to = begun(table, client_of(table, "pia"))
    assert client_of(table, "olga").get(to).status_code == 200
    for who in ("paul", "wim", "stan"):
        assert client_of(table, who).get(to).status_code == 404
        assert keep(client_of(table, who), to, step="who").status_code == 404
    assert "half made" not in text_of(client_of(table, "paul").get(address(table, "making"))).lower()
    assert client_of(table, "wim").get(address(table, "making")).status_code == 404


def test_a_draft_can_be_given_up(table: Table) -> None:
    client = client_of(table, "pia")
    to = begun(table, client)
    keep(client, to, "discard")
    assert client.get(to).status_code == 404


def test_a_character_with_two_packs_shows_both_and_makes_what_is_missing(table: Table) -> None:
    subject = table.character("pia", "Talyne")
    client = client_of(table, "pia")
    page = client.get(address(table, "subject", subject))
    assert "Make this sheet step by step" in text_of(page) and "Trait Tests" in text_of(page)
    to = begun(table, client, subject=subject)
    keep(client, to, step="body", asked=["life"], **{"c-life": "15"})
    answer = keep(client, to, "finish", step="finish")
    assert answer["Location"] == address(table, "subject", subject)
    said = text_of(client.get(answer["Location"]))
    assert "15 / 15" in said and "Make this sheet" not in said


def test_a_file_goes_home_and_comes_back(table: Table) -> None:
    subject = tracker(table)
    client = client_of(table, "pia")
    answer = client.get(address(table, "character_file", subject))
    assert answer["Content-Disposition"] == 'attachment; filename="Oda-Reed.json"'
    file = json.loads(answer.content)
    assert file["sheets"][PACK]["choices"]["life"] == 12

    def bring(content: bytes, again: str = "on") -> Any:
        upload = BytesIO(content)
        upload.name = "oda.json"
        form = {"command_id": uuid4(), "file": upload, "again": again}
        return client.post(address(table, "import_character"), form)

    second = bring(answer.content, again="")
    assert second.status_code == 422 and "Oda Reed is here already" in text_of(second)
    assert bring(answer.content).status_code == 302
    file["sheets"][PACK]["choices"]["traits"]["agility"] = 7
    refused = bring(json.dumps(file).encode())
    assert refused.status_code == 422 and "Agility cannot be 7" in text_of(refused)
    assert bring(b"{").status_code == 422
    assert bring(b"[" * 100_000).status_code == 422
    assert client_of(table, "wim").get(address(table, "character_file", subject)).status_code == 404


def test_numbers_say_why_and_acts_are_done_from_the_sheet(table: Table) -> None:
    subject = tracker(table)
    page = client_of(table, "pia").get(address(table, "subject", subject)).content.decode()
    to = reverse("why", args=[table.campaign_id, subject])
    assert f"{to}?name=stat%3A{PACK}%2Fskill_bonus%2Fstealth" in page
    assert f"/do/{PACK}/consume/" in page and f"new/?subject={subject}" in page
    # What a GM alone may call for is not offered to a player.
    assert f"/do/{PACK}/level_up/" not in page
    assert f"/do/{PACK}/level_up/" in client_of(table, "olga").get(address(table, "subject", subject)).content.decode()
    watched = client_of(table, "wim").get(address(table, "subject", subject)).content.decode()
    assert "skill_bonus" not in watched and 'id="sheets"' not in watched


def test_a_value_is_changed_with_a_reason(table: Table) -> None:
    subject = tracker(table)
    client = client_of(table, "olga")
    to = address(table, "change_sheet", subject, PACK)
    assert 'value="12"' in client.get(to + "?stat=hp").content.decode()
    answer = client.post(to, {"command_id": uuid4(), "stat": "hp", "value": "5", "reason": "The fall"})
    assert answer.status_code == 302
    assert "5 / 12" in text_of(client.get(address(table, "subject", subject)))
    keyed = client.post(to, {"command_id": uuid4(), "stat": "skill_degree", "key": "driving", "value": "learnt"})
    assert keyed.status_code == 302
    wrong = client.post(to, {"command_id": uuid4(), "stat": "hp", "value": "many"})
    assert wrong.status_code == 422
    assert client_of(table, "paul").get(to).status_code == 404


def test_a_game_master_gives_a_level_from_the_sheet(table: Table) -> None:
    subject = tracker(table)
    to = address(table, "growth", subject, PACK)
    assert client_of(table, "pia").get(to).status_code == 200
    assert client_of(table, "paul").get(to).status_code == 404
    client_of(table, "olga").post(to, {"command_id": uuid4(), "reason": "The siege is over"})
    page = address(table, "subject", subject)

    def level() -> str:
        found = re.search(r"<dt>Level</dt><dd>(\d+)", client_of(table, "paul").get(page).content.decode())
        assert found is not None
        return found[1]

    assert level() == "2"
    client_of(table, "pia").post(to, {"command_id": uuid4()})
    assert level() == "2"


def test_a_secret_condition_is_the_game_masters_alone(table: Table) -> None:
    subject = tracker(table)
    to = address(table, "subject", subject)

    def sheet(who: str) -> str:
        return text_of(client_of(table, who).get(to))

    before = {who: sheet(who) for who in ("pia", "paul")}
    table.send("olga", ApplyCard(subject=subject, pack=PACK, card="inspired", secret=True))
    assert {who: sheet(who) for who in ("pia", "paul")} == before
    assert "Inspired" in sheet("olga")
    table.send("olga", ChangeSheet(subject=subject, pack=PACK, values={"hp": 3}))
    assert "3 / 12" in sheet("paul")


def test_what_a_secret_test_did_is_not_on_the_sheet_that_others_see(table: Table) -> None:
    """A failed test that is pushed through costs Exhaustion, a value that all may see as such."""
    subject = tracker(table)
    to = address(table, "subject", subject)
    table.send("olga", ChangeSetting(setting="typed_dice", value=True))
    given = {"trait": "physique", "goal": 1000}
    call = CallTest(pack=PACK, test="trait_test", roles={"hero": subject}, given=given, secret=True)
    test: Any = table.send("olga", call).events[0].event
    before = text_of(client_of(table, "paul").get(to))
    ask: Any = table.send("pia", RollTest(call=test.call, faces=(10,))).events[-1].event
    table.send("pia", RollTest(call=test.call, choices={ask.ask["id"]: "exhaustion"}, faces=(11,)))

    def exhaustion(who: str) -> str:
        page = client_of(table, who).get(to).content.decode()
        found = re.search(r"<dt>Degrees of Exhaustion</dt><dd>(\d+)", page)
        return found[1] if found else ""

    assert (exhaustion("pia"), exhaustion("olga"), exhaustion("paul")) == ("1", "1", "0")
    assert text_of(client_of(table, "paul").get(to)) == before


def test_the_gallery_shows_how_somebody_is_made(table: Table) -> None:
    User.objects.filter(pk=table.users["olga"]).update(is_staff=True)
    page = client_of(table, "olga").get(reverse("gallery")).content.decode()
    for part in ("steps__step--wrong", "stepper__value", "wrong--open", "sheet__table", "Shiver: 1 breath"):
        assert part in page


def test_nothing_is_called_open_before_anything_was_chosen() -> None:
    """A text of at most 200 characters is needed: said where the overview leads, not on coming to the step."""
    table = make_table({STEPS: ""})
    client = client_of(table, "pia")
    began = {"kind": f"{STEPS}/character", "command_id": uuid4()}
    to = client.post(address(table, "begin_draft"), began)["Location"].partition("?")[0]
    needed = "Write a text of at most 200 characters."
    assert needed not in text_of(client.get(to + "?step=first"))
    whole = client.get(to + "?step=finish").content.decode()
    back = re.findall(r'<h3><a href="(\?step=\w+)&amp;open=1">', whole)[0]
    assert needed in text_of(client.get(f"{to}{back}&open=1"))
    assert needed not in text_of(client.get(to + back))
    steps = whole.split('class="steps"')[1].split("</nav>")[0]
    assert set(re.findall(r'steps__number">(\d+)', steps)) < set("123456789") and steps.count("steps__number") == 10


def was_of(page: Any) -> str:
    found = re.search(r'name="was"[^>]* value="([^"]*)"', page.content.decode())
    assert found is not None
    return found[1]


def test_a_second_device_neither_undoes_nor_overwrites_what_the_first_chose(table: Table) -> None:
    """What only one of them changes is kept; what both change is said, and stays the first's."""
    one, two = client_of(table, "pia"), client_of(table, "pia")
    to = begun(table, one)
    was = was_of(two.get(to + "?step=skills"))
    asked = ["learnt", "focus_aspect"]
    keep(one, to, step="skills", asked=asked, was=was, **{"c-learnt": ["stealth"], "c-focus_aspect": ""})
    # The second sends its stale list along with a choice of its own.
    keep(two, to, step="skills", asked=asked, was=was, **{"c-learnt": [], "c-focus_aspect": "Reefs"})
    page = two.get(to + "?step=skills").content.decode()
    assert re.search(r'value="stealth" checked', page) and 'value="Reefs"' in page
    # It takes another skill on the same stale page: refused with a sentence, the first's stands.
    answer = keep(two, to, step="skills", asked=asked, was=was, **{"c-learnt": ["nature"], "c-focus_aspect": "Reefs"})
    assert answer.status_code == 302
    page = two.get(answer["Location"]).content.decode()
    assert "changed on another device meanwhile" in page
    assert re.search(r'value="stealth" checked', page) and not re.search(r'value="nature" checked', page)
    # From the page as it stands now the same tap counts.
    fresh = was_of(two.get(to + "?step=skills"))
    keep(
        two, to, step="skills", asked=asked, was=fresh, **{"c-learnt": ["stealth", "nature"], "c-focus_aspect": "Reefs"}
    )
    assert re.search(r'value="nature" checked', two.get(to + "?step=skills").content.decode())


def test_a_name_that_another_device_gave_is_not_overwritten(table: Table) -> None:
    """What both change is said and stays the first's; a stale name that is only sent along changes nothing."""
    one, two = client_of(table, "pia"), client_of(table, "pia")
    to = begun(table, one)
    was = was_of(two.get(to + "?step=finish"))
    keep(one, to, step="finish", was=was, name="Iva")
    answer = keep(two, to, step="finish", was=was, name="Ivo")
    page = two.get(answer["Location"]).content.decode()
    assert "Name was changed on another device meanwhile" in page and 'value="Iva"' in page
    fresh = was_of(two.get(to + "?step=finish"))
    keep(one, to, step="finish", was=fresh, name="Ada")
    keep(two, to, step="finish", was=fresh, name="Iva")
    assert 'value="Ada"' in two.get(to + "?step=finish").content.decode()
    keep(two, to, step="finish", was=was_of(two.get(to + "?step=finish")), name="Ivo")
    assert 'value="Ivo"' in one.get(to + "?step=finish").content.decode()


def test_next_says_what_it_leaves_open_and_the_overview_leads_to_the_choice() -> None:
    table = make_table({STEPS: ""})
    client = client_of(table, "pia")
    began = {"kind": f"{STEPS}/character", "command_id": uuid4()}
    to = client.post(address(table, "begin_draft"), began)["Location"].partition("?")[0]
    answer = keep(client, to, "next", step="concept", name="Iva")
    assert answer["Location"].endswith("&left=concept")
    page = client.get(answer["Location"]).content.decode()
    led = re.search(
        r'is not done yet.</strong> It stays open: <a href="(\?step=concept&amp;open=1#choice-(\w+))"', page
    )
    assert led is not None
    assert f'href="{led[1]}"' in client.get(to + "?step=finish").content.decode()
    there = client.get(to + "?step=concept&open=1").content.decode()
    assert f'id="choice-{led[2]}"' in there and "Write a text of at most" in there


def test_a_draft_finished_elsewhere_leads_to_its_character(table: Table) -> None:
    made: Any = table.send("pia", BeginDraft(pack=PACK, kind="character", ready="tracker")).events[0].event
    done: Any = table.send("pia", FinishDraft(draft=made.draft)).events[0].event
    to, sheet = address(table, "draft", made.draft), address(table, "subject", done.subject)
    client = client_of(table, "pia")
    assert client.get(to)["Location"] == sheet
    assert keep(client, to, step="who", asked=["concepts"], **{"c-concepts": "Late"})["Location"] == sheet
    # Nobody else learns by the address that it ever was.
    assert client_of(table, "paul").get(to).status_code == 404


def test_an_empty_table_leads_to_the_making_and_a_name_alone_to_its_sheet(table: Table) -> None:
    client = client_of(table, "pia")
    home = client.get(address(table, "campaign")).content.decode()
    empty = home.split('id="our-subjects"')[1].split("</section>")[0]
    assert f'href="{address(table, "making")}">Make a character' in empty and address(table, "new_subject") not in empty
    form = {"command_id": uuid4(), "name": "Brock", "kind": "character"}
    answer = client.post(address(table, "new_subject"), form)
    assert re.fullmatch(rf"{address(table, 'subjects')}[0-9a-f]{{32}}/", answer["Location"])
