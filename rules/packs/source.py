"""Reading a pack's folder: its files, their sections merged, and where each entry came from.

Files: `pack.yaml` is the manifest, and may hold sections as well; every other `*.yaml` of the folder and its
subfolders holds sections (any sections, in any file); `cases/` is read only by the case runner. A pack may also come as
a mapping of file name to bytes (an upload, a test).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from rules.packs.convert import convert
from rules.packs.ranges import range_is_written_well
from rules.packs.schema import Manifest, PackFile
from rules.packs.yamltree import Tree, read_yaml
from rules.problems import PackError, Problem, nearest

MANIFEST = "pack.yaml"
MAX_FILES = 400
MAX_ENTRIES = 6_000
"""entries of all sections together; a large game has some fifteen hundred"""
MOST_FOUND = 200
"""of so many errors no more are looked for"""
ID = re.compile(r"[a-z][a-z0-9_]{0,59}\Z")
PACK_ID = re.compile(r"[a-z][a-z0-9-]{0,59}\Z")
RESERVED = frozenset(
    [
        "and",
        "or",
        "not",
        "in",
        "if",
        "else",
        "for",
        "is",
        "true",
        "false",
        "none",
        "null",
        "lambda",
        "def",
        "class",
        "import",
        "from",
        "while",
        "with",
        "as",
        "try",
        "except",
        "pass",
        "return",
        "yield",
        "async",
        "await",
        "assert",
        "del",
        "global",
        "nonlocal",
        "raise",
        "break",
        "continue",
        "finally",
        "setting",
        "face",
        "faces",
        "sides",
        "natural",
        "asker",
        "v",
    ]
)

Files = Mapping[str, bytes]
Path_ = tuple[Any, ...]


class Source:
    """The merged sections of a pack (`sections[name]`: id to struct, or a list), and the places of all of it."""

    def __init__(self, manifest: Manifest, files: Files) -> None:
        self.manifest = manifest
        self.files = dict(files)
        self.sections: dict[str, Any] = {}
        self.origin: dict[Path_, tuple[Tree, Path_]] = {}
        self.problems: list[Problem] = []
        self.trees: list[Tree] = []
        self.errors = self.entries = 0

    @property
    def digest(self) -> str:
        """See :func:`digest_of`."""
        return digest_of(self.files)

    def place(self, *path: Any, offset: int = 0) -> tuple[str, int, int]:
        """File, line and column of an entry: (section, id, ...) or ("manifest", ...), or of a place in its text."""
        for cut in range(len(path), 0, -1):
            if path[:cut] in self.origin:
                tree, inner = self.origin[path[:cut]]
                line, column = tree.place((*inner, *path[cut:]))
                return tree.file, line, tree.column_in(line, column, offset) if offset else column
        return MANIFEST, 1, 1

    def report(self, path: Path_, message: str, suggestion: str = "", offset: int = 0, warning: bool = False) -> None:
        """Note a problem at a place; `offset` counts columns into the value there."""
        file, line, column = self.place(*path, offset=offset)
        self.note(
            Problem(
                file=file,
                line=line,
                column=column,
                level="warning" if warning else "error",
                message=message,
                suggestion=suggestion,
            )
        )

    def note(self, problem: Problem) -> None:
        """Keep a problem; where there are very many, the rest is not looked for."""
        self.problems.append(problem)
        self.errors += problem.level == "error"
        if self.errors >= MOST_FOUND:
            raise PackError(
                self.problems, Problem(file=MANIFEST, message="very much is wrong, the rest was not looked at")
            )

    def raise_errors(self) -> None:
        if any(problem.level == "error" for problem in self.problems):
            raise PackError(self.problems)


def digest_of(files: Files) -> str:
    """SHA-256 over the names and contents of a pack's rule files (not the cases)."""
    sha = hashlib.sha256()
    for name in sorted(name for name in files if not is_case(name)):
        sha.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
    return sha.hexdigest()


def is_case(name: str) -> bool:
    return name.startswith("cases/")


def looks_like_rules(name: str) -> bool:
    """Whether a file seems to be meant as rules, whatever its exact ending."""
    return name.lower().endswith((".yaml", ".yml"))


def read_folder(folder: Path) -> dict[str, bytes]:
    """Every YAML file below a folder by its relative name; links are refused."""
    if not (folder / MANIFEST).is_file():
        raise PackError([Problem(file=str(folder), message=f"no {MANIFEST} here: not a pack")])
    files: dict[str, bytes] = {}
    for path in sorted(path for path in folder.rglob("*") if looks_like_rules(path.name)):
        if path.suffix != ".yaml":
            unread = path.relative_to(folder).as_posix()
            raise PackError([Problem(file=unread, message="the file would not be read: its name must end in .yaml")])
        if path.is_dir():
            continue
        if path.is_symlink():
            raise PackError([Problem(file=str(path), message="links are not followed")])
        files[path.relative_to(folder).as_posix()] = path.read_bytes()
    if len(files) > MAX_FILES:
        raise PackError([Problem(file=str(folder), message=f"more than {MAX_FILES} files")])
    return files


UNREAD = Manifest(id="unread", version="0.0.0", title="", source="", rights="")
"""stands for a manifest that cannot be read, while the other files are looked at"""


