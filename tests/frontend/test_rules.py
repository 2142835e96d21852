"""The rules page: read by members, changed by game masters; trying a test by hand and its odds."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from campaigns.packs import Packs
from campaigns.store import states
from identity.commands.pairs import EnterPairs
from rules.packs import load_pack, pack_ids
from rules.packs.wording import setting_title, titled
from tests.campaigns.tables import Table, make_table

PACK = "spindrift-identity"
OVERLAY = (
    b"{on: spindrift-identity, version: 1.0.0, title: Gentler dice, settings: {identity.highest_face_dice: d20_only}}"
)


@pytest.fixture
def table(transactional_db: None) -> Table:
    return make_table({PACK: ""})


def client(table: Table, who: str) -> Client:
    browser = Client()
    browser.force_login(User.objects.get(pk=table.users[who]))
    return browser


def rules(table: Table) -> str:
    return reverse("rules", args=[table.campaign_id])


def setting(table: Table, name: str) -> object:
    with states.held(table.campaign_id) as state:
        return Packs(state).get(PACK).setting_values[name]


def test_members_read_and_only_game_masters_are_offered_changes(table: Table) -> None:
    assert b'value="setting"' in client(table, "olga").get(rules(table)).content
    page = client(table, "pia").get(rules(table))
    assert page.status_code == 200 and b'value="setting"' not in page.content
    assert client(table, "wim").get(rules(table)).status_code == 404


def test_choices_are_called_by_titles_that_the_pack_gives(table: Table) -> None:
    """Every choice among several of every pack has one; what cannot be chosen is said by its ruling alone."""
    gm, player = (html.unescape(client(table, who).get(rules(table)).content.decode()) for who in ("olga", "pia"))
    for told in ("When it happened", "The face of the d20", "The game master"):
        assert f"{told}</option>" in gm
    assert "Occurred at" not in gm + player and "D20 face" not in gm
    assert "<span>When it happened</span>" in player and "<span>Gm" not in player
    untitled = [
        f"{pack}: {name}"
        for pack in pack_ids()
        for name, spec in load_pack(pack).manifest.settings.items()
        if spec.type == "name" and len(spec.options or ()) > 1 and not isinstance(spec.options, dict)
    ]
    assert untitled == []


def test_settings_are_called_by_words_and_not_by_their_ids(table: Table) -> None:
    gm = html.unescape(client(table, "olga").get(rules(table)).content.decode())
    assert "Whose time zone counts</span>" in gm and "Week tz" not in gm
    unnamed = [
        f"{pack}: {name}"
        for pack in pack_ids()
        for name, spec in load_pack(pack).manifest.settings.items()
        if len(setting_title(name, spec).split()) < 2 or setting_title(name, spec) == titled(name.rpartition(".")[2])
    ]
    assert unnamed == []
    form = {"act": "setting", "pack": PACK, "setting": "identity.advancement_roller", "value": "owner_player"}
    client(table, "olga").post(rules(table), {**form, "command_id": uuid4()})
    ledger = client(table, "pia").get(reverse("ledger", args=[table.campaign_id])).content.decode()
    assert "The rules of the table: Who makes advancement rolls: The player who owns them." in ledger


def test_a_setting_of_a_pack_is_changed_and_a_player_is_refused(table: Table) -> None:
    form = {"act": "setting", "pack": PACK, "setting": "identity.mark_bonus_cap", "value": "2", "command_id": uuid4()}
    assert client(table, "pia").post(rules(table), form).status_code == 422
    assert setting(table, "identity.mark_bonus_cap") == 3
    done = client(table, "olga").post(rules(table), {**form, "command_id": uuid4()})
    assert done.status_code == 302
    assert setting(table, "identity.mark_bonus_cap") == 2
    # The page it leads to is open where the setting stands, and nowhere else.
    to, _, place = done["Location"].partition("#")
    page = client(table, "olga").get(to).content.decode()
    assert f'is-at" id="{place}"' in page and page.count("is-at") == page.count("<details open>") == 1
    wrong = client(table, "olga").post(rules(table), {**form, "value": "many", "command_id": uuid4()})
    assert wrong.status_code == 422
    assert setting(table, "identity.mark_bonus_cap") == 2


def test_house_rules_are_uploaded_shown_and_taken_off(table: Table) -> None:
    gm = client(table, "olga")
    upload = {
        "act": "overlay",
        "pack": PACK,
        "command_id": uuid4(),
        "files": SimpleUploadedFile("overlay.yaml", OVERLAY),
    }
    assert gm.post(rules(table), upload).status_code == 302
    assert setting(table, "identity.highest_face_dice") == "d20_only"
    assert b"Gentler dice" in client(table, "pia").get(rules(table)).content
    assert gm.post(rules(table), {"act": "overlay_off", "pack": PACK, "command_id": uuid4()}).status_code == 302
    assert setting(table, "identity.highest_face_dice") == "any"


@pytest.mark.parametrize(
    "name, data, said",
    [
        ("overlay.yaml", b"{on: spindrift-identity, version: 0.1.0}", b"0.1.0"),
        ("overlay.yaml", b"{on", b"overlay.yaml:"),
        ("overlay.exe", b"MZ", b"a zip or a YAML file is wanted"),
        ("overlay.yaml", b"\xff\xfe\x00", b"overlay.yaml"),
    ],
)
def test_a_wrong_upload_says_what_is_wrong_and_changes_nothing(
    table: Table, name: str, data: bytes, said: bytes
) -> None:
    upload = {"act": "overlay", "pack": PACK, "command_id": uuid4(), "files": SimpleUploadedFile(name, data)}
    answer = client(table, "olga").post(rules(table), upload)
    assert answer.status_code == 422 and said in answer.content
    assert setting(table, "identity.highest_face_dice") == "any"


def test_trying_a_test_shows_trace_and_odds_and_records_nothing(table: Table) -> None:
    talyne = table.character("pia")
    table.send("olga", EnterPairs(subject=talyne, ratings={"bold": 14}))
    address = reverse("try_test", args=[table.campaign_id, PACK, "identity"])
    asked = {"role-holder": talyne, "given-pair": "bold_cautious", "faces": "15 5", "go": "run"}
    gm = client(table, "olga")
    with states.held(table.campaign_id) as state:
        before = state.position
    page = gm.get(address, asked)
    assert b"cautious" in page.content
    odds = gm.get(address, {**asked, "go": "odds"}).content.decode()
    # SPI-035: of 400 rolls at 14 / 6 the first side binds 285 times, the other 50, and 65 leave the choice free.
    assert all(f"<td>{ways}</td>" in odds for ways in (285, 50, 65))
    assert gm.get(address, {**asked, "faces": "x"}).status_code == 422
    assert client(table, "pia").get(address, asked).status_code == 404
    with states.held(table.campaign_id) as state:
        assert state.position == before


def test_house_rules_go_out_as_a_file_that_can_be_laid_again(table: Table) -> None:
    gm, where = client(table, "olga"), reverse("house_rules", args=[table.campaign_id, PACK])
    assert gm.get(where).status_code == 404
    lay = {"act": "overlay", "pack": PACK}
    gm.post(rules(table), {**lay, "command_id": uuid4(), "files": SimpleUploadedFile("overlay.yaml", OVERLAY)})
    packed = gm.get(where)
    assert (packed.status_code, packed["Content-Type"]) == (200, "application/zip")
    assert client(table, "pia").get(where).status_code == 404
    gm.post(rules(table), {"act": "overlay_off", "pack": PACK, "command_id": uuid4()})
    assert setting(table, "identity.highest_face_dice") == "any"
    again = SimpleUploadedFile("house-rules.zip", packed.content)
    assert gm.post(rules(table), {**lay, "command_id": uuid4(), "files": again}).status_code == 302
    assert setting(table, "identity.highest_face_dice") == "d20_only"


def files_of(folder: str, **texts: str) -> SimpleUploadedFile:
    """A zip of a folder, as a file manager packs it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in texts.items():
            archive.writestr(f"{folder}/{name}.yaml", text)
    return SimpleUploadedFile(f"{folder}.zip", out.getvalue())


