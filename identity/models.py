"""Tables of `identity`, all computed from events: what is asked across subjects, and histories too long for a state.

Their rows come under the lock of their campaign's row, so the database need not look for that row each time.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from campaigns.models import Campaign


class Pair(models.Model):
    """Projection: an opposed pair of a subject whose pairs are ready, with both ratings."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pairs", db_index=False, db_constraint=False)
    subject = models.CharField(max_length=40)
    pair = models.CharField(max_length=80)
    kind = models.CharField(max_length=40)
    place = models.PositiveSmallIntegerField(help_text="Its place among the pairs of its kind.")
    first_side = models.CharField(max_length=80)
    first_rating = models.SmallIntegerField()
    second_side = models.CharField(max_length=80)
    second_rating = models.SmallIntegerField()

    class Meta:
        ordering: ClassVar[list[str]] = ["campaign", "subject", "place"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "subject", "pair"], name="pair_of_subject")
        ]

    def __str__(self) -> str:
        return f"{self.first_side} {self.first_rating} / {self.second_side} {self.second_rating}"


class Mark(models.Model):
    """Projection: a mark that is not settled yet, or a proposal that waits for its answer."""

    AWARDED, PROPOSED = "awarded", "proposed"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="marks", db_index=False, db_constraint=False)
    mark = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=[(AWARDED, "awarded"), (PROPOSED, "proposed")])
    subject = models.CharField(max_length=40)
    pair = models.CharField(max_length=80)
    side = models.CharField(max_length=80)
    happened_at = models.DateTimeField(help_text="When the conduct happened; limits count by it.")
    sealed = models.BooleanField(default=False, help_text="Kept from the subject's players until it is settled.")
    source = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=400, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["campaign", "happened_at"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "mark"], name="mark_id")
        ]

    def __str__(self) -> str:
        return f"{self.side} ({self.state})"


class PairChange(models.Model):
    """Trail: each change of a pair's rating, for charts. ``change`` is empty where a rating was set, not moved."""

    campaign = models.ForeignKey(
        Campaign, models.CASCADE, related_name="pair_changes", db_index=False, db_constraint=False
    )
    position = models.PositiveBigIntegerField()
    seq = models.PositiveSmallIntegerField()
    subject = models.CharField(max_length=40)
    pair = models.CharField(max_length=80)
    rating = models.SmallIntegerField(help_text="Of the first side, as the event told it.")
    change = models.SmallIntegerField(null=True, help_text="Of the first side, signed.")
    happened_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position", "seq"], name="pair_change_place")
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["campaign", "subject", "position"], name="pair_change_subject")
        ]

    def __str__(self) -> str:
        return f"{self.pair} {self.rating}"


class PeriodEntry(models.Model):
    """Trail: where in the stream a period's close and what came of it stand, so that its report is found at once."""

    campaign = models.ForeignKey(
        Campaign, models.CASCADE, related_name="period_entries", db_index=False, db_constraint=False
    )
    position = models.PositiveBigIntegerField()
    seq = models.PositiveSmallIntegerField()
    rung = models.CharField(max_length=40)
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=120, blank=True, help_text="Of a close: what the period is called.")
    starts = models.DateField(null=True)
    ends = models.DateField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["campaign", "position", "seq"], name="period_entry_place")
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["campaign", "rung", "number"], name="period_entry_period")
        ]

    def __str__(self) -> str:
        return self.title or f"{self.rung} {self.number}"
