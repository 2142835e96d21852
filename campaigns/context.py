"""What a decider is given beside state and command: who asks, when, and dice. Values only, no I/O."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from campaigns.events import Draw, Recorded
from campaigns.packs import Packs
from rules.refusal import Refused

if TYPE_CHECKING:
    from campaigns.actions import Action


@dataclass(frozen=True)
class Actor:
    """Who sends a command: a signed-in user (``user``), or the program itself (``job`` names which job)."""

    user: int | None = None
    job: str = ""


def _absent(*_arguments: object) -> Any:
    raise LookupError("this context was made without it")


@dataclass
class Context:
    """Everything a decider may know that is neither state nor command.

    ``member`` and ``role`` are those of the sender at this moment ("job" for the program itself). ``dice`` gives a
    source of faces for an audience; :meth:`draws` hands over what was drawn, to be put on the draft that tells it.
    ``make_seed(audience, number)`` makes a fresh (nonce, commitment); ``is_token(link, token)`` checks a link's token.
    ``fixed_dice(audience, label)`` gives faces that follow from the audience's seed and the label, not from what was
    rolled before (``veiled=True``: nor from what anybody could know); ``open_seed(audience)`` the running seed itself
    (hex), to be revealed. ``drawn_of(audience)`` how many dice it has given; ``action_of(entry)`` what one action came
    to (``entry``: a cursor of its events); ``events_of(types, after)`` the events of these types behind a position that
    are not taken back; ``seal(text)`` the text under the server's key, which only the server opens again.
    """

    campaign_id: UUID
    command_id: UUID
    now: datetime
    actor: Actor
    member: str
    role: str
    is_owner: bool
    dice_for: Callable[[str], Callable[[int], int]]
    take_draws: Callable[[], tuple[Draw, ...]]
    make_seed: Callable[[str, int], tuple[str, str]]
    is_token: Callable[[str, str], bool]
    packs: Packs
    fixed_dice: Callable[..., Callable[[int], int]]
    open_seed: Callable[[str], str]
    drawn_of: Callable[[str], int] = _absent
    type_dice: Callable[[str, Sequence[int], Sequence[int]], None] = _absent
    action_of: Callable[[str], Action] = _absent
    seal: Callable[[str], str] = _absent
    events_of: Callable[[tuple[str, ...], int], list[Recorded]] = _absent
    _made: int = field(default=0)

    @property
    def name(self) -> str:
        """How the stream names the sender: ``member:<id>`` or ``job:<name>``."""
        return f"member:{self.member}" if self.member else f"job:{self.actor.job}"

    @property
    def is_gm(self) -> bool:
        """Whether the sender has the GM's rights; jobs act for the GM."""
        return self.role in ("gm", "job")

    def dice(self, audience: str) -> Callable[[int], int]:
        """A function from a number of sides to a face, drawn from the seed of that audience."""
        return self.dice_for(audience)

    def enter_dice(self, audience: str, sides: Sequence[int], faces: Sequence[int]) -> None:
        """Takes faces thrown at the table and typed in, where the campaign allows it; they are recorded as typed."""
        self.type_dice(audience, sides, faces)

    def draws(self) -> tuple[Draw, ...]:
        """What has been drawn since the last call."""
        return self.take_draws()

    def new_id(self) -> str:
        """An id for something new; the same command makes the same ids again."""
        self._made += 1
        return uuid5(self.command_id, str(self._made)).hex

    def require(self, allowed: bool, code: str, message: str, *, right: str | None = None) -> None:
        """Refuses where the sender may not."""
        if not allowed:
            raise Refused(code, message, field="actor", value=self.role, right=right)
