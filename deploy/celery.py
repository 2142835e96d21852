"""The Celery app. Tasks are found in each app's `tasks.py`; the only schedule is the tick (deploy/tasks.py).

Rules for tasks: a task may run twice and must not mind; it takes ids, never objects; it works on a batch of campaigns,
each in its own transaction; it is never sent with a countdown or an hour.
"""

import logging.config
import os
import warnings
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import setup_logging, worker_process_init

from deploy.memory import settle

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")

# Messages are JSON, never pickles: being root in a container opens nothing more here than in the web process.
warnings.filterwarnings("ignore", message=".*superuser privileges", category=SecurityWarning)

app = Celery("tidebook")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def _log_like_the_site(**_: Any) -> None:
    from django.conf import settings

    logging.config.dictConfig(settings.LOGGING)


@worker_process_init.connect
def _settle(**_: Any) -> None:
    settle()
