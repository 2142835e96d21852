"""The schedule lies in the database: seen and adjusted in the admin, and what was adjusted holds over a restart."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from deploy.beat import Scheduler
from deploy.celery import app

pytestmark = pytest.mark.django_db(transaction=True)


def start(seconds: int) -> Scheduler:
    """Beat starts with these settings."""
    scheduler = Scheduler(app=app, lazy=True)
    tick = {"task": "deploy.tick", "schedule": seconds, "options": {"expire_seconds": seconds * 2}}
    scheduler.update_from_dict({"tick": tick})
    return scheduler


def every() -> int:
    return int(PeriodicTask.objects.get(name="tick").interval.every)


def test_what_the_host_adjusts_holds_until_the_settings_say_something_else() -> None:
    assert "tick" in start(5).schedule
    task = PeriodicTask.objects.get(name="tick")
    assert (task.task, every(), task.expire_seconds) == ("deploy.tick", 5, 10)
    task.interval = IntervalSchedule.objects.create(every=20, period=IntervalSchedule.SECONDS)
    task.save()
    again = start(5)
    assert every() == 20 and again.schedule["tick"].schedule.run_every.total_seconds() == 20
    start(3)
    assert every() == 3


def test_a_task_that_the_host_turned_off_stays_off() -> None:
    start(5)
    PeriodicTask.objects.filter(name="tick").update(enabled=False)
    assert "tick" not in start(5).schedule


def test_the_schedule_is_seen_and_adjusted_in_the_admin_by_hosts_alone() -> None:
    start(5)
    task = PeriodicTask.objects.get(name="tick")
    where = reverse("admin:django_celery_beat_periodictask_change", args=[task.pk])
    client = Client()
    client.force_login(User.objects.create_superuser("host"))
    page: Any = client.get(where)
    assert page.status_code == 200 and "deploy.tick" in page.content.decode()
    slower = IntervalSchedule.objects.create(every=30, period=IntervalSchedule.SECONDS)
    initial = page.context["adminform"].form.initial
    form = {name: value for name, value in initial.items() if value is not None}
    form |= {
        "interval": slower.pk,
        "regtask": "",
        "start_time_0": "",
        "start_time_1": "",
        "expires_0": "",
        "expires_1": "",
    }
    done: Any = client.post(where, form)
    assert done.status_code == 302, done.context["errors"]
    assert every() == 30
    client.force_login(User.objects.create_user("staff", is_staff=True))
    assert client.get(where).status_code == 403
