"""App configuration of `encounters`: the fight as people meet it, and the live feed."""

from django.apps import AppConfig


class EncountersConfig(AppConfig):
    name = "encounters"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Registers what `encounters` brings: its part of the state and its commands."""
        from encounters import api, projections, sizing_api  # noqa: F401
        from encounters.commands import hand, maps, playing, preparing, simulating  # noqa: F401
