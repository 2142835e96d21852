"""Tables of `campaigns`. Events are the truth; every other table here is computed from them or only finds them.

Nothing but :mod:`campaigns.store` and the projections writes these tables.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models


class AppendOnly(Exception):  # noqa: N818
    """Somebody tried to change or delete what only commands write."""


class ReadOnlyQuerySet(models.QuerySet[Any]):
    """Reads only: the way to write is a command."""

    def _refuse(self, *_args: Any, **_kwargs: Any) -> Any:
        raise AppendOnly(f"{self.model.__name__}s come of commands alone; send one instead.")

    update = delete = bulk_update = bulk_create = create = get_or_create = update_or_create = _refuse
    aupdate = adelete = abulk_update = abulk_create = acreate = aget_or_create = aupdate_or_create = _refuse


class Projected(models.Model):
    """Base of projections: rows that the entrance writes, and nobody else, the admin included."""

    objects: ClassVar[models.Manager[Any]] = ReadOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *_args: Any, **_kwargs: Any) -> None:
        """Refuses: rows come of commands."""
        raise AppendOnly(f"A {type(self).__name__} comes of commands alone.")

    def delete(self, *_args: Any, **_kwargs: Any) -> tuple[int, dict[str, int]]:
        """Refuses: rows go by commands."""
        raise AppendOnly(f"A {type(self).__name__} goes by commands alone.")


class Campaign(Projected):
    """The head of one campaign's stream, and what is looked up across campaigns."""

    id = models.UUIDField(primary_key=True, editable=False)
    position = models.PositiveBigIntegerField(default=0, help_text="Number of the newest event.")
    digest = models.BinaryField(default=b"", help_text="Digest of the newest event.")
    recorded_at = models.DateTimeField(help_text="When the newest event was recorded.")
    name = models.CharField(max_length=120, default="", blank=True)
    calendar = models.CharField(
        max_length=120, default="", blank=True, help_text="Where its calendar stands, in words."
    )
    due_at = models.DateTimeField(null=True, blank=True, db_index=True, help_text="When its next period ends.")
    deleted_at = models.DateTimeField(null=True, blank=True, db_index=True, help_text="When its erasure was asked for.")

    def __str__(self) -> str:
        return self.name or str(self.id)


class EventQuerySet(ReadOnlyQuerySet):
    """Reads only, and no raw deletes by cascades either."""

    def _raw_delete(self, using: str | None) -> int:
        raise AppendOnly("Events are never deleted; void them by a command instead.")


class Event(Projected):
    """One event. Written by :func:`campaigns.store.append.append` alone."""

    id = models.UUIDField(primary_key=True, editable=False)
    campaign = models.ForeignKey(
        Campaign, models.DO_NOTHING, related_name="events", db_index=False, db_constraint=False
    )
    position = models.PositiveBigIntegerField()
    type = models.CharField(max_length=60)
    version = models.PositiveSmallIntegerField(default=1)
    data = models.TextField(help_text="The typed body, canonical JSON.")
    actor = models.CharField(max_length=80)
    command_id = models.UUIDField()
    command_seq = models.PositiveSmallIntegerField(default=0, help_text="Its place among the command's events.")
    command_hash = models.BinaryField(null=True, help_text="Digest of the command, on its first event.")
    cause = models.PositiveBigIntegerField(null=True, blank=True)
    recorded_at = models.DateTimeField()
    happened_at = models.DateTimeField(null=True, blank=True)
    stamp = models.TextField(help_text="Year, season and week of the campaign's calendar.")
    packs = models.CharField(max_length=400, default="", help_text="Rule packs in force.")
    audience = models.CharField(max_length=60)
    holders = models.TextField(default="[]")
    dice = models.TextField(default="[]", help_text="What was drawn, and from which seed.")
    salt = models.BinaryField()
    digest = models.BinaryField()

    objects: ClassVar[models.Manager[Any]] = EventQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position"], name="event_position"),
            models.UniqueConstraint(
                fields=["campaign", "command_id"], condition=models.Q(command_seq=0), name="event_command"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position} {self.type}"


class Snapshot(models.Model):
    """A folded state, kept so that opening a campaign need not fold its whole life. May be thrown away."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="snapshots", db_index=False)
    position = models.PositiveBigIntegerField()
    schema = models.CharField(max_length=16, help_text="Shape of the state it was made by.")
    state = models.BinaryField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position", "schema"], name="snapshot_position")
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id} at {self.position}"


class Member(Projected):
    """Projection: who sits at which table. One who left stays, without a role, so that old events keep a name."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="members")
    member = models.CharField(max_length=40)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="memberships")
    name = models.CharField(max_length=80)
    role = models.CharField(max_length=10, blank=True)
    is_owner = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "member"], name="member_id")
        ]

    def __str__(self) -> str:
        return self.name


class Subject(Projected):
    """Projection: anything with a sheet, found by name, kind and player."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="subjects")
    subject = models.CharField(max_length=40)
    kind = models.CharField(max_length=40)
    name = models.CharField(max_length=80)
    hidden = models.BooleanField(default=False)
    away = models.BooleanField(default=False)
    players = models.JSONField(default=list, help_text="Ids of the members who play it.")
    sheet = models.JSONField(default=dict, help_text="What its packs keep of it.")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "subject"], name="subject_id")
        ]

    def __str__(self) -> str:
        return self.name


class Affiliation(Projected):
    """Projection: who belongs to which body now."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="affiliations")
    affiliation = models.CharField(max_length=40)
    subject = models.CharField(max_length=40)
    body = models.CharField(max_length=40)
    standing = models.CharField(max_length=80, blank=True)
    since = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "affiliation"], name="affiliation_id")
        ]

    def __str__(self) -> str:
        return f"{self.subject} in {self.body}"


