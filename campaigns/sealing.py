"""Texts that the server keeps for itself: written once, shown to nobody, readable with its key alone."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


def _cipher() -> MultiFernet:
    keys = [str(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    digests = [hashlib.sha256(b"tidebook sealed texts" + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


def seal(text: str) -> str:
    """The text, unreadable without the server's key."""
    return _cipher().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """The text again; empty where it was sealed under a key that is gone (another server's, for instance)."""
    try:
        return _cipher().decrypt(sealed.encode()).decode()
    except InvalidToken:
        return ""
