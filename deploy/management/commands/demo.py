"""`manage.py demo`: makes the demo campaign by commands; a second time it changes nothing."""

from typing import Any

from django.core.management.base import BaseCommand

from deploy import demo


class Command(BaseCommand):
    """Says how to sign in, whether the demo was there or not."""

    help = "Make the demo campaign, if it is not there yet, and say how to sign in to it."

    def handle(self, *_args: Any, **_options: Any) -> None:
        demo.build()
        self.stdout.write(demo.signing_in())
