"""The scheduler of beat: what the settings say is put into the database once, and then the host's to adjust there.

django-celery-beat writes the settings over its tables at every start, so that an hour changed in the admin would hold
until the next restart only. Here a row is written again when the settings say something else than when it was written.
"""

from __future__ import annotations

from typing import Any

from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler


def as_said(fields: dict[str, Any]) -> str:
    """What the settings say of a task, kept beside it."""
    return f"As the settings say: {fields['task']}, {fields['schedule']!r}, {fields.get('options') or {}}"


class Scheduler(DatabaseScheduler):
    """Reads its tasks from the database; see the module."""

    def update_from_dict(self, mapping: dict[str, dict[str, Any]]) -> None:
        """Writes the tasks that are new, or that the settings describe otherwise than before."""
        kept = dict(PeriodicTask.objects.filter(name__in=mapping).values_list("name", "description"))
        said = {name: as_said(fields) for name, fields in mapping.items()}
        changed = {
            name: {**fields, "description": said[name]}
            for name, fields in mapping.items()
            if kept.get(name) != said[name]
        }
        super().update_from_dict(changed)
