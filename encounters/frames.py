"""The frames of the live feed: JSON objects with a ``kind``, encoded once and sent to many.

Server to client: hello, event, again (an earlier event reads differently now: voided, or standing again), renew (names
changed: fetch anew what is listed), rights, resumed, reset (that cursor leads nowhere: reload), error, ping, bye.
Client to server: resume (``cursor``), pong.

A client keeps the cursor of its newest event and applies an event whose ``follows`` is that cursor; one that is not
makes it ask to resume. From asking until ``resumed`` names the cursor asked for last, it ignores event and again. On
rights and renew it fetches anew what it shows, and resumes behind the newest event that it fetched.
"""

from __future__ import annotations

from typing import Any

import msgspec

from campaigns.feed import Entry
from encounters.standing import Standing
from rules.refusal import Refused

LONGEST = 512


class Resume(msgspec.Struct, tag_field="kind", tag="resume", forbid_unknown_fields=True):
    """Go on behind this cursor; None: from where hello said, an empty text: from the very beginning."""

    cursor: str | None


class Pong(msgspec.Struct, tag_field="kind", tag="pong", forbid_unknown_fields=True):
    """Still there."""


_decoder = msgspec.json.Decoder(Resume | Pong)


def frame(kind: str, **fields: Any) -> str:
    """One frame as text."""
    return msgspec.json.encode({"kind": kind, **fields}).decode()


PING, RESET, RENEW = frame("ping"), frame("reset"), frame("renew")


def hello(standing: Standing, cursor: str | None) -> str:
    """The first frame of a socket: what follows comes behind ``cursor`` (None: nothing was to be seen yet)."""
    return frame("hello", cursor=cursor, **_you(standing))


def rights(standing: Standing, cursor: str | None) -> str:
    """The viewer's rights changed: fetch anew what is shown; what follows comes behind ``cursor`` in the new view."""
    return frame("rights", cursor=cursor, **_you(standing))


def _you(standing: Standing) -> dict[str, Any]:
    viewer = standing.viewer
    return {"role": viewer.role, "you": {"member": viewer.member or None, "name": standing.name}}


def event(entry: Entry) -> str:
    """An event that is new to the viewer."""
    return frame("event", cursor=entry.cursor, follows=entry.follows, event=entry.view)


def again(entry: Entry) -> str:
    """An event that the viewer may know already, as it reads now."""
    return frame("again", cursor=entry.cursor, event=entry.view)


def error(refused: Refused) -> str:
    """What was wrong with a frame of the client, which changed nothing."""
    return frame("error", code=refused.code, message=refused.message, field=refused.field, right=refused.right)


def read(text: str | None) -> Resume | Pong:
    """A frame of the client; refused, with what would be right, where it is none."""
    right = '{"kind": "resume", "cursor": "..."} or {"kind": "pong"}'
    if text is None:
        raise Refused("not_text", "A frame is JSON text.", field="frame", right=right)
    if len(text) > LONGEST:
        raise Refused("too_long", f"A frame has at most {LONGEST} characters.", field="frame", right=right)
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise Refused("unknown_frame", "This frame is not understood.", field="frame", right=right) from None
