"""Seats at the table: links, joining, roles, leaving, handing over the owner's seat."""

from __future__ import annotations

from datetime import timedelta

from campaigns.commands.starting import seed_draft
from campaigns.commands.texts import as_read, cleaned
from campaigns.context import Context
from campaigns.events import GM_ONLY, Draft
from campaigns.parts import table as t
from campaigns.parts.seeds import Seeds
from campaigns.parts.subjects import SubjectPlayersChanged, Subjects
from campaigns.registry import Command, decides
from campaigns.state import State
from rules.refusal import Refused

MOST_DAYS = 365


class MakeLink(Command):
    """An invitation (role gm or player) or a watcher's link; ``days`` until it expires, ``uses`` how many may join.

    ``seat`` is a member who has no account here, as after an import: who uses the link takes that very seat.
    """

    role: str
    days: int | None = 7
    uses: int | None = None
    seat: str = ""


class RevokeLink(Command):
    """The link lets nobody in any more, and watchers who came by it lose sight."""

    link: str


class JoinByLink(Command):
    """A signed-in user takes the seat that a link offers; ``name`` is how the table calls them."""

    link: str
    token: str
    name: str


class ChangeRole(Command):
    """Makes a member GM, player or watcher."""

    member: str
    role: str


class Leave(Command):
    """The sender leaves the table; all they did stays."""


class RemoveMember(Command):
    """Takes a member's seat away; all they did stays."""

    member: str


class HandOverOwnership(Command):
    """The owner hands the owner's seat to another GM."""

    member: str


def _role(field: str, role: str) -> t.Role:
    found = next((known for known in t.ROLES if known == role), None)
    if found is None:
        raise Refused("unknown_role", "There is no such role.", field=field, value=role, right="gm, player or watcher")
    return found


def seated(state: State, member: str, field: str = "member") -> t.MemberState:
    """The member with this id who has a seat now; refused otherwise."""
    table = state.part(t.Table)
    found = table.members.get(member)
    if found is None or not found.role:
        right = "one of " + ", ".join(f"{i} ({m.name})" for i, m in table.members.items() if m.role)
        raise Refused(
            "no_such_member", "Nobody with this id sits at the table.", field=field, value=member, right=right
        )
    return found


@decides(MakeLink, "link.make", roles=["gm"], title="Making a link")
def make_link(state: State, command: MakeLink, context: Context) -> list[Draft]:
    """The token is not in the event: the page derives it for GMs."""
    role = _role("role", command.role)
    context.require(
        role != "gm" or context.is_owner, "owner_only", "Only the owner invites further GMs.", right="the owner"
    )
    if command.days is not None and not 1 <= command.days <= MOST_DAYS:
        raise Refused(
            "wrong_value", "A link lasts some days.", field="days", value=command.days, right="1 to 365, or none"
        )
    if command.uses is not None and command.uses < 1:
        raise Refused("wrong_value", "A link is for at least one.", field="uses", value=command.uses, right="1 or more")
    seat = state.part(t.Table).members.get(command.seat) if command.seat else None
    if command.seat and (seat is None or seat.user):
        raise Refused("seat_taken", "This seat is not free.", field="seat", value=command.seat, right="a free seat")
    ends = None if command.days is None else context.now + timedelta(days=command.days)
    link = t.LinkMade(link=context.new_id(), role=role, expires_at=ends, uses=command.uses, seat=command.seat)
    return [Draft(link, audience=GM_ONLY)]


@decides(RevokeLink, "link.revoke", roles=["gm"], title="Revoking a link")
def revoke_link(state: State, command: RevokeLink, _context: Context) -> list[Draft]:
    """Revoking twice does nothing the second time."""
    if command.link not in state.part(t.Table).links:
        return []
    return [Draft(t.LinkRevoked(link=command.link), audience=GM_ONLY)]


@decides(JoinByLink, "member.join", roles=["stranger"], title="Joining again")
def join(state: State, command: JoinByLink, context: Context) -> list[Draft]:
    """A former member gets the old seat back, with the role of the link; one who was removed, by a newer link only."""
    table = state.part(t.Table)
    link = table.links.get(command.link)
    if link is None or not context.is_token(command.link, command.token):
        raise Refused(
            "no_such_link", "This invitation is not, or no longer, valid.", field="link", right="a new link from the GM"
        )
    if link.expires_at is not None and link.expires_at <= context.now:
        raise Refused("link_expired", "This invitation has expired.", field="link", right="a new link from the GM")
    if link.uses_left == 0:
        raise Refused("link_used_up", "This invitation has been used up.", field="link", right="a new link from the GM")
    user = context.actor.user
    if user is None:
        raise Refused("sign_in", "Sign in first.", field="actor", right="a signed-in user")
    member = _seat_for(table, link, user) or context.new_id()
    if member in table.members and command.link in table.members[member].shut:
        message = "You were removed from this table after this invitation was made."
        raise Refused("removed", message, field="link", right="a new link from the GM")
    context.member = member
    name = _free_name(table, member, cleaned("name", command.name))
    joined = t.MemberJoined(member=member, user=user, name=name, role=_role("link", link.role), link=command.link)
    drafts = [Draft(joined)]
    if f"member:{member}" not in state.part(Seeds).running:
        drafts.append(seed_draft(state, f"member:{member}", context))
    return drafts