HEAD = "id: glass\nversion: {}\ntitle: Glass\nsource: Ours\nrights: Ours\n"
GLASS = """
kinds: {hero: {title: Glazier, stats: {grit: {type: int, min: 0, max: 9, default: 2}}}}
procedures: {unused: {steps: [{narrate: Nobody calls this}]}}
tests:
  attempt:
    title: A try
    roles: {hero: {kinds: [hero]}}
    steps: [{roll: d6, sides: 6}, {outcome: done, when: d6.total > hero.grit}, {outcome: undone}]
    outcomes: {done: {title: Done}, undone: {title: Undone}}
"""


def test_a_pack_of_ones_own_is_brought_upgraded_and_warned_of(table: Table) -> None:
    gm, player = client(table, "olga"), client(table, "pia")
    bring = {"act": "bring", "files": files_of("glass", pack=HEAD.format("1.0.0"), rules=GLASS)}
    assert player.post(rules(table), {**bring, "command_id": uuid4()}).status_code == 422
    assert b"Glass" not in player.get(rules(table)).content
    bring["files"] = files_of("glass", pack=HEAD.format("1.0.0"), rules=GLASS.replace("hero.grit", "hero.gritt"))
    wrong = gm.post(rules(table), {**bring, "command_id": uuid4()})
    assert wrong.status_code == 422 and b"<li>rules.yaml:8:" in wrong.content and b"gritt" in wrong.content
    bring["files"] = files_of("glass", pack=HEAD.format("1.0.0"), rules=GLASS)
    assert gm.post(rules(table), {**bring, "command_id": uuid4()}).url == rules(table)
    page = gm.get(rules(table)).content.decode()
    assert "The table&#x27;s own" in page or "The table's own" in page
    assert "nothing calls" in page and "nothing calls" not in player.get(rules(table)).content.decode()
    # Its kinds can be made at once, and one file is a pack as well.
    assert b"Glazier" in gm.get(reverse("new_subject", args=[table.campaign_id])).content
    later = SimpleUploadedFile("glass-two.yml", f"{HEAD.format('1.1.0')}{GLASS}".replace("max: 9", "max: 8").encode())
    to = gm.post(rules(table), {"act": "bring", "files": later, "command_id": uuid4()}).url
    assert to == reverse("upgrade_pack", args=[table.campaign_id, "glass"])
    preview = gm.get(to).content.decode()
    assert "From 1.0.0 to 1.1.0" in preview and "grit, max: 9 becomes 8" in preview and "nothing calls" in preview
    digest = re.search(r'name="digest" value="(\w+)"', preview)
    assert digest is not None
    move = {"act": "upgrade", "pack": "glass", "version": "1.1.0", "digest": digest[1], "command_id": uuid4()}
    assert gm.post(rules(table), move).status_code == 302
    with states.held(table.campaign_id) as state:
        assert Packs(state).get("glass").version == "1.1.0"


