"""App configuration of `campaigns`: members, the event store and its one entrance, subjects, rolls, calendar."""

from django.apps import AppConfig


class CampaignsConfig(AppConfig):
    name = "campaigns"
    default_auto_field = "django.db.models.BigAutoField"
