"""Logging through structlog: one line an event, key=value on a console and JSON for a collector."""

from typing import Any

import structlog

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


def configure(level: str, style: str) -> dict[str, Any]:
    """Set structlog up and return Django's LOGGING. `style` is console or json; both go to standard error."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    render: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if style == "json":
        render += [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    else:
        render += [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {"()": structlog.stdlib.ProcessorFormatter, "processors": render, "foreign_pre_chain": SHARED}
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level.upper()},
        "loggers": {
            # Django adds its own handlers by default; everything goes through the root once.
            "django": {"handlers": [], "propagate": True},
            "django.server": {"handlers": [], "propagate": True},
            # A tick every few seconds is no news.
            "celery": {"level": "WARNING"},
            "django_celery_beat": {"level": "WARNING"},
            "kombu": {"level": "WARNING"},
            # It warns about the embedded transport's address, which rightly has no host.
            "kombu.connection": {"level": "ERROR"},
            "_granian": {"level": "WARNING"},
        },
    }
