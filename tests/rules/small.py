"""A small game to try the engine on, written for these tests."""

from __future__ import annotations

import textwrap

from rules.packs import Pack, load_files
from rules.problems import PackError

MANIFEST = """
id: small
version: 1.0.0
title: Small
source: Written for these tests.
rights: None needed.
"""


def files(*texts: str, manifest: str = MANIFEST) -> dict[str, bytes]:
    """A pack's files: the manifest, and each text as a file of its own."""
    out = {"pack.yaml": textwrap.dedent(manifest).encode()}
    for number, text in enumerate(texts, 1):
        out[f"part{number}.yaml"] = textwrap.dedent(text).encode()
    return out


def pack(*texts: str, settings: str = "") -> Pack:
    return load_files(files(*texts, manifest=MANIFEST + textwrap.dedent(settings)))


def problems(*texts: str, settings: str = "") -> list[str]:
    """What the loader says about a broken pack: `line: message (suggestion)`."""
    try:
        pack(*texts, settings=settings)
    except PackError as exc:
        return [f"{p.line}:{p.column} {p.message} ({p.suggestion})" for p in exc.problems if p.level == "error"]
    return []


def one_test(steps: str, inputs: str = "", more: str = "") -> str:
    """A pack text with one test called `it` of the given steps."""
    body = f"tests:\n  it:\n    title: It\n    inputs: {{{inputs}}}\n    steps:\n"
    body += textwrap.indent(textwrap.dedent(steps).strip("\n"), "      ") + "\n"
    return body + textwrap.indent(textwrap.dedent(more), "    ")
