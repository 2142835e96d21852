"""WSGI entry: pages and API when hosted."""

import os

from django.core.wsgi import get_wsgi_application

from deploy.memory import settle

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
application = get_wsgi_application()
settle()
