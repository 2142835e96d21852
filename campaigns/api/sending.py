"""Sending commands: one address for each; the answer is the sender's view of what came of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from uuid import NAMESPACE_URL, UUID, uuid5

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from campaigns import registry
from campaigns.api.access import LONGEST_BODY, LONGEST_WITH_FILES, Address, now
from campaigns.api.bodies import from_json
from campaigns.api.reads import EntryRead, entry_read
from campaigns.audience import name_finder, view_event
from campaigns.commands.starting import StartCampaign
from campaigns.context import Actor
from campaigns.door import no_such_campaign, opened
from campaigns.entrance import Answer, execute, found
from campaigns.feed import Entry, cursor_of, newer, position_of
from campaigns.models import Campaign, Member
from campaigns.registry import Command, CommandType
from campaigns.store import read
from rules.refusal import Refused

TRIES = 5


class Sent(msgspec.Struct):
    """What a command came to: the events it recorded, as far as the sender may see them.

    `again` says that an earlier call with the same Idempotency-Key had done it already.
    """

    campaign: str
    again: bool
    events: list[EntryRead]


def idempotency_key(request: Request) -> UUID:
    """The Idempotency-Key header, which every command needs."""
    given = request.headers.get("Idempotency-Key", "")
    right = "a UUID that you make for this command and send again if you try again"
    if not given:
        raise Refused("missing", "This header is needed.", field="Idempotency-Key", right=right)
    try:
        return UUID(given)
    except ValueError:
        shown = given[:60]
        raise Refused("wrong_value", "This is not a UUID.", field="Idempotency-Key", value=shown, right=right) from None


def sent(answer: Answer, user: int, instant: datetime) -> Sent:
    """The answer as its sender may see it; nothing of it for one who has no seat any more."""
    events: list[EntryRead] = []
    try:
        with opened(answer.campaign_id, user, instant) as (state, viewer):
            names = name_finder(state)
            for event in answer.events:
                if (view := view_event(event, viewer, names)) is not None:
                    cursor = cursor_of(answer.campaign_id, event.position)
                    events.append(entry_read(Entry(cursor, None, view, event.position)))
    except Refused:
        pass
    return Sent(str(answer.campaign_id), answer.again, events)


def _seat_of(campaign_id: UUID, user: int) -> Member | None:
    return Member.objects.filter(campaign_id=campaign_id, user_id=user).first()


def _require_seat(campaign_id: UUID, kind: CommandType, user: int, command_id: UUID) -> None:
    """Strangers learn nothing of a campaign but what the commands made for them say."""
    if "stranger" in kind.roles:
        return
    seat = _seat_of(campaign_id, user)
    if seat is not None and seat.role:
        return
    # One who left may repeat the command by which they did.
    done = read.events_of_command(campaign_id, command_id) if seat is not None else []
    if seat is None or not done or done[0].actor != f"member:{seat.member}":
        raise no_such_campaign()


def send_command(
    campaign_id: UUID,
    kind: CommandType,
    user: int,
    command_id: UUID,
    body: Callable[[], Command],
    seen: str | None = None,
) -> Sent:
    """1. Is there a seat?  2. Is the body right?  3. Through the entrance.  4. What the sender sees of it."""
    _require_seat(campaign_id, kind, user, command_id)
    return sent(_send(campaign_id, body(), user, command_id, seen), user, now())


def _send(campaign_id: UUID, command: Command, user: int, command_id: UUID, seen: str | None) -> Answer:
    """Executes; with ``seen``, a cursor, only while nothing that the sender may see has happened since."""
    if seen is None:
        return execute(campaign_id, command, Actor(user=user), command_id=command_id)
    since = position_of(campaign_id, seen)
    for _ in range(TRIES):
        with opened(campaign_id, user, now()) as (state, viewer):
            head, moved = state.position, bool(newer(state, viewer, since, 1))
        try:
            return execute(
                campaign_id, command, Actor(user=user), command_id=command_id, expected=since if moved else head
            )
        except Refused as refused:
            # What moved meanwhile may be hidden from the sender: then it must not show.
            if refused.code != "moved_on":
                raise
            if moved:
                right = "the cursor of the newest entry of the feed"
                raise Refused("moved_on", refused.message, field="If-Match", value=seen, right=right) from None
    raise Refused("busy", "The campaign is busy; send this again.")


class SendCommand(Address):
    """Sends one kind of command to a campaign."""

    kind: CommandType

    @property
    def longest_body(self) -> int:
        return LONGEST_WITH_FILES if "files" in self.kind.body.__struct_fields__ else LONGEST_BODY

    def post(self, request: Request, campaign: UUID) -> Response:
        user, command_id = self.user, idempotency_key(request)
        seen = (request.headers.get("If-Match") or "").strip().removeprefix("W/").strip('"') or None

        def read() -> Command:
            return from_json(self.body, self.kind.body)

        try:
            told = send_command(campaign, self.kind, user, command_id, read, seen)
        except Refused as refused:
            if refused.code == "no_such_campaign" and "stranger" in self.kind.roles:
                right = "a new link from the GM"
                message = "This invitation is not, or no longer, valid."
                raise Refused("no_such_link", message, field="link", right=right) from None
            raise
        return Response(msgspec.to_builtins(told))


class UnknownCommand(Address):
    """The answer to a command that nobody registered, with the nearest name that somebody did."""

    def post(self, request: Request, campaign: UUID, name: str) -> Response:
        if _seat_of(campaign, self.user) is None:
            raise no_such_campaign()
        registry.command_named(name)
        raise Refused("not_found", "This command is not sent here.", field="type", value=name)


def start_campaign(request: Request, user: int, body: bytes) -> Response:
    """Begins a campaign. Its id follows from sender and key, so that a repeated call finds the same one."""
    command_id = idempotency_key(request)
    command = from_json(body, StartCampaign)
    campaign_id = uuid5(NAMESPACE_URL, f"tidebook campaign {user} {command_id}")
    if Campaign.objects.filter(pk=campaign_id).exists():
        answer = execute(campaign_id, command, Actor(user=user), command_id=command_id)
    else:
        answer = found(campaign_id, command, Actor(user=user), command_id=command_id)
    return Response(msgspec.to_builtins(sent(answer, user, now())), status=201)
