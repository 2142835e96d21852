"""The embedded broker: Celery's folder of message files, made safe for a worker that reads while others write.

Kombu's own transport opens a message under its final name and fills it afterwards, so that a worker may take it half
written, and what cannot be read ends the worker.
"""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

import structlog
from kombu.transport import filesystem
from kombu.utils import json

_dumps: Any = json.dumps
_log = structlog.get_logger(__name__)


class Channel(filesystem.Channel):
    """Messages appear whole; one that cannot be read is passed over."""

    def _put(self, queue: Any, payload: Any, **_: Any) -> None:  # type: ignore[override]
        name = f"{round(monotonic() * 1000)}_{uuid4()}.{queue}.msg"
        unfinished = Path(self.data_folder_out) / f"{name}.part"
        unfinished.write_text(_dumps(payload))
        unfinished.replace(unfinished.with_name(name))

    def _get(self, queue: Any) -> Any:  # type: ignore[override]
        while True:
            try:
                return super()._get(queue)  # type: ignore[no-untyped-call]
            except ValueError as error:
                # It is out of the folder already. What is due is sent anew with the next tick.
                _log.warning("broker.unreadable_message", queue=queue, error=str(error))


class Transport(filesystem.Transport):
    """The transport by which embedded processes reach each other."""

    Channel = Channel
