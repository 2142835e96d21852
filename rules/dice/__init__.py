"""Dice: where faces come from. A source answers `roll(sides) -> face`, from 1 to sides."""

from rules.dice.enumerating import EnumeratingDice
from rules.dice.seeded import SeededDice, face
from rules.dice.sources import ChosenDice, DiceSource, RecordedDice, SystemDice

__all__ = ["ChosenDice", "DiceSource", "EnumeratingDice", "RecordedDice", "SeededDice", "SystemDice", "face"]
