"""A wrong value in the environment is refused by name, with what would be right."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from deploy.environment import Reader, unknown_names
from tests.services import site


def refusal(reader: Reader) -> str:
    with pytest.raises(ImproperlyConfigured) as caught:
        reader.finish()
    return str(caught.value)


def test_absent_and_empty_values_are_the_default():
    reader = Reader({"TIDEBOOK_PORT": "  "})
    assert reader.number("TIDEBOOK_PORT", 8000, 1, 65_535) == 8000
    assert reader.flag("TIDEBOOK_HTTPS", False) is False
    assert reader.items("TIDEBOOK_ALLOWED_HOSTS", ["localhost"]) == ["localhost"]
    reader.finish()


@pytest.mark.parametrize("text", ["eighty", "0", "65536", "80.5"])
def test_a_number_out_of_its_range_names_the_range(text):
    reader = Reader({"TIDEBOOK_PORT": text})
    reader.number("TIDEBOOK_PORT", 8000, 1, 65_535)
    said = refusal(reader)
    assert f"TIDEBOOK_PORT='{text}'" in said
    assert "from 1 to 65535" in said


@pytest.mark.parametrize(("text", "value"), [("YES", True), ("on", True), ("0", False), ("False", False)])
def test_flags_are_read_in_any_case(text, value):
    reader = Reader({"TIDEBOOK_HTTPS": text})
    assert reader.flag("TIDEBOOK_HTTPS", not value) is value
    reader.finish()


def test_a_flag_that_is_neither_names_both():
    reader = Reader({"TIDEBOOK_HTTPS": "maybe"})
    reader.flag("TIDEBOOK_HTTPS", False)
    assert "true" in refusal(reader)


def test_every_wrong_value_is_said_at_once():
    reader = Reader({"TIDEBOOK_HTTPS": "maybe", "TIDEBOOK_LOG_LEVEL": "loud"})
    reader.flag("TIDEBOOK_HTTPS", False)
    reader.choice("TIDEBOOK_LOG_LEVEL", "info", ("debug", "info"))
    said = refusal(reader)
    assert "2 wrong value(s)" in said
    assert "TIDEBOOK_HTTPS" in said
    assert "debug, info" in said


def test_an_address_of_another_kind_is_refused_without_showing_its_password():
    reader = Reader({"TIDEBOOK_REDIS_URL": "http://user:hunter2@host"})
    reader.address("TIDEBOOK_REDIS_URL", ("redis", "rediss"))
    said = refusal(reader)
    assert "redis://" in said
    assert "hunter2" not in said


def test_a_misspelt_name_is_told_the_nearest():
    assert unknown_names({"TIDEBOOK_PROT": "1", "PROT": "1"}) == [("TIDEBOOK_PROT", "TIDEBOOK_PORT")]


@pytest.mark.process
@pytest.mark.embedded
@pytest.mark.parametrize(
    ("environment", "right"),
    [
        ({"TIDEBOOK_PORT": "eighty"}, "TIDEBOOK_PORT='eighty': write a whole number from 1 to 65535"),
        ({"DATABASE_URL": "mysql://host/name"}, "begins with sqlite:// or postgres://"),
        ({"TIDEBOOK_REDIS_URL": "redis://localhost"}, "TIDEBOOK_SECRET_KEY=(not shown): with TIDEBOOK_REDIS_URL"),
        ({"TIDEBOOK_SECRET_KEY": "short"}, "at least 32 characters"),
        ({"TIDEBOOK_CSRF_ORIGINS": "tidebook.example"}, "https://tidebook.example"),
    ],
)
def test_serve_refuses_a_wrong_environment_at_once(tmp_path, environment, right):
    started = site.Embedded(tmp_path, environment)
    with pytest.raises(RuntimeError) as caught:
        started.start()
    assert right in str(caught.value)
    assert "Traceback" not in str(caught.value)
