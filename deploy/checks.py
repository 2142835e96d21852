"""System checks of the environment that are worth a warning but not a refusal."""

import os
from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Warning, register

from deploy.environment import unknown_names


@register()
def known_names(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """A TIDEBOOK_ variable that nothing reads is most likely misspelt."""
    return [
        Warning(
            f"Nothing reads the variable {name}.",
            hint=f"Did you mean {near}?" if near else "deploy/environment.py lists those that are read.",
            id="deploy.W001",
        )
        for name, near in unknown_names(os.environ)
    ]