def _free_name(table: t.Table, member: str, name: str) -> str:
    """The name, unless somebody else at the table goes by it: their words could not be told apart."""
    for key, other in table.members.items():
        if key != member and other.user and as_read(other.name) == as_read(name):
            message = f"Somebody at the table is called {other.name} already."
            raise Refused("name_taken", message, field="name", value=name, right="a name that nobody else has here")
    return name


def _seat_for(table: t.Table, link: t.Link, user: int) -> str:
    """Id of the seat that the user had before, or that the link offers while it is free; empty: a new one."""
    own = next((i for i, m in table.members.items() if m.user == user), "")
    offered = table.members.get(link.seat)
    return own or (link.seat if offered is not None and not offered.user else "")


@decides(ChangeRole, "member.change_role", roles=["gm", "player"], title="Changing a role")
def change_role(state: State, command: ChangeRole, context: Context) -> list[Draft]:
    """By a GM; GMs are made and unmade by the owner alone, who stays GM or player.

    An owner who plays may do it too, or a table whose last GM has gone could never get another.
    """
    allowed = context.is_gm or context.is_owner
    context.require(allowed, "not_allowed", "Changing a role is not yours to do.", right="a GM or the owner")
    table, member, role = state.part(t.Table), seated(state, command.member), _role("role", command.role)
    touches_gm = "gm" in (role, member.role)
    context.require(
        not touches_gm or context.is_owner, "owner_only", "Only the owner makes and unmakes GMs.", right="the owner"
    )
    if command.member == table.owner and role == "watcher":
        raise Refused("owner_stays", "The owner cannot only watch.", field="role", value=role, right="gm or player")
    if role == member.role:
        return []
    return [Draft(t.MemberRoleChanged(member=command.member, role=role))]


def _gone(state: State, member: str, *, removed: bool) -> list[Draft]:
    """The seat falls free, and the characters the member played go to the GM until somebody takes them over."""
    drafts = [Draft(t.MemberLeft(member=member, removed=removed))]
    subjects = state.part(Subjects)
    for subject in sorted(subjects.played_by(member)):
        players = tuple(p for p in subjects.by_id[subject].players if p != member)
        drafts.append(Draft(SubjectPlayersChanged(subject=subject, players=players), holders=(subject,)))
    return drafts


@decides(Leave, "member.leave", roles=["gm", "player", "watcher"], title="Leaving")
def leave(state: State, _command: Leave, context: Context) -> list[Draft]:
    """The owner hands the seat over first; leaving is not deleting."""
    if context.is_owner:
        raise Refused(
            "owner_stays", "The owner cannot leave.", field="actor", right="hand the owner's seat to a GM first"
        )
    return _gone(state, context.member, removed=False)


@decides(RemoveMember, "member.remove", roles=["gm"], title="Removing a member")
def remove(state: State, command: RemoveMember, context: Context) -> list[Draft]:
    """A GM removes players and watchers, the owner GMs too; nobody removes the owner."""
    table, member = state.part(t.Table), seated(state, command.member)
    if command.member == table.owner:
        raise Refused("owner_stays", "The owner cannot be removed.", field="member", value=command.member)
    context.require(
        member.role != "gm" or context.is_owner, "owner_only", "Only the owner removes a GM.", right="the owner"
    )
    return _gone(state, command.member, removed=True)


@decides(HandOverOwnership, "owner.hand_over", roles=["gm", "player"], title="Handing over the campaign")
def hand_over(state: State, command: HandOverOwnership, context: Context) -> list[Draft]:
    """From the owner to a GM, so that nobody becomes the owner of what they never ran."""
    context.require(context.is_owner, "owner_only", "Only the owner hands the campaign over.", right="the owner")
    if seated(state, command.member).role != "gm":
        raise Refused(
            "gm_first", "The next owner must be a GM.", field="member", value=command.member, right="make them GM first"
        )
    if command.member == context.member:
        return []
    return [Draft(t.OwnerChanged(member=command.member, before=context.member))]