def test_house_rules_are_looked_at_before_they_are_laid(table: Table) -> None:
    gm, where = client(table, "olga"), reverse("try_house_rules", args=[table.campaign_id, PACK])
    odd = OVERLAY.replace(b"}}", b"}, procedures: {unused: {steps: [{narrate: Nobody calls this}]}}}")
    assert client(table, "pia").post(where, {"files": SimpleUploadedFile("overlay.yaml", odd)}).status_code == 404
    assert gm.get(where).url == rules(table)
    wrong = gm.post(where, {"files": SimpleUploadedFile("overlay.yaml", b"{on")})
    assert wrong.status_code == 422 and b"overlay.yaml:" in wrong.content
    page = gm.post(where, {"files": SimpleUploadedFile("overlay.yaml", odd)}).content.decode()
    assert "Gentler dice" in page and "Default: any becomes d20_only" in page and "nothing calls" in page
    assert setting(table, "identity.highest_face_dice") == "any"
    seen = re.search(r'name="seen" value="([^"]*)"', page)
    assert seen is not None
    lay = {"act": "overlay", "pack": PACK, "seen": html.unescape(seen[1]), "command_id": uuid4()}
    assert gm.post(rules(table), lay).status_code == 302
    assert setting(table, "identity.highest_face_dice") == "d20_only"
    assert "nothing calls" in gm.get(rules(table)).content.decode()
    assert gm.post(rules(table), {**lay, "seen": "{1", "command_id": uuid4()}).status_code == 422


def test_a_campaign_is_started_with_a_pack_of_ones_own(transactional_db: None) -> None:
    browser = Client()
    browser.force_login(User.objects.create_user("vera"))
    start = {"name": "Glass Sea", "owner_name": "Vera", "packs": [PACK]}
    broken = {**start, "files": files_of("glass", pack=HEAD.format("x"), rules=GLASS), "command_id": uuid4()}
    wrong = browser.post(reverse("start"), broken)
    assert wrong.status_code == 422 and b"pack.yaml:2:10" in wrong.content
    # What was typed and ticked stands as it was.
    assert b'value="Glass Sea"' in wrong.content and b'value="spindrift-identity" checked' in wrong.content
    whole = {**start, "files": files_of("glass", pack=HEAD.format("1.0.0"), rules=GLASS), "command_id": uuid4()}
    to = browser.post(reverse("start"), whole).url
    assert {"Glass", "Spindrift"} <= set(re.findall(r"Glass\b|Spindrift", browser.get(f"{to}rules/").content.decode()))


@pytest.mark.parametrize("damage", [lambda zip_: zip_[4:], lambda zip_: zip_[:30] + b"\xff\xff\xff" + zip_[33:]])
def test_a_damaged_zip_is_refused_in_words(table: Table, damage: Callable[[bytes], bytes]) -> None:
    whole = files_of("glass", pack=HEAD.format("1.0.0"), rules=GLASS * 40).read()
    upload = {"act": "bring", "files": SimpleUploadedFile("g.zip", damage(whole)), "command_id": uuid4()}
    answer = client(table, "olga").post(rules(table), upload)
    assert answer.status_code == 422 and b"the zip cannot be read" in answer.content
