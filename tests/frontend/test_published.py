"""What a GM publishes scene by scene, and the test message of a webhook, on their pages."""

from uuid import uuid4

import pytest
from django.urls import reverse

from campaigns.commands.containers import CloseContainer, OpenContainer
from campaigns.commands.notices import AddHook
from tests.campaigns.tables import Table, make_table
from tests.frontend.test_pages import client_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def table() -> Table:
    return make_table({"spindrift-identity": ""})


def test_scenes_are_published_by_a_button_also_when_they_are_over(table: Table) -> None:
    client, page = client_of(table, "olga"), reverse("campaign", args=[table.campaign_id])
    scenes = []
    for title in ("The ford", "The hill"):
        scenes.append(table.send("olga", OpenContainer(kind="scene", title=title)).events[0].event.container)
        if title == "The ford":
            table.send("olga", CloseContainer(container=scenes[0]))
    shown = client.get(page).content.decode()
    assert shown.count("Publish to watchers") == 2 and "Lately over" in shown
    for scene in scenes:
        act = reverse("act_running", args=[table.campaign_id, scene])
        assert client.post(act, {"act": "publish", "command_id": str(uuid4())}).status_code == 302
    assert client.get(page).content.decode().count("Publish no more") == 2
    assert "Publish no more" not in client_of(table, "pia").get(page).content.decode()


def test_a_session_says_who_is_present_and_a_scene_who_takes_part(table: Table) -> None:
    client, here = client_of(table, "olga"), [table.campaign_id]
    ana = table.character("pia", "Ana")
    form = client.get(reverse("new_running", args=here) + "?kind=session").content.decode()
    assert "Who is present?" in form and f'value="{table.member("pia")}"' in form
    assert f'value="{table.member("wim")}"' not in form
    assert "Who is present?" not in client.get(reverse("new_running", args=here) + "?kind=scene").content.decode()
    sent = {
        "kind": "session",
        "title": "The ebb",
        "participants": [table.member("pia"), ana],
        "command_id": str(uuid4()),
    }
    assert client.post(reverse("new_running", args=here), sent).status_code == 302
    assert "Session 1 · Pia, Ana" in client.get(reverse("campaign", args=here)).content.decode()


def test_what_is_hidden_has_no_number_to_be_told(table: Table) -> None:
    """One would betray it: it is not counted among those that the table knows."""
    for title, hidden in (("Behind the door", True), ("The ford", False)):
        table.send("olga", OpenContainer(kind="deed", title=title, hidden=hidden))
    page = client_of(table, "olga").get(reverse("campaign", args=[table.campaign_id])).content.decode()
    assert "Deed 1" in page and "Deed 0" not in page and page.count("Behind the door") >= 1


def test_a_webhook_is_sent_a_test_message_by_a_button(table: Table) -> None:
    client, page = client_of(table, "olga"), reverse("settings", args=[table.campaign_id])
    hook = table.send("olga", AddHook(name="The chat", address="https://example.org/x")).events[0].event.hook
    shown = client.get(page).content.decode()
    assert "Send a test message" in shown and "every 2s" not in shown
    test = reverse("test_hook", args=[table.campaign_id, hook])
    assert client.post(test, {"command_id": str(uuid4())}).status_code == 302
    shown = client.get(page).content.decode()
    assert "every 2s" in shown and "A message is on its way" in shown
    assert client_of(table, "pia").post(test, {"command_id": str(uuid4())}).status_code == 403
