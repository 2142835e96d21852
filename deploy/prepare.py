"""What must be so before the server starts: schema, static files, the broker's folders, the demo.

`python -m deploy.prepare` does it without starting anything, without the demo unless `--demo` is given: the release
step of a hosted site.
"""

import hashlib
import io
import os
import shutil
import sys
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import connections


def everything(demo: bool) -> str:
    """Bring the data folder up to date; answer what the demo says about signing in ('' without a demo)."""
    broker_folders()
    call_command("migrate", interactive=False, verbosity=0)
    static_files()
    said = demo_campaign() if demo else ""
    for connection in connections.all(initialized_only=True):
        connection.close()
        if hasattr(connection, "close_pool"):
            connection.close_pool()
    return said


def demo_campaign() -> str:
    """Build the demo, which does nothing the second time, and answer what it prints."""
    said = io.StringIO()
    call_command("demo", stdout=said)
    return said.getvalue().strip()


def broker_folders() -> None:
    """Make the embedded broker's folders, without what a killed process left half-written in them."""
    if settings.HOSTED:
        return
    shutil.rmtree(settings.BROKER_DIR / "control", ignore_errors=True)
    (settings.BROKER_DIR / "control").mkdir(parents=True)
    queue = settings.BROKER_DIR / "queue"
    queue.mkdir(exist_ok=True)
    for message in queue.iterdir():
        if message.stat().st_size == 0:
            message.unlink()


def static_files() -> None:
    """Collect static files, unless those collected last are still the ones there are."""
    stamp = Path(settings.STATIC_ROOT) / ".sources"
    sources = _sources_digest()
    if stamp.exists() and stamp.read_text() == sources:
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp.write_text(sources)


def _sources_digest() -> str:
    """A digest over path, size and time of every source file, and of the storage that names them."""
    digest = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            state = Path(storage.path(name)).stat()
            digest.update(f"{name} {state.st_size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings")
    import django

    django.setup()
    print(everything(demo="--demo" in sys.argv[1:]))


if __name__ == "__main__":
    main()
