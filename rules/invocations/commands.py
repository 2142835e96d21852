"""What can be asked about invocations."""

from __future__ import annotations

import msgspec


class StateDraw(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The holder's pair is to support an action: how it helps, what makes the choice meaningful (``stake``), and the
    side that the action follows."""

    call: str
    holder: str
    pair: str
    side: str
    helps: str = ""
    stake: str = ""


class StateInspiration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The holder shows a conviction (``side``) to one recipient, tied by ``connection`` to a side of the recipient's.

    ``aligned`` is the GM's word on a side that does not match: true, false, or none yet.
    """

    call: str
    holder: str
    pair: str
    side: str
    recipient: str = ""
    recipient_side: str = ""
    connection: str = ""
    aligned: bool | None = None


class ConfirmInspiration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The GM's word on whether the recipient's side lies close to the conviction."""

    call: str
    accepted: bool


class RecastInspiration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """After the test landed on another side than the conviction: it is recast to that one; the GM accepts."""

    call: str
    recipient_side: str
    accepted: bool


class ClaimDie(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Puts a waiting action die on a roll: ``roll`` (its id) by ``roller`` (a subject), in the name of ``name_of``
    where that is another; ``expresses`` the side that the action expresses; ``relevant`` as the GM says."""

    die: str
    roll: str
    roller: str
    name_of: str = ""
    expresses: str
    relevant: bool
    fallen: bool = False


InvocationCommand = StateDraw | StateInspiration | ConfirmInspiration | RecastInspiration | ClaimDie
