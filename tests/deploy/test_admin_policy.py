"""The admin's pages work under their policy, and the others' policy needs no exception."""

import pytest

from tests.services.chromium import complaints

MAKE_BOSS = """
from django.contrib.auth.models import User
User.objects.create_superuser("boss", password="boss-boss-1")
"""


@pytest.mark.embedded
def test_admin_and_pages_break_no_policy(standing, chromium):
    site = standing
    site.run(MAKE_BOSS)
    context = chromium.new_context()
    page = context.new_page()
    heard = complaints(page)
    page.goto(f"{site.url}/admin/")
    page.fill("input[name=login]", "boss")
    page.fill("input[name=password]", "boss-boss-1")
    page.click("button[type=submit]")
    page.wait_for_url(f"{site.url}/admin/")
    for path in (
        "/admin/auth/user/",
        "/admin/auth/user/add/",
        "/admin/django_celery_beat/periodictask/",
        "/",
        "/accounts/password/change/",
    ):
        page.goto(site.url + path)
        page.wait_for_load_state("load")
    context.close()
    assert [said for said in heard if "Content Security Policy" in said or "is not defined" in said] == []
