"""Pages of pictures: the portrait on a sheet, handouts, the map under a board; who sees which, and nobody else."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory
from django.utils import timezone

from campaigns.commands.calendar import StartCalendar
from campaigns.commands.pictures import ShowPicture, WithdrawPicture
from campaigns.commands.subjects import CreateSubject, RevealSubject
from campaigns.entrance import utc_now
from campaigns.feed import cursor_of
from campaigns.models import Picture
from campaigns.parts.pictures import Pictures
from campaigns.store import read, states
from encounters.commands.maps import LayMap
from encounters.commands.preparing import BeginEncounter, ShowInEncounter
from encounters.parts.encounters import Encounters
from frontend.seat import Stranger, look
from frontend.sending import Sent
from frontend.views import pictures as views
from rules.refusal import Refused
from tests.campaigns.photos import handout, photo, portrait, telling
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_board import PACK, Fight
from tests.frontend.test_pages import address, client_of

pytestmark = pytest.mark.django_db(transaction=True)
EVERYBODY = ("olga", "pia", "paul", "wim")


@pytest.fixture
def table() -> Table:
    return make_table()


@pytest.fixture
def fights() -> Table:
    return make_table({PACK: ""})


def page(table: Table, who: str, name: str, *given: str) -> Any:
    return client_of(table, who).get(address(table, name, *given))


def post(table: Table, who: str, name: str, *given: str, data: bytes | None = None, **form: Any) -> Any:
    if data is not None:
        form["file"] = SimpleUploadedFile("IMG_0001.jpg", data, content_type="image/jpeg")
    return client_of(table, who).post(address(table, name, *given), {"command_id": str(uuid4()), **form})


def bring(table: Table, who: str, command: Any) -> str:
    made: Any = table.send(who, command).events[0].event
    return str(made.picture)


def fetched(table: Table, picture: str) -> dict[str, int]:
    clients = {who: client_of(table, who) for who in (*EVERYBODY, "stan")} | {"nobody": Client()}
    return {who: one.get(address(table, "picture_bytes", picture)).status_code for who, one in clients.items()}


def only(*who: str) -> dict[str, int]:
    return {one: 200 if one in who else 404 for one in (*EVERYBODY, "stan", "nobody")}


# ---- portraits


def test_a_player_gives_their_character_a_portrait(table: Table) -> None:
    talyne = table.character("pia")
    form = page(table, "pia", "portrait", talyne).content.decode()
    assert 'type="file"' in form and 'enctype="multipart/form-data"' in form and 'name="alt"' in form
    assert 'accept="image/png,image/jpeg,image/webp"' in form
    answer = post(table, "pia", "portrait", talyne, data=telling(), alt="A sailor in blue")
    assert answer.status_code == 302 and answer.url == address(table, "subject", talyne)
    assert b"Canary" not in bytes(Picture.objects.get().data)
    for who in EVERYBODY:
        shown = page(table, who, "subject", talyne).content.decode()
        # Its place is kept before it is there.
        assert re.search(r'<img class="portrait" src="[^"]+" alt="A sailor in blue" width="30" height="40">', shown), (
            who
        )
        assert "avatar__image" in page(table, who, "subjects").content.decode(), who
    with states.held(table.campaign_id) as state:
        assert fetched(table, state.part(Pictures).portraits[talyne]) == only(*EVERYBODY)


def test_what_is_wrong_is_said_at_the_file(table: Table) -> None:
    talyne = table.character("pia")
    for data in (b"GIF89a and more", None):
        answer = post(table, "pia", "portrait", talyne, data=data, alt="x")
        text = answer.content.decode()
        assert answer.status_code == 422 and 'id="field-file-error"' in text and "PNG, JPEG or WebP" in text
    answer = post(table, "pia", "portrait", talyne, data=photo(), alt="")
    assert answer.status_code == 422 and 'id="field-alt-error"' in answer.content.decode()
    assert not Picture.objects.exists()


def test_a_second_press_brings_one(table: Table) -> None:
    talyne, form = table.character("pia"), {"command_id": str(uuid4()), "alt": "x"}
    for _ in range(2):
        assert post(table, "pia", "portrait", talyne, data=photo(), **form).status_code == 302
    with states.held(table.campaign_id) as state:
        assert len(state.part(Pictures).by_id) == 1


def test_other_words_for_a_portrait_need_no_other_file(table: Table) -> None:
    talyne = table.character("pia")
    post(table, "pia", "portrait", talyne, data=photo(), alt="A face")
    assert 'value="A face"' in page(table, "pia", "portrait", talyne).content.decode()
    assert post(table, "pia", "portrait", talyne, alt="Talyne, laughing").status_code == 302
    assert 'alt="Talyne, laughing"' in page(table, "paul", "subject", talyne).content.decode()
    with states.held(table.campaign_id) as state:
        assert len(state.part(Pictures).by_id) == 1


def test_who_may_change_a_portrait(table: Table) -> None:
    talyne = table.character("pia")
    for who in ("paul", "wim", "stan"):
        assert page(table, who, "portrait", talyne).status_code == 404
        assert post(table, who, "portrait", talyne, data=photo(), alt="x").status_code == 404
    assert "Portrait" not in page(table, "paul", "subject", talyne).content.decode()
    post(table, "olga", "portrait", talyne, data=photo(), alt="x")
    post(table, "pia", "portrait", talyne, act="withdraw")
    assert "avatar__image" not in page(table, "paul", "subjects").content.decode()


def test_a_hidden_foe_has_no_face_before_it_is_shown(table: Table) -> None:
    made: Any = table.send("olga", CreateSubject(kind="character", name="Foe", hidden=True)).events[0].event
    picture = bring(table, "olga", portrait(made.subject))
    assert fetched(table, picture) == only("olga")
    table.send("olga", RevealSubject(subject=made.subject))
    assert fetched(table, picture) == only(*EVERYBODY)


def test_the_past_shows_the_portrait_of_then_as_far_as_it_may_be_seen_today(table: Table) -> None:
    talyne = table.character("pia")
    old = bring(table, "pia", portrait(talyne))
    then = cursor_of(table.campaign_id, read.events_before(table.campaign_id, 1 << 62, 1)[0].position)
    new = bring(table, "pia", portrait(talyne, photo(50, 50)))

    def looked_back(who: str) -> str:
        where = address(table, "subject", talyne)
        return str(client_of(table, who).get(where, {"entry": then}).content.decode())

    # One that was replaced is its bringer's and the game master's.
    assert old in looked_back("pia") and new not in looked_back("pia") and fetched(table, old) == only("olga", "pia")
    assert old not in looked_back("paul") and new not in looked_back("paul")
    table.send("pia", WithdrawPicture(picture=old))
    assert old not in looked_back("pia")


# ---- handouts


def test_a_gm_brings_a_handout_shows_it_and_withdraws_it(table: Table) -> None:
    talyne = table.character("pia")
    assert "No pictures yet" in page(table, "pia", "pictures").content.decode()
    form = {"alt": "A torn letter", "title": "The letter", "use": "handout", "audience": "gm"}
    assert post(table, "olga", "new_picture", data=photo(), **form).status_code == 302
    with states.held(table.campaign_id) as state:
        (picture,) = state.part(Pictures).by_id
    seen = {who: "The letter" in page(table, who, "pictures").content.decode() for who in EVERYBODY}
    assert seen == {"olga": True, "pia": False, "paul": False, "wim": False}
    assert fetched(table, picture) == only("olga")
    post(table, "olga", "change_picture", picture, act="show", audience="holders", shown_to=talyne)
    assert fetched(table, picture) == only("olga", "pia")
    shown = page(table, "pia", "pictures").content.decode()
    assert 'alt="A torn letter" width="40" height="30"' in shown
    # Whom else it is shown to is not told.
    assert "Shown to" not in shown and "Shown to Talyne" in page(table, "olga", "pictures").content.decode()
    post(table, "olga", "change_picture", picture, act="describe", title="Half a letter", alt="The torn half")
    seen = page(table, "pia", "pictures").content.decode()
    assert 'alt="The torn half"' in seen and "Half a letter" in seen and "The letter" not in seen
    post(table, "olga", "change_picture", picture, act="withdraw")
    assert fetched(table, picture) == only()


def test_handouts_are_the_gms_to_bring_and_show(table: Table) -> None:
    picture = bring(table, "olga", handout(audience="table"))
    for who in ("pia", "wim"):
        assert page(table, who, "new_picture").status_code == 403
        assert post(table, who, "new_picture", data=photo(), alt="x", use="map").status_code == 403
        assert post(table, who, "change_picture", picture, act="withdraw").status_code == 403
    assert fetched(table, picture) == only("olga", "pia", "paul")


def test_the_bytes_are_harmless(table: Table) -> None:
    picture = bring(table, "olga", handout(audience="table"))
    answer = page(table, "pia", "picture_bytes", picture)
    assert answer.headers["Content-Type"] == "image/webp" and answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["Cache-Control"] == "private, no-cache"
    again = client_of(table, "pia").get(
        address(table, "picture_bytes", picture), headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert again.status_code == 304


def test_no_request_leaves_the_campaigns_zone_to_the_next_in_its_thread(transactional_db: None) -> None:
    table = make_table({"spindrift-identity": ""})
    picture = bring(table, "olga", handout(audience="table"))
    today = utc_now().date()
    table.send("olga", StartCalendar(zone="Asia/Tokyo", starts_on=today - timedelta(days=today.weekday())))
    request, stranger = RequestFactory().get("/"), RequestFactory().get("/")
    request.user, stranger.user = User.objects.get(pk=table.users["pia"]), User.objects.get(pk=table.users["stan"])
    for one in (request, stranger):
        one.session = {}  # type: ignore[assignment]
    with timezone.override("Europe/Lisbon"):  # what the thread has
        with look(request, table.campaign_id):
            assert timezone.get_current_timezone_name() == "Asia/Tokyo"
        assert timezone.get_current_timezone_name() == "Europe/Lisbon"
        with pytest.raises(Stranger), look(stranger, table.campaign_id):
            pass
        assert timezone.get_current_timezone_name() == "Europe/Lisbon"
        for name, given in (("picture_bytes", (picture,)), ("pictures", ())):
            assert page(table, "pia", name, *given).status_code == 200
            assert timezone.get_current_timezone_name() == "Europe/Lisbon"


# ---- boards


def drawn(table: Table, who: str, fight: Fight) -> str:
    return str(page(table, who, "encounter", fight.id).content.decode())


def test_a_map_lies_under_the_grid_and_is_hidden_until_it_is_shown(fights: Table) -> None:
    fight = Fight(fights)
    form = {"picture": "new", "alt": "A ford", "across": "24", "left": "-1", "top": "1"}
    answer = post(fights, "olga", "map_of_encounter", fight.id, data=photo(1200, 900), **form)
    assert answer.status_code == 302, answer.content.decode()
    with states.held(fights.campaign_id) as state:
        laid = state.part(Encounters).open[fight.id].map
        assert laid is not None and (laid.across, laid.left, laid.top) == (24, -2, 0)
    fights.send("olga", BeginEncounter(encounter=fight.id, initiative={fight.ana: 9, fight.bo: 5, fight.wolf: 3}))
    # 24 squares of ten units across; 1200 by 900 pixels are 4 to 3, so 180 high; two columns to the left of the grid.
    place = 'x="-20" y="0" width="240" height="180.0"'
    assert place in drawn(fights, "olga", fight) and "A ford" in drawn(fights, "olga", fight)
    for who in ("pia", "wim"):
        assert laid.picture not in drawn(fights, who, fight)
        assert "do not see the picture" not in drawn(fights, who, fight)
    # The GM sees it there, and is told that nobody else does.
    assert "Players do not see the picture under the grid." in drawn(fights, "olga", fight)
    assert fetched(fights, laid.picture) == only("olga")
    shown = {"picture": laid.picture, "shown": "on", "across": "24", "left": "-1", "top": "1"}
    assert post(fights, "olga", "map_of_encounter", fight.id, **shown).status_code == 302
    assert "do not see the picture" not in drawn(fights, "olga", fight)
    for who in ("pia", "wim"):
        assert place in drawn(fights, who, fight)
        # The grid is drawn on top of it.
        assert drawn(fights, who, fight).index("map__picture") < drawn(fights, who, fight).index("map__lines")
    assert fetched(fights, laid.picture) == only(*EVERYBODY)
    post(fights, "olga", "map_of_encounter", fight.id, picture="")
    assert "map__picture" not in drawn(fights, "olga", fight)


def test_the_board_shows_faces_of_those_whom_one_sees(fights: Table) -> None:
    fight = Fight(fights)
    faces = {name: bring(fights, "olga", portrait(one)) for name, one in (("ana", fight.ana), ("wolf", fight.wolf))}
    fights.send("olga", ShowInEncounter(encounter=fight.id, subject=fight.wolf, hidden=True))
    fights.send("olga", BeginEncounter(encounter=fight.id, initiative={fight.ana: 9, fight.bo: 5, fight.wolf: 3}))
    assert {name for name, one in faces.items() if one in drawn(fights, "olga", fight)} == {"ana", "wolf"}
    assert {name for name, one in faces.items() if one in drawn(fights, "pia", fight)} == {"ana"}
    fights.send("olga", ShowPicture(picture=faces["ana"], audience="gm"))
    assert faces["ana"] not in drawn(fights, "pia", fight)


def test_what_is_laid_is_a_map_on_a_grid(fights: Table) -> None:
    fight, flat = Fight(fights), Fight(fights, placed=False, width=0, height=0)
    letter, ground = bring(fights, "olga", handout()), bring(fights, "olga", handout(use="map"))
    for command, field in (
        (LayMap(encounter=fight.id, picture=letter), "picture"),
        (LayMap(encounter=fight.id, picture="x"), "picture"),
        (LayMap(encounter=flat.id, picture=ground), "encounter"),
        (LayMap(encounter=fight.id, picture=ground, across=201), "across"),
        (LayMap(encounter=fight.id, picture=ground, left=-201), "left"),
    ):
        with pytest.raises(Refused) as caught:
            fights.send("olga", command)
        assert caught.value.field == field
    with pytest.raises(Refused):
        fights.send("pia", LayMap(encounter=fight.id, picture=ground))
    laid: Any = fights.send("olga", LayMap(encounter=fight.id, picture=ground)).events[0].event
    assert laid.across == 12
    assert fights.send("olga", LayMap(encounter=fight.id, picture=ground)).events == ()
    for who in ("pia", "wim"):
        assert page(fights, who, "map_of_encounter", fight.id).status_code == 403


def pictures_of(table: Table) -> dict[str, str]:
    """Every picture that is here and whom it is shown to."""
    with states.held(table.campaign_id) as state:
        return {picture: found.audience for picture, found in state.part(Pictures).by_id.items()}


def test_a_map_that_cannot_be_laid_is_neither_brought_nor_shown(fights: Table) -> None:
    fight, flat = Fight(fights), Fight(fights, placed=False, width=0, height=0)
    new = {"picture": "new", "alt": "A ford", "shown": "on"}
    answer = post(fights, "olga", "map_of_encounter", fight.id, data=photo(), **new, across="5000")
    assert answer.status_code == 422 and 'id="field-across-error"' in answer.content.decode()
    assert post(fights, "olga", "map_of_encounter", flat.id, data=photo(), **new, across="5").status_code == 422
    assert pictures_of(fights) == {} and not Picture.objects.exists()
    ground, letter = bring(fights, "olga", handout(use="map")), bring(fights, "olga", handout(audience="table"))
    answer = post(fights, "olga", "map_of_encounter", fight.id, picture=ground, shown="on", across="5000")
    # The form comes back with what was chosen.
    assert f'value="{ground}" checked' in answer.content.decode()
    assert post(fights, "olga", "map_of_encounter", fight.id, picture=letter, across="5").status_code == 422
    assert pictures_of(fights) == {ground: "gm", letter: "table"}


def test_a_map_that_was_brought_before_laying_failed_is_not_brought_again(
    fights: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    fight = Fight(fights)
    refusal = Refused("no_grid", "It is played without a grid by now.", field="encounter")
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(views, "send", lambda *given: Sent(refusal=refusal))
        new = {"picture": "new", "alt": "A ford", "shown": "on", "across": "5"}
        answer = post(fights, "olga", "map_of_encounter", fight.id, data=photo(), **new)
    ((picture, audience),) = pictures_of(fights).items()
    assert audience == "gm" and answer.status_code == 422
    assert f'value="{picture}" checked' in answer.content.decode()
    post(fights, "olga", "map_of_encounter", fight.id, picture=picture, shown="on", across="5")
    assert set(pictures_of(fights)) == {picture} and fetched(fights, picture) == only("olga", "pia", "paul", "wim")


@pytest.mark.parametrize(
    "before, after, told",
    [("table", "gm", "table"), ("gm", "table", "table"), ("all", "gm", "all"), ("gm", "gm", "gm")],
)
def test_who_saw_the_map_before_is_told_that_another_lies_there(
    fights: Table, before: Any, after: Any, told: str
) -> None:
    fight = Fight(fights, public=True).begin()
    old, new = (bring(fights, "olga", handout(use="map", audience=one)) for one in (before, after))
    fights.send("olga", LayMap(encounter=fight.id, picture=old))
    (laid,) = fights.send("olga", LayMap(encounter=fight.id, picture=new)).events
    assert laid.audience == told


def test_a_map_needs_no_words_and_players_are_let_see_it_by_one_press(fights: Table) -> None:
    """What is called optional may be left empty: the map is called after its encounter."""
    fight = Fight(fights)
    assert post(fights, "olga", "map_of_encounter", fight.id, data=photo(), picture="new", alt="").status_code == 302
    ((picture, audience),) = pictures_of(fights).items()
    with states.held(fights.campaign_id) as state:
        found = state.part(Pictures).by_id[picture]
    assert (found.title, found.alt, audience) == ("At the Ford", "At the Ford", "gm")
    fights.send("olga", BeginEncounter(encounter=fight.id, initiative={fight.ana: 9, fight.bo: 5, fight.wolf: 3}))
    button = re.search(r'action="([^"]+)"[^>]*>(?:(?!</form>).)*Let them see it', drawn(fights, "olga", fight), re.S)
    assert button and "Let them see it" not in drawn(fights, "pia", fight)
    assert post(fights, "pia", "map_of_encounter", fight.id, act="show").status_code == 403
    assert client_of(fights, "olga").post(button[1], {"command_id": str(uuid4()), "act": "show"}).status_code == 302
    assert pictures_of(fights) == {picture: "all"}  # the fight is open to watchers
    assert "Let them see it" not in drawn(fights, "olga", fight)
