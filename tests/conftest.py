"""Fixtures for all tests: servers, a browser, and the site started for real.

Nothing is skipped for want of a program: what is missing is installed or the test fails and says so. Without
DATABASE_URL tests run on SQLite, with it on that PostgreSQL; `make test` does both, one after the other.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from playwright.sync_api import Browser

from campaigns import audience
from tests import chance
from tests.ledger import let_tests_flush
from tests.order import LongestFirst
from tests.services import chromium as chromium_service
from tests.services import postgres, redis, site

MARKS_OF_FIXTURES = {
    "chromium": ("browser",),
    "live_server_embedded": ("process", "embedded"),
    "hosted": ("process", "hosted"),
    "served": ("process",),
    "standing": ("process",),
    "postgres_url": ("hosted",),
    "redis_url": ("hosted",),
}
DATABASE_FIXTURES = {"db", "transactional_db", "django_db_reset_sequences", "served", "standing", "cluster"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of our own."""
    chance.add_option(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Keep tests out of the data folder and away from what only a collected site has."""
    let_tests_flush()
    audience.unsaid = _raised  # no test may overlook a sentence that fails
    config.pluginmanager.register(LongestFirst())
    config.pluginmanager.register(chance.Chance(config))
    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Known to processes that a test starts as well, so that dice follow from their seeds alone.
    settings.DICE_KEY = os.environ["TIDEBOOK_DICE_KEY"] = "a key of the tests' own"
    # A host's choice whose default differs; both rounds ask the same questions.
    settings.GM_ADMIN = True
    settings.DATA_DIR = Path(tempfile.mkdtemp(prefix="tidebook-tests-"))
    settings.STATIC_ROOT = settings.DATA_DIR / "static"
    settings.STATIC_ROOT.mkdir()
    config.add_cleanup(lambda: shutil.rmtree(settings.DATA_DIR, ignore_errors=True))
    _keep_processes_apart(os.environ.get("PYTEST_XDIST_WORKER", "gw0"))
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        # A file, not memory: so that threads have connections of their own, as they have in the site.
        database.setdefault("TEST", {})["NAME"] = str(settings.DATA_DIR / "test.sqlite3")


unsaid_of_the_site = audience.unsaid


def _raised(_kind: str, error: Exception) -> str:
    raise error


def _keep_processes_apart(worker: str) -> None:
    """Give each test process its own part of a shared Redis; pub/sub knows no database numbers, hence the prefix."""
    if not settings.HOSTED:
        return
    settings.REDIS_URL = f"{settings.REDIS_URL.rpartition('/')[0]}/{worker.removeprefix('gw')}"
    settings.CACHES["default"]["LOCATION"] = settings.CELERY_BROKER_URL = settings.REDIS_URL
    settings.CHANNEL_LAYERS["default"]["CONFIG"]["prefix"] = f"test-{worker}"


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """Rate limits of one test must not count in the next."""
    cache.clear()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they use, so that `-m` can choose a round."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        for fixture in fixtures:
            for mark in MARKS_OF_FIXTURES.get(fixture, ()):
                item.add_marker(mark)
        if not uses_database(item) and item.get_closest_marker("hosted") is None:
            # What knows no database is the same in both rounds.
            item.add_marker("embedded")


def uses_database(item: pytest.Item) -> bool:
    """Whether a test may reach a database, by its mark or by its fixtures."""
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or not DATABASE_FIXTURES.isdisjoint(fixtures)


@pytest.fixture(scope="session")
def services() -> Iterator[ExitStack]:
    """Servers started for this run, closed at its end."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="session")
def cluster(services: ExitStack) -> postgres.PostgreSQL:
    """A private PostgreSQL cluster: the one that `make test` started for all its processes, else one of our own."""
    given = os.environ.get("TIDEBOOK_TEST_PG_PORT")
    if given:
        return postgres.PostgreSQL(int(given), Path(tempfile.gettempdir()))
    return services.enter_context(postgres.running())


@pytest.fixture
def postgres_url(cluster: postgres.PostgreSQL) -> Iterator[str]:
    """The URL of an empty database."""
    name = f"t_{uuid.uuid4().hex}"
    yield cluster.create(name)
    cluster.drop(name)


@pytest.fixture(scope="session")
def redis_url(services: ExitStack) -> str:
    """The URL of a private Redis, one for each test process."""
    return services.enter_context(redis.running())


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as `make run` leaves it before it serves: schema, static files, demo. Made once a run."""
    return _made_once(_shared(tmp_path_factory) / "prepared", site.clean_environment)


def _made_once(folder: Path, environment: Callable[..., dict[str, str]]) -> Path:
    """A folder that `deploy.prepare` has filled in this environment, whichever test process asks for it first."""
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            folder.mkdir(exist_ok=True)
            _prepare(environment(TIDEBOOK_DATA_DIR=str(folder)))
            (folder / "done").touch()
    return folder


def _shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run that all its test processes share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


def _prepare(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "deploy.prepare", "--demo"]
    done = subprocess.run(command, env=environment, cwd=site.ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"deploy.prepare failed:\n{done.stdout}{done.stderr}"


@pytest.fixture
def data_dir(prepared: Path, tmp_path: Path) -> Path:
    """A copy of the prepared data folder."""
    return _copied(prepared, tmp_path)


def _copied(prepared: Path, folder: Path) -> Path:
    return Path(shutil.copytree(prepared, folder / "data", copy_function=_link_static))


def _link_static(source: str, target: str) -> str:
    """Static files never change and are many: link them. Everything else is copied."""
    if f"{os.sep}static{os.sep}" in source:
        os.link(source, target)
        return target
    return str(shutil.copy2(source, target))


@dataclass(frozen=True)
class HostedTemplate:
    """A PostgreSQL database with schema and demo, to copy from, and the data folder with its static files."""

    database: str
    folder: Path


@contextmanager
def _embedded(data_dir: Path) -> Iterator[site.Embedded]:
    running = site.Embedded(data_dir)
    try:
        running.start()
        yield running
    finally:
        running.destroy()


@contextmanager
def _hosted(template: HostedTemplate, cluster: postgres.PostgreSQL, folder: Path) -> Iterator[site.Hosted]:
    """Its Redis is new as its database is: a site that was killed leaves messages and marks of work handed out, which
    would keep the next one's jobs waiting."""
    name = f"h_{uuid.uuid4().hex}"
    with redis.running() as redis_url:
        url = cluster.create(name, template=template.database)
        running = site.Hosted(_copied(template.folder, folder), url, redis_url)
        try:
            running.start()
            yield running
        finally:
            running.destroy()
            cluster.drop(name)


@pytest.fixture
def live_server_embedded(data_dir: Path) -> Iterator[site.Embedded]:
    """The embedded site with the demo campaign, running: `.url .data_dir .kill() .stop() .start() .manage(*args)`."""
    with _embedded(data_dir) as running:
        yield running


@pytest.fixture(scope="session")
def hosted_template(
    cluster: postgres.PostgreSQL, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> HostedTemplate:
    """Made once a run where its processes share a cluster, else once for each."""
    shared = os.environ.get("TIDEBOOK_TEST_PG_PORT")
    folder = _shared(tmp_path_factory) / "hosted" if shared else tmp_path_factory.mktemp("hosted") / "hosted"

    def environment(**more: str) -> dict[str, str]:
        name = f"template_{uuid.uuid4().hex}"
        (folder / "database").write_text(name)
        hosted = {"TIDEBOOK_REDIS_URL": redis_url, "TIDEBOOK_SECRET_KEY": "for tests only " * 3}
        return site.clean_environment(DATABASE_URL=cluster.create(name), **hosted, **more)

    _made_once(folder, environment)
    return HostedTemplate((folder / "database").read_text(), folder)


@pytest.fixture
def hosted(hosted_template: HostedTemplate, cluster: postgres.PostgreSQL, tmp_path: Path) -> Iterator[site.Hosted]:
    """The hosted site with the demo campaign, running: pages, sockets, worker and beat behind one address."""
    with _hosted(hosted_template, cluster, tmp_path) as running:
        yield running


@pytest.fixture
def served(request: pytest.FixtureRequest) -> site.Site:
    """A site of the test's own as this round has it, which it may kill: embedded on SQLite, hosted on PostgreSQL."""
    running: site.Site = request.getfixturevalue("hosted" if _hosted_round() else "live_server_embedded")
    return running


@pytest.fixture(scope="session")
def standing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[site.Site]:
    """The site as this round has it, started once for all tests of a process: they leave it running and bring a
    campaign of their own, or change nothing in the demo that another relies on."""
    given, folder = request.getfixturevalue, tmp_path_factory.mktemp("standing")
    if _hosted_round():
        running: AbstractContextManager[site.Site] = _hosted(given("hosted_template"), given("cluster"), folder)
    else:
        running = _embedded(_copied(given("prepared"), folder))
    with running as started:
        yield started


def _hosted_round() -> bool:
    return bool(os.environ.get("DATABASE_URL"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A headless browser, one a test module: see tests/services/chromium.py for why not one a run."""
    with chromium_service.running() as browser:
        yield browser