def read_source(files: Files) -> Source:
    """Parse and convert all rule files of a pack. Raises PackError with everything found so far."""
    if MANIFEST not in files:
        raise PackError([Problem(file=MANIFEST, message="the manifest is missing")])
    tree = read_yaml(MANIFEST, files[MANIFEST])
    manifest, findings = convert(Manifest, head_of(tree))
    source = Source(manifest or UNREAD, files)
    for path, message, hint in findings:
        source.note(_problem(tree, path, message, hint))
    source.origin[("manifest",)] = (tree, ())
    source.trees.append(tree)
    if manifest is not None:
        check_manifest(source)
    if isinstance(tree.value, dict):  # the rest is looked at all the same: what is wrong is told in one go
        add_sections(source, tree)
    for name in sorted(files):
        if name != MANIFEST and not is_case(name) and name.endswith(".yaml"):
            try:
                add_file(source, read_yaml(name, files[name]))
            except PackError as exc:
                if source.errors >= MOST_FOUND:
                    raise
                for problem in exc.problems:
                    source.note(problem)
    source.raise_errors()
    fill_missing(source)
    return source


def check_manifest(source: Source) -> None:
    manifest = source.manifest
    if not PACK_ID.match(manifest.id):
        source.report(("manifest", "id"), "a pack id is a word of a-z, 0-9 and -")
    if not re.match(r"\d{1,4}\.\d{1,4}\.\d{1,4}\Z", manifest.version):
        source.report(("manifest", "version"), "a version is three numbers: 1.0.0")
    for need, wanted in manifest.needs.items():
        if need == manifest.id or not PACK_ID.match(need):
            source.report(("manifest", "needs", need), f"{need!r} is not the id of another pack")
        if not range_is_written_well(wanted):
            source.report(("manifest", "needs", need), f"{wanted!r} is no range of versions: write >=1.0 <2")


def _problem(tree: Tree, path: Path_, message: str, hint: str) -> Problem:
    line, column = tree.place(path)
    return Problem(file=tree.file, line=line, column=column, message=message, suggestion=hint)


SECTIONS = {field.encode_name: field for field in msgspec.structs.fields(PackFile)}


def add_file(source: Source, tree: Tree) -> None:
    if tree.value is None:
        return
    source.trees.append(tree)
    if not isinstance(tree.value, dict):
        raise PackError([_problem(tree, (), "a file holds sections, such as `tests:`", "")])
    for name in tree.value:
        if name not in SECTIONS:
            hint = nearest(str(name), SECTIONS)
            known = "" if hint else "; known: " + ", ".join(SECTIONS)
            source.note(_problem(tree, (name,), f"unknown section {name!r}{known}", hint))
    add_sections(source, tree)


def head_of(tree: Tree) -> Any:
    """What a manifest or an overlay's own file says beside the sections that it may hold too."""
    if not isinstance(tree.value, dict):
        return tree.value
    return {name: value for name, value in tree.value.items() if name not in SECTIONS}


def add_sections(source: Source, tree: Tree) -> None:
    """The sections of one file."""
    for name, entries in tree.value.items():
        if name in SECTIONS:
            add_section(source, tree, name, entries)


def add_section(source: Source, tree: Tree, name: str, entries: Any) -> None:
    """Convert one section of one file and merge it with what other files brought."""
    part, findings = convert(PackFile, {name: entries})
    for path, message, hint in findings:
        source.note(_problem(tree, path, message, hint))
    if part is None:
        return
    merge(source, tree, name, getattr(part, name))


def merge(source: Source, tree: Tree, name: str, part: Any) -> None:
    """Put one section of one file beside what other files brought of it."""
    path = (name,)
    if isinstance(part, list):
        known = source.sections.setdefault(name, [])
        source.entries += len(part)
        if source.entries > MAX_ENTRIES:
            raise PackError([_problem(tree, path, f"a pack has at most {MAX_ENTRIES} entries", "")])
        for at, entry in enumerate(part):
            source.origin[(name, len(known))] = (tree, (name, at))
            known.append(entry)
    elif isinstance(part, dict):
        target = source.sections.setdefault(name, {})
        for key, entry in part.items():
            merge_entry(source, tree, (name, key), target, entry)
    else:
        if name in source.sections:
            source.note(_problem(tree, path, f"the section {name!r} stands in two files", ""))
        source.sections[name] = part
        source.origin[path] = (tree, path)


def merge_entry(source: Source, tree: Tree, path: Path_, target: dict[str, Any], entry: Any) -> None:
    """One entry under its id; the groups of `cards` merge a level deeper."""
    key = path[-1]
    source.entries += 1
    if source.entries > MAX_ENTRIES:
        raise PackError([_problem(tree, path, f"a pack has at most {MAX_ENTRIES} entries", "")])
    if isinstance(entry, dict):
        inner = target.setdefault(key, {})
        source.origin.setdefault(path, (tree, path))
        for inner_key, inner_entry in entry.items():
            merge_entry(source, tree, (*path, inner_key), inner, inner_entry)
        return
    if not ID.match(str(key)) or key in RESERVED:
        source.note(
            _problem(tree, path, f"{key!r} is no id: lower-case words joined by _, none of the language's own", "")
        )
    if key in target:
        first = source.place(*path)
        source.note(_problem(tree, path, f"{key!r} is already defined in {first[0]}:{first[1]}", ""))
        return
    target[key] = entry
    source.origin[path] = (tree, path)


def fill_missing(source: Source) -> None:
    """Sections that no file brings are empty."""
    for name in SECTIONS:
        if name not in source.sections:
            source.sections[name] = getattr(PackFile(), name)
