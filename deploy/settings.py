"""Settings, all read from the environment; the defaults are the embedded set-up (see deploy/README.md).

The presence of TIDEBOOK_REDIS_URL is what makes a set-up hosted: then jobs, live nudges and the cache go through Redis
and the secrets must be given. Without it everything lies in one folder and needs no server.
"""

import os
from pathlib import Path
from typing import Any

import environ
from kombu import Queue  # type: ignore[attr-defined]

from deploy import database, logs, secret
from deploy.environment import Reader

BASE_DIR = Path(__file__).resolve().parent.parent
env = Reader(os.environ)

# Everything an embedded server writes lies in this one folder.
DATA_DIR = Path(env.text("TIDEBOOK_DATA_DIR", str(BASE_DIR / "data"))).resolve()
DATA_DIR.mkdir(parents=True, exist_ok=True)

REDIS_URL = env.address("TIDEBOOK_REDIS_URL", ("redis", "rediss", "unix"))
HOSTED = bool(REDIS_URL)
HTTPS = env.flag("TIDEBOOK_HTTPS", False)
PROXIES = env.number("TIDEBOOK_PROXIES", 0, 0, 5)
DEBUG = env.flag("TIDEBOOK_DEBUG", False)
SECRET_KEY = secret.key(env, DATA_DIR, HOSTED)
# Dice seeds derive from this key; keep it when the secret key is changed, or open seeds cannot be revealed.
DICE_KEY = env.text("TIDEBOOK_DICE_KEY") or SECRET_KEY
ALLOWED_HOSTS = env.items("TIDEBOOK_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.items("TIDEBOOK_CSRF_ORIGINS")
if any("://" not in origin for origin in CSRF_TRUSTED_ORIGINS):
    env.problem("TIDEBOOK_CSRF_ORIGINS", "write each origin with its scheme, for example https://tidebook.example")
# How long an owner may take back the wish to have a campaign erased.
PICTURES_MB = env.number("TIDEBOOK_PICTURES_MB", 100, 0, 100_000)
ERASURE_GRACE_DAYS = env.number("TIDEBOOK_ERASURE_GRACE_DAYS", 14, 0, 3650)
METRICS_TOKEN = env.text("TIDEBOOK_METRICS_TOKEN")

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "campaigns.admin_app.CampaignAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "django_celery_beat",
    "django_prometheus",
    "rules",
    "campaigns",
    "identity",
    "encounters",
    "frontend",
    "deploy",
]

# The admin's own look: without these it would name itself after Django.
UNFOLD = {"SITE_TITLE": "Tidebook", "SITE_HEADER": "Tidebook"}

MIDDLEWARE = [
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "deploy.middleware.request_context",
    "django.middleware.security.SecurityMiddleware",
    "deploy.middleware.content_security_policy",
    # Serves static files under WSGI. Under ASGI the server does it before Django sees the request (deploy/serve.py):
    # WhiteNoise's answers are synchronous iterators, which Django buffers whole there and warns about each time.
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "deploy.middleware.private_pages",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
]
PROMETHEUS_EXPORT_MIGRATIONS = False

ROOT_URLCONF = "deploy.urls"
ASGI_APPLICATION = "deploy.asgi.application"
WSGI_APPLICATION = "deploy.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        # Before the apps' own: our account pages win over allauth's.
        "DIRS": [BASE_DIR / "frontend" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    },
    {
        # What a page has dozens of (frontend/drawn.py). Nothing but ours, so that no name is found here by chance.
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "frontend" / "jinja2"],
        "OPTIONS": {"environment": "frontend.drawn.environment"},
    },
]

DATABASES = {
    "default": database.configure(
        env.address("DATABASE_URL", database.SCHEMES, f"sqlite:///{DATA_DIR / 'tidebook.sqlite3'}"),
        pool=env.number("TIDEBOOK_DB_POOL", 20, 0, 500),
        statement_seconds=env.number("TIDEBOOK_DB_STATEMENT_SECONDS", 30, 0, 86_400),
    )
}

CACHES: dict[str, dict[str, Any]]
CHANNEL_LAYERS: dict[str, dict[str, Any]]
if HOSTED:
    CACHES = {
        "default": {
            "BACKEND": "deploy.cache.ForgettingCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
        }
    }
    # The pub/sub layer: the other one drops idle sockets and forgets members after a day.
    CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
    }
    CELERY_BROKER_URL = REDIS_URL
    # No task is ever sent with a countdown near this, so that none is delivered a second time while it waits.
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {"visibility_timeout": 3600, "socket_timeout": 30}
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    CELERY_BROKER_URL = "filesystem://"
    CELERY_BROKER_TRANSPORT = "deploy.broker:Transport"
    BROKER_DIR = DATA_DIR / "broker"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER_DIR / "queue"),
        "data_folder_out": str(BROKER_DIR / "queue"),
        "control_folder": str(BROKER_DIR / "control"),
        "polling_interval": 0.25,
    }

