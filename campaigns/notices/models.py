"""Tables of telling. None of them is computed from events alone, and none holds what was told: see the package."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class Untold(models.Model):
    """An event that somebody may have to be told of, until they have been. A trail, emptied by the job that tells."""

    campaign = models.ForeignKey(
        "campaigns.Campaign", models.CASCADE, related_name="untold", db_index=False, db_constraint=False
    )
    position = models.PositiveBigIntegerField()
    seq = models.PositiveSmallIntegerField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position", "seq"], name="untold_place")
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id} at {self.position}"


class NoticeHead(models.Model):
    """Up to which event of a campaign its members have been told."""

    campaign = models.OneToOneField("campaigns.Campaign", models.CASCADE, primary_key=True, related_name="notice_head")
    position = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.campaign_id} at {self.position}"


class Notice(models.Model):
    """That an event concerns a member. What it says is made from the event when it is read."""

    campaign = models.ForeignKey("campaigns.Campaign", models.CASCADE, related_name="notices", db_index=False)
    member = models.CharField(max_length=40)
    position = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=40)
    page = models.JSONField(default=list, help_text="The page it leads to: its name and arguments.")
    made_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "member", "position"], name="notice_of_event")
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["campaign", "member"], condition=models.Q(read_at__isnull=True), name="notice_unread")
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.member}"


class Delivery(models.Model):
    """A message that goes out by mail (``target``: a member) or to a webhook (its id), and what became of it."""

    MAIL, HOOK = "mail", "hook"

    campaign = models.ForeignKey("campaigns.Campaign", models.CASCADE, related_name="deliveries", db_index=False)
    position = models.PositiveBigIntegerField()
    channel = models.CharField(max_length=4, choices=[(MAIL, "mail"), (HOOK, "webhook")])
    target = models.CharField(max_length=40)
    kind = models.CharField(max_length=40)
    page = models.JSONField(default=list)
    made_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True, blank=True, help_text="When it is tried next; empty once it is over.")
    done_at = models.DateTimeField(null=True, blank=True)
    trouble = models.CharField(max_length=120, blank=True, help_text="What went wrong the last time.")

    class Meta:
        verbose_name_plural = "deliveries"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position", "channel", "target"], name="delivery_of_event")
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["next_at"], condition=models.Q(next_at__isnull=False), name="delivery_due")
        ]

    def __str__(self) -> str:
        return f"{self.kind} by {self.channel}"
