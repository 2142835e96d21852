"""App configuration of `identity`: opposed pairs as people meet them."""

from django.apps import AppConfig


class IdentityConfig(AppConfig):
    name = "identity"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Registers what `identity` brings: parts, commands, projections."""
        from identity import api, explaining, notices, projections  # noqa: F401
        from identity.commands import development, invocations, marks, pairs  # noqa: F401
