"""App configuration of `deploy`: settings and how it is run."""

from django.apps import AppConfig


class DeployConfig(AppConfig):
    name = "deploy"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from deploy import checks  # noqa: F401  (importing registers them)
