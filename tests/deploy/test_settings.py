"""What the environment makes of the settings, each set-up loaded in a process of its own."""

import json
import subprocess
import sys

import pytest

from deploy import database
from tests.services import site

SHOW = """
import json
from django.conf import settings
if %r:
    import django
    django.setup()
print(json.dumps({name: getattr(settings, name) for name in %r}, default=str))
"""
HOSTED = {
    "TIDEBOOK_REDIS_URL": "redis://localhost:6379/2",
    "DATABASE_URL": "postgres://u:p@db/tidebook",
    "TIDEBOOK_SECRET_KEY": "x" * 40,
}


def load(folder, names, start=False, **environment):
    """The named settings under `environment`; `start` loads the apps as well."""
    full = site.clean_environment(TIDEBOOK_DATA_DIR=str(folder), DJANGO_SETTINGS_MODULE="deploy.settings") | environment
    done = subprocess.run(
        [sys.executable, "-c", SHOW % (start, names)],
        env=full,
        cwd=site.ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_embedded_needs_no_server_and_keeps_its_key(tmp_path):
    names = ["SECRET_KEY", "CELERY_BROKER_URL", "CHANNEL_LAYERS", "SESSION_COOKIE_SECURE"]
    first, second = load(tmp_path, names, start=True), load(tmp_path, names)
    assert first == second
    assert len(first["SECRET_KEY"]) >= 50
    assert (tmp_path / "secret-key").stat().st_mode & 0o077 == 0
    assert first["CELERY_BROKER_URL"] == "filesystem://"
    assert first["CHANNEL_LAYERS"]["default"]["BACKEND"] == "channels.layers.InMemoryChannelLayer"
    assert first["SESSION_COOKIE_SECURE"] is False


def test_redis_makes_it_hosted(tmp_path):
    found = load(tmp_path, ["CELERY_BROKER_URL", "CHANNEL_LAYERS", "CACHES", "DATABASES"], start=True, **HOSTED)
    assert found["CELERY_BROKER_URL"] == "redis://localhost:6379/2"
    assert found["CHANNEL_LAYERS"]["default"]["BACKEND"] == "channels_redis.pubsub.RedisPubSubChannelLayer"
    assert found["CACHES"]["default"]["LOCATION"] == "redis://localhost:6379/2"
    assert found["DATABASES"]["default"]["OPTIONS"]["pool"]["max_size"] == 20
    assert not (tmp_path / "secret-key").exists()


def test_https_makes_cookies_secure_and_asks_for_https_for_a_year(tmp_path):
    names = ["SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_HSTS_SECONDS", "SECURE_SSL_REDIRECT"]
    found = load(tmp_path, names, TIDEBOOK_HTTPS="1")
    assert list(found.values()) == [True, True, 31_536_000, True]


def test_the_senders_protocol_is_believed_only_behind_a_proxy(tmp_path):
    assert load(tmp_path, ["SECURE_PROXY_SSL_HEADER"])["SECURE_PROXY_SSL_HEADER"] is None
    behind = load(tmp_path, ["SECURE_PROXY_SSL_HEADER", "ALLAUTH_TRUSTED_PROXY_COUNT"], TIDEBOOK_PROXIES="1")
    assert behind == {
        "SECURE_PROXY_SSL_HEADER": ["HTTP_X_FORWARDED_PROTO", "https"],
        "ALLAUTH_TRUSTED_PROXY_COUNT": 1,
    }


def test_mail_goes_where_the_address_says(tmp_path):
    names = ["EMAIL_HOST", "EMAIL_PORT", "EMAIL_USE_TLS", "EMAIL_BACKEND"]
    found = load(tmp_path, names, TIDEBOOK_EMAIL_URL="smtp+tls://u:p@mail.example:587")
    assert found == {
        "EMAIL_HOST": "mail.example",
        "EMAIL_PORT": 587,
        "EMAIL_USE_TLS": True,
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
    }


@pytest.mark.parametrize(("seconds", "timeout"), [(30, "statement_timeout=30000"), (0, "statement_timeout=0")])
def test_postgresql_gets_time_outs_and_a_pool(seconds, timeout):
    found = database.configure("postgres://u:p@h:5433/n", pool=7, statement_seconds=seconds)
    assert timeout in found["OPTIONS"]["options"]
    assert found["OPTIONS"]["pool"]["max_size"] == 7
    assert found["CONN_MAX_AGE"] == 0
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("h", 5433, "n")


def test_without_a_pool_connections_are_kept_by_threads():
    found = database.configure("postgres://u:p@h/n", pool=0, statement_seconds=1)
    assert "pool" not in found["OPTIONS"]
    assert found["CONN_MAX_AGE"] == 60


def test_sqlite_writers_queue():
    assert database.configure("sqlite:////tmp/x", 1, 1)["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
