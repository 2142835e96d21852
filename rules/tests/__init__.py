"""Tests as data: running them, their odds, and what they leave."""

from rules.tests.effects import apply_effect, apply_effects, undo_effect
from rules.tests.odds import ChoiceNeeded, Odds, odds
from rules.tests.result import Ask, Effect, Option, Refusal, TestRun
from rules.tests.run import Prepared, prepare, run
from rules.tests.trace import DieSeen, TraceStep, render

__all__ = [
    "Ask",
    "ChoiceNeeded",
    "DieSeen",
    "Effect",
    "Odds",
    "Option",
    "Prepared",
    "Refusal",
    "TestRun",
    "TraceStep",
    "apply_effect",
    "apply_effects",
    "odds",
    "prepare",
    "render",
    "run",
    "undo_effect",
]