class Pursuit(Projected):
    """Projection: what somebody, or the party (``owner`` empty), has set out to do and has not closed."""

    PROPOSED, OPEN = "proposed", "open"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pursuits")
    pursuit = models.CharField(max_length=40)
    kind = models.CharField(max_length=60)
    owner = models.CharField(max_length=40, blank=True)
    words = models.CharField(max_length=400)
    state = models.CharField(max_length=10, choices=[(PROPOSED, "proposed"), (OPEN, "open")])
    shared = models.BooleanField(default=False, help_text="Whether the table may read it.")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "pursuit"], name="pursuit_id")
        ]

    def __str__(self) -> str:
        return self.words


class PursuitEnd(Projected):
    """Trail: where in the stream a Pursuit was closed, so that those of long ago are found at once."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pursuit_ends", db_index=False)
    position = models.PositiveBigIntegerField()
    seq = models.PositiveSmallIntegerField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position", "seq"], name="pursuit_end_place")
        ]

    def __str__(self) -> str:
        return f"closed at {self.position}"


class EndedAffiliation(Projected):
    """Trail: who belonged to which body, and from when to when."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="ended_affiliations", db_index=False)
    position = models.PositiveBigIntegerField()
    seq = models.PositiveSmallIntegerField()
    affiliation = models.CharField(max_length=40)
    subject = models.CharField(max_length=40)
    body = models.CharField(max_length=40)
    standing = models.CharField(max_length=80, blank=True)
    since = models.DateTimeField()
    until = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position", "seq"], name="ended_affiliation_place")
        ]

    def __str__(self) -> str:
        return f"{self.since:%Y-%m-%d} to {self.until:%Y-%m-%d}"


class StoryLine(Projected):
    """Trail: where in the stream the chronicle's events stand, by when they happened; once for the table (``subject``
    empty) and once for each subject it is about. Voided ones stay, to be struck through. No season is kept: which one
    an instant belongs to may change, as when a season is ended early."""

    # Rows come under the lock of the campaign's row: the database need not look for that each time.
    campaign = models.ForeignKey(
        Campaign, models.CASCADE, related_name="story_lines", db_index=False, db_constraint=False
    )
    position = models.PositiveBigIntegerField()
    seq = models.PositiveSmallIntegerField()
    subject = models.CharField(max_length=40, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position", "seq"], name="story_line_place")
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["campaign", "subject", "at"], name="story_line_at")
        ]

    def __str__(self) -> str:
        return f"{self.position}"


class Erasure(models.Model):
    """Audit of the one door through which events go: a campaign that its owner had erased. Rows stay for good.

    While ``finished_at`` is empty, and only then, the database lets events of this campaign be deleted.
    """

    campaign = models.UUIDField(db_index=True)
    name = models.CharField(max_length=120)
    owner = models.CharField(max_length=80, help_text="Name of the owner at the table.")
    user = models.IntegerField(null=True, help_text="The owner's account.")
    asked_at = models.DateTimeField()
    begun_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    events = models.PositiveBigIntegerField(help_text="How many events were erased.")
    digest = models.BinaryField(help_text="Digest of the last of them.")

    def __str__(self) -> str:
        return f"{self.name} ({self.campaign})"


class ApiToken(models.Model):
    """A personal key to the API. Belongs to an account, not to a campaign; only its digest is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80, help_text="What its owner calls it.")
    digest = models.BinaryField(unique=True, editable=False, help_text="SHA-256 of the token.")
    may_send = models.BooleanField(default=True, help_text="Whether it may send commands, or read only.")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True, help_text="Last use, to the hour.")

    def __str__(self) -> str:
        return self.name


class PackContent(models.Model):
    """The files of a version of a pack, by their digest: what campaigns are pinned to stays readable."""

    digest = models.CharField(primary_key=True, max_length=64)
    pack = models.CharField(max_length=60)
    version = models.CharField(max_length=40)
    files = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.pack} {self.version}"


class OwnPack(Projected):
    """Trail: the files of the packs that a table brought of its own, by digest, as :class:`PackContent` keeps them."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="own_packs", db_index=False)
    position = models.PositiveBigIntegerField()
    seq = models.PositiveSmallIntegerField()
    pack = models.CharField(max_length=60)
    version = models.CharField(max_length=40)
    digest = models.CharField(max_length=64, db_index=True)
    files = models.BinaryField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position", "seq"], name="own_pack_place")
        ]

    def __str__(self) -> str:
        return f"{self.pack} {self.version}"


class Picture(Projected):
    """The bytes of a picture that a campaign's events name by digest. Written once by the entrance or an import, and
    gone with the campaign alone; nothing computes them anew."""

    campaign = models.ForeignKey(
        Campaign, models.DO_NOTHING, related_name="pictures", db_index=False, db_constraint=False
    )
    digest = models.CharField(max_length=64)
    data = models.BinaryField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "digest"], name="picture_digest")
        ]

    def __str__(self) -> str:
        return self.digest


# Tables that belong to a room of their own.
from campaigns.notices.models import Delivery, Notice, NoticeHead, Untold  # noqa: E402

__all__ = ["Delivery", "Notice", "NoticeHead", "Untold"]
