"""Text stands out from its ground in both schemes (WCAG 2 AA: 4.5 to 1; edges of inputs: 3 to 1)."""

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).resolve().parents[2] / "frontend/static/frontend/css/tokens.css"
GROUNDS = ("paper", "sheet", "raised", "sunk")
ON_ALL_GROUNDS = ("ink", "ink-soft", "tide", "bad")
ON_SHEETS = ("buoy", "brass", "heather", "good")
PAIRS = [
    *((ink, ground, 4.5) for ink in ON_ALL_GROUNDS for ground in GROUNDS),
    *((ink, ground, 4.5) for ink in ON_SHEETS for ground in ("paper", "sheet", "raised")),
    *((name, f"{name}-wash", 4.5) for name in ("tide", "buoy", "brass", "heather", "good", "bad")),
    ("on-tide", "tide", 4.5),
    ("on-buoy", "buoy", 4.5),
    ("rule-strong", "raised", 3.0),
]


def _colours() -> dict[str, tuple[str, str]]:
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", TOKENS.read_text())
    return {name: (light, dark) for name, light, dark in found}


def _luminance(colour: str) -> float:
    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[i : i + 2], 16)) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_of_black_and_white_is_21() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground", "least"), PAIRS)
def test_text_stands_out_from_its_ground(ink: str, ground: str, least: float, scheme: int) -> None:
    colours = _colours()
    assert _contrast(colours[ink][scheme], colours[ground][scheme]) >= least
