"""Subjects and their sheets: kept stats, derived stats, modifiers of the cards in force, and why a number is so."""

from rules.sheets.explain import StatExplained, explain_stat
from rules.sheets.instants import end_of, start_of
from rules.sheets.sheet import Sheet
from rules.sheets.subject import Actor, Ends, Held, Subject

__all__ = ["Actor", "Ends", "Held", "Sheet", "StatExplained", "Subject", "end_of", "explain_stat", "start_of"]