# Jobs: each may run twice and finds out from the database what is due; so late acknowledgement is safe, and a lost
# worker's task runs again. Nothing is scheduled in local time and nothing waits in the queue for its hour.
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_SOFT_TIME_LIMIT = 600
CELERY_TASK_TIME_LIMIT = 660
# What may take long stands in a line of its own: a worker takes from both in turn, so that what is due waits for one
# piece of it at most; a host may give each line workers of its own.
CELERY_TASK_QUEUES = [Queue("celery"), Queue("simulations")]  # type: ignore[no-untyped-call]
CELERY_TASK_ROUTES = {"encounters.fight_on": {"queue": "simulations"}}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULER = "deploy.beat:Scheduler"
CELERY_BEAT_MAX_LOOP_INTERVAL = 5
TICK_SECONDS = env.number("TIDEBOOK_TICK_SECONDS", 5, 1, 3600)
CELERY_BEAT_SCHEDULE = {
    # A tick that waited for the length of two is stale: the next one asks the same question.
    "tick": {"task": "deploy.tick", "schedule": TICK_SECONDS, "options": {"expire_seconds": TICK_SECONDS * 2}}
}

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_FORMS = {"login": "deploy.account_forms.LoginForm"}
ACCOUNT_ADAPTER = "deploy.accounts.AccountAdapter"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Tidebook] "
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = True
# A wrong password may be tried this often; the rest are allauth's limits (sign up, reset, second factor ...).
ACCOUNT_RATE_LIMITS = {"login_failed": "20/m/ip,5/300s/key"}
SIGN_UP = env.choice("TIDEBOOK_SIGN_UP", "open", ("open", "invited", "closed"))
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ALLAUTH_TRUSTED_PROXY_COUNT = PROXIES
MFA_ADAPTER = "deploy.accounts.MfaAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Tidebook"

_email = env.address("TIDEBOOK_EMAIL_URL", ("smtp", "smtp+tls", "smtp+ssl"))
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
if _email:
    globals().update(environ.Env.email_url_config(_email))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("TIDEBOOK_EMAIL_FROM", "tidebook@localhost")

# Webhooks of campaigns: what GMs type must not reach into a host's own network.
WEBHOOK_PRIVATE = env.flag("TIDEBOOK_WEBHOOK_PRIVATE", not HOSTED)

# Whether GMs may enter the admin, each for the campaigns they run; staff and superusers always may.
GM_ADMIN = env.flag("TIDEBOOK_GM_ADMIN", not HOSTED)

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "NUM_PROXIES": PROXIES,
}
# Requests a minute that one user may make, and one address without a user.
API_RATES = {"api-read": 600, "api-send": 240, "api-nobody": 120}
SPECTACULAR_SETTINGS = {
    "TITLE": "Tidebook",
    "DESCRIPTION": (
        "Commands and reads of a campaign: the same ones that the pages use. A command is sent with an Idempotency-Key"
        " and answered by what its sender may see of the events it recorded; whatever is refused says why as a problem"
        " (RFC 9457) with the field, its value and what would be right."
    ),
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api",
}

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^metrics$"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "deploy.static.StaticStorage"},
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LOGGING = logs.configure(
    env.choice("TIDEBOOK_LOG_LEVEL", "info", ("debug", "info", "warning", "error")),
    env.choice("TIDEBOOK_LOG_FORMAT", "json" if HOSTED else "console", ("console", "json")),
)

# What only serve (the embedded supervisor) uses; read here so that a wrong value is said with all the others.
SERVE_HOST = env.text("TIDEBOOK_HOST", "127.0.0.1")
SERVE_PORT = env.number("TIDEBOOK_PORT", 8000, 1, 65_535)
# The demo's accounts have passwords that anybody can read here: others reach them only where somebody says so.
SERVE_DEMO = env.flag("TIDEBOOK_DEMO", SERVE_HOST in ("127.0.0.1", "localhost", "::1"))

SITE_URL = env.address("TIDEBOOK_SITE_URL", ("https", "http"), f"http://localhost:{SERVE_PORT}")

env.finish()
