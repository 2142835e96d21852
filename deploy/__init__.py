"""How Tidebook is put together and run: settings, entries of web and jobs, the embedded supervisor."""

# Importing the Celery app here lets every Django process, web included, send tasks to the configured broker.
from deploy.celery import app as celery_app

__all__ = ["celery_app"]
