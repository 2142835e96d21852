"""No noun of a pack stands in the server's Python: a fifth game is a new folder, not a new branch of code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import rules
from rules.packs import Pack, load_pack, pack_ids

ROOT = Path(rules.__file__).parent.parent
APPS = ("rules", "campaigns", "identity", "encounters", "frontend", "deploy")
PASSED_OVER = ("migrations", "demo", "demo.py", "shelf")
TEXT = """
accepted act agreed aim arc attribute award_mark body carried chain changed character check command condition control
covered decided decisive declare done earned encounter end_turn everybody execute failure failures fighter figure
fitted flock follow free frozen ground grow guard guarded half hand_out held hide hold identity item knows level
levels light mark metered mode missed moved moves notice open order ordinary pace pair party players point press project
pursuit rank rating ready refused resolve rest round scene scenes score session shape shapes shield size slots slowed
stands state success table token turn unseen up wider Attribute Body Character Command Done Encounter Fighter Item
Point Table Token
"""
EVERYDAY = {*TEXT.split(), "Opposed pair"}
"""everyday words, and the engine's own: opposed pairs and their ratings, the app `identity`, marks that are awarded"""


def nouns(pack: Pack) -> set[str]:
    """Ids and titles of what a pack brings: cards, kinds, stats, tests, outcomes, procedures, tables, functions."""
    sections = pack.source.sections
    out = {pack.id}
    for section in ("kinds", "card_types", "tests", "procedures", "tables", "functions"):
        out |= set(sections[section])
    for found in (*sections["kinds"].values(), *sections["card_types"].values(), *sections["tests"].values()):
        out.add(found.title)
    for kind in sections["kinds"].values():
        out |= set(kind.stats)
    for test in sections["tests"].values():
        out |= {*test.outcomes, *(outcome.title for outcome in test.outcomes.values())}
    for cards in sections["cards"].values():
        out |= {*cards, *(card.title for card in cards.values())}
    if sections["pairs"] is not None:
        sides = [side for kind in sections["pairs"].kinds for pair in kind.pairs for side in pair.sides]
        out |= {word for side in sides for word in (side.id, side.title)}
        out |= {kind.id for kind in sections["pairs"].kinds}
    return out


def words(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Identifiers and whole strings of a module, docstrings apart."""
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Constant() if isinstance(node.value, str) and id(node) not in docs:
                yield node.value, line
            case ast.Name():
                yield node.id, line
            case ast.Attribute():
                yield node.attr, line
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name, line
            case ast.arg():
                yield node.arg, line


def test_no_noun_of_a_pack_stands_in_the_apps() -> None:
    forbidden = {noun for name in pack_ids() for noun in nouns(load_pack(name))} - EVERYDAY
    found = []
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if any(part in PASSED_OVER for part in path.parts):
                continue
            tree = ast.parse(path.read_text())
            found += [f"{path.relative_to(ROOT)}:{line} {word}" for word, line in words(tree) if word in forbidden]
    assert not found, "\n".join(found)
