"""App configuration of `campaigns`: members, the event store and its one entrance, subjects, rolls, calendar."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class CampaignsConfig(AppConfig):
    name = "campaigns"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Registers what `campaigns` brings: parts, commands, projections."""
        from campaigns import enclosing, explaining, projections  # noqa: F401
        from campaigns.api import dice_reads, past_reads, picture_reads, reads, sheet_reads  # noqa: F401
        from campaigns.commands import (  # noqa: F401
            affiliations,
            calendar,
            calls,
            containers,
            growth,
            making,
            notices,
            own_packs,
            packs,
            pictures,
            publishing,
            pursuits,
            seats,
            sheets,
            starting,
            subjects,
            voiding,  # noqa: F401
        )
        from campaigns.commands import seeds as seed_commands  # noqa: F401
        from campaigns.notices import kinds, telling  # noqa: F401
        from campaigns.packs import keep_shelf
        from campaigns.parts import seeds, table, voids  # noqa: F401
        from campaigns.store import guards

        post_migrate.connect(guards.after_migration, sender=self, dispatch_uid="campaigns.guards")
        post_migrate.connect(keep_shelf, sender=self, dispatch_uid="campaigns.packs")
