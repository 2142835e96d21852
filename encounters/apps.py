"""App configuration of `encounters`: the fight as people meet it, and the live feed."""

from django.apps import AppConfig


class EncountersConfig(AppConfig):
    name = "encounters"
    default_auto_field = "django.db.models.BigAutoField"
