"""The site's secret key: given when hosted, made once and kept in the data folder when embedded."""

import os
import secrets
from pathlib import Path

from deploy.environment import Reader

LEAST = 32


def key(env: Reader, folder: Path, hosted: bool) -> str:
    """The key from the environment; embedded without one, the kept one. When hosted all must share it: none is made."""
    given = env.text("TIDEBOOK_SECRET_KEY")
    if given and len(given) < LEAST:
        env.problem("TIDEBOOK_SECRET_KEY", f"write at least {LEAST} characters that nobody can guess")
    elif not given and hosted:
        env.problem(
            "TIDEBOOK_SECRET_KEY",
            f"with TIDEBOOK_REDIS_URL every process must share one; write at least {LEAST} characters",
        )
    return given or ("" if hosted else _kept(folder / "secret-key"))


def _kept(path: Path) -> str:
    """The key in `path`, written first if need be. Of two processes that start at once, one links, both read it."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()
