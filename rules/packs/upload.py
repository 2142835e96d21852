"""What a GM uploads: one YAML file, or a zip of a pack's or overlay's folder. Bombs, links and ways out are refused."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import PurePosixPath

from rules.packs.overlay import OVERLAY
from rules.packs.source import MANIFEST, MAX_FILES, looks_like_rules
from rules.packs.yamltree import MAX_BYTES
from rules.problems import PackError, Problem

MAX_UPLOAD = 4_000_000
MAX_UNPACKED = 12_000_000


def read_upload(name: str, data: bytes) -> dict[str, bytes]:
    """File names and contents of an upload, its outer folder taken off. Raises PackError."""
    if len(data) > MAX_UPLOAD:
        raise refusal(name, f"an upload may have at most {MAX_UPLOAD} bytes")
    if not zipfile.is_zipfile(io.BytesIO(data)):
        if not name.endswith((".yaml", ".yml")):
            raise refusal(name, "a zip or a YAML file is wanted")
        return {PurePosixPath(name).name.removesuffix(".yml").removesuffix(".yaml") + ".yaml": data}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = unpacked(name, archive)
    except PackError:
        raise
    except Exception:
        # A damaged zip makes the reader and its decompressors fail in dozens of ways, all of which mean the same.
        raise refusal(name, "the zip cannot be read: it is damaged, locked, or packed in an uncommon way") from None
    return without_outer_folder(name, found)


def refusal(name: str, message: str) -> PackError:
    return PackError([Problem(file=name, message=message)])


def unpacked(name: str, archive: zipfile.ZipFile) -> dict[str, bytes]:
    """The YAML files of a zip; everything else in it is passed over, unless it is a trick."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MAX_FILES:
        raise refusal(name, f"more than {MAX_FILES} files")
    if sum(entry.file_size for entry in entries) > MAX_UNPACKED:
        raise refusal(name, f"unpacked, it is larger than {MAX_UNPACKED} bytes")
    out: dict[str, bytes] = {}
    for entry in entries:
        check_entry(name, entry)
        if hidden(entry.filename):
            continue
        if not entry.filename.endswith(".yaml"):
            if looks_like_rules(entry.filename):
                raise refusal(name, f"{entry.filename} would not be read: the names of rule files end in .yaml")
            continue
        if entry.filename in out:
            raise refusal(name, f"{entry.filename} is in it twice")
        with archive.open(entry) as file:
            contents = file.read(MAX_BYTES + 1)
        if len(contents) > MAX_BYTES:
            raise refusal(name, f"{entry.filename} is larger than {MAX_BYTES} bytes")
        out[entry.filename] = contents
    return out


def check_entry(name: str, entry: zipfile.ZipInfo) -> None:
    """Refuse links, absolute paths and paths that climb out."""
    path = PurePosixPath(entry.filename)
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise refusal(name, f"{entry.filename} is a link")
    if path.is_absolute() or ".." in path.parts or "\\" in entry.filename or ":" in entry.filename:
        raise refusal(name, f"{entry.filename} leads out of the folder")


def hidden(path: str) -> bool:
    """Whether a file is the packing computer's own (`__MACOSX/._pack.yaml`, `.github/...`) and no rules."""
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(path).parts)


def without_outer_folder(name: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """A zip of a folder holds everything below that folder's name: take it off. Nothing may lie beside that folder."""
    tops = sorted(
        (file for file in files if PurePosixPath(file).name in (MANIFEST, OVERLAY)),
        key=lambda file: (len(PurePosixPath(file).parts), file),
    )
    if not tops:
        return files
    if len(tops) > 1:
        raise refusal(name, f"{tops[0]} and {tops[1]} are both in it: one pack, or one overlay, at a time")
    folder = tops[0].removesuffix(PurePosixPath(tops[0]).name)
    beside = sorted(file for file in files if not file.startswith(folder))
    if beside:
        raise refusal(name, f"{beside[0]} lies beside the folder {folder} and would not be read")
    return {file.removeprefix(folder): data for file, data in files.items()}
