"""Accounts: signing up, in and out, without e-mail; a second factor; limits; invitations that are not lost."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import allauth
import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from django.contrib.auth.models import User
from django.contrib.sites.requests import RequestSite
from django.core import mail
from django.core.cache import cache
from django.template.loader import get_template
from django.test import Client, RequestFactory

from campaigns import invitations
from deploy.accounts import MfaAdapter

PASSWORD = "low-water-mark-9"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_limited() -> Any:
    cache.clear()
    yield
    cache.clear()


def new_user(email: str = "") -> User:
    return User.objects.create_user(f"pia-{uuid4().hex[:8]}", email, PASSWORD)


def sign_in(client: Client, user: User, password: str = PASSWORD, **more: Any) -> Any:
    return client.post("/accounts/login/", {"login": user.username, "password": password}, **more)


def test_signing_up_needs_a_name_and_a_password_only() -> None:
    client, name = Client(), f"pia-{uuid4().hex[:8]}"
    answer = client.post("/accounts/signup/", {"username": name, "password1": PASSWORD, "password2": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.get("/api/campaigns").status_code == 200
    assert User.objects.get(username=name).email == ""


def test_no_cache_keeps_a_page_and_signing_out_forgets_those_of_the_browser() -> None:
    client = Client()
    client.force_login(User.objects.create_user(f"pia-{uuid4().hex[:8]}"))
    assert client.get("/")["Cache-Control"] == "private, no-cache"
    assert client.post("/accounts/logout/")["Clear-Site-Data"] == '"cache"'


@pytest.mark.parametrize("length", [255, 60_000, 400_000])
def test_a_name_longer_than_any_is_refused_before_it_is_looked_for(length: int) -> None:
    answer = Client().post("/accounts/login/", {"login": "x" * length, "password": PASSWORD})
    assert answer.status_code == 200 and b"at most 254 characters" in answer.content


@pytest.mark.parametrize("password", ["short", "password123", "12345678"])
def test_weak_passwords_are_refused(password: str) -> None:
    name = f"pia-{uuid4().hex[:8]}"
    Client().post("/accounts/signup/", {"username": name, "password1": password, "password2": password})
    assert not User.objects.filter(username=name).exists()


def test_signing_in_and_out() -> None:
    client, user = Client(), new_user()
    assert sign_in(client, user)["Location"] == "/"
    assert client.get("/api/campaigns").status_code == 200
    client.post("/accounts/logout/")
    assert client.get("/api/campaigns").status_code == 401


def test_guessing_passwords_ends_soon() -> None:
    client, user = Client(), new_user()
    for _ in range(5):
        assert sign_in(client, user, "wrong").status_code == 200
    sign_in(client, user)
    assert client.get("/api/campaigns").status_code == 401


def test_a_forgotten_password_is_reset_by_mail() -> None:
    user = new_user("pia@example.org")
    client = Client()
    client.post("/accounts/password/reset/", {"email": "pia@example.org"})
    link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", mail.outbox[0].body)
    assert link and mail.outbox[0].subject.startswith("[Tidebook] ")
    page = client.get(link[1], follow=True)
    address = page.redirect_chain[-1][0]
    client.post(address, {"password1": "spring-tide-77", "password2": "spring-tide-77"})
    assert sign_in(Client(), user, "spring-tide-77").status_code == 302


def test_asking_for_a_reset_does_not_tell_who_has_an_account() -> None:
    new_user("pia@example.org")
    known = Client().post("/accounts/password/reset/", {"email": "pia@example.org"})
    unknown = Client().post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])


def test_a_second_factor_is_asked_for_and_a_recovery_code_stands_in_once() -> None:
    user = new_user()
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(user, secret)
    codes = RecoveryCodes.activate(user).generate_codes()
    client = Client()
    answer = sign_in(client, user)
    assert answer["Location"].startswith("/accounts/2fa/authenticate/")
    assert client.get("/api/campaigns").status_code == 401
    client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert client.get("/api/campaigns").status_code == 401
    client.post("/accounts/2fa/authenticate/", {"code": codes[0]})
    assert client.get("/api/campaigns").status_code == 200
    again = Client()
    sign_in(again, user)
    again.post("/accounts/2fa/authenticate/", {"code": codes[0]})
    assert again.get("/api/campaigns").status_code == 401


def test_second_factors_lie_encrypted() -> None:
    user, secret = new_user(), totp.generate_totp_secret()
    totp.TOTP.activate(user, secret)
    stored = Authenticator.objects.get(user=user).data
    assert secret not in repr(stored)
    assert MfaAdapter().decrypt(stored["secret"]) == secret


def test_a_factor_under_a_lost_key_opens_nothing(settings: Any) -> None:
    stored = MfaAdapter().encrypt("JBSWY3DPEHPK3PXP")
    settings.SECRET_KEY = "another key that is long enough for it"
    first, second = MfaAdapter().decrypt(stored), MfaAdapter().decrypt(stored)
    assert first and first != second != "JBSWY3DPEHPK3PXP"


def invited(client: Client, path: str = "/join/somewhere/") -> None:
    """As the page of an invitation does it."""
    client.get("/accounts/login/")
    session = client.session
    request = RequestFactory().get(path)
    request.session = session
    invitations.remember(request)
    session.save()
    client.cookies["sessionid"] = session.session_key


def test_an_invitation_is_followed_after_signing_in_and_up() -> None:
    client, user = Client(), new_user()
    invited(client)
    assert sign_in(client, user)["Location"] == "/join/somewhere/"
    client = Client()
    invited(client)
    body = {"username": f"paul-{uuid4().hex[:8]}", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post("/accounts/signup/", body)["Location"] == "/join/somewhere/"


def test_an_address_elsewhere_is_not_followed() -> None:
    answer = Client().post(
        "/accounts/login/?next=https://elsewhere.example/", {"login": new_user().username, "password": PASSWORD}
    )
    assert "elsewhere" not in answer["Location"]


def test_the_host_decides_who_may_sign_up(settings: Any) -> None:
    body = {"username": f"paul-{uuid4().hex[:8]}", "password1": PASSWORD, "password2": PASSWORD}
    for who, invitation, made in (("closed", True, False), ("invited", False, False), ("invited", True, True)):
        settings.SIGN_UP = who
        client = Client()
        if invitation:
            invited(client)
        client.post("/accounts/signup/", body)
        assert User.objects.filter(username=body["username"]).exists() is made


STOCK = sorted(
    f"{folder}/{file.name}"
    for folder in ("account/email", "mfa/email")
    for file in (Path(allauth.__file__).parent / "templates" / folder).glob("*.txt")
)


def test_no_mail_about_an_account_is_a_stock_one() -> None:
    """Each that allauth can send is worded here; it says what it is about and names the site that it comes from."""
    context = {"current_site": RequestSite(RequestFactory().get("/")), "user": new_user(), "email": "pia@example.org"}
    for name in STOCK:
        found: Any = get_template(name)
        assert "site-packages" not in found.origin.name, name
        told = found.render(dict(context))
        if name.endswith("_subject.txt"):
            assert len(told.split()) >= 3 and told.strip()[0].isupper(), name
        elif not name.split("/")[-1].startswith("base_"):
            assert "Tidebook at testserver" in told and "Hello from" not in told and "&" not in told, name


def test_who_gives_an_address_is_asked_by_name_whether_it_is_theirs() -> None:
    form = {"username": "orla", "email": "orla@example.org", "password1": PASSWORD, "password2": PASSWORD}
    client = Client()
    client.post("/accounts/signup/", form)
    (sent,) = mail.outbox
    assert sent.subject == "[Tidebook] Is this your address?"
    link = re.search(r"https?://[^/]+(/accounts/confirm-email/\S+)", sent.body)
    assert link and sent.body.startswith("orla gave this address")
    assert "<strong>orla@example.org</strong> is to belong to orla" in client.get(link[1]).content.decode()
    assert "This link is over" in client.get("/accounts/confirm-email/none/").content.decode()
