"""What this site does differently from allauth's defaults: invitations are followed, second factors lie encrypted."""

import base64
import hashlib
import os

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.http import HttpRequest

from campaigns import invitations
from deploy.middleware import SIGNED_OUT

OPEN, INVITED, CLOSED = "open", "invited", "closed"
SIGN_UP = (OPEN, INVITED, CLOSED)


class AccountAdapter(DefaultAccountAdapter):
    """Who may sign up, and where signing in leads."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """As the host says: everybody, only those with an invitation in hand, or nobody."""
        if settings.SIGN_UP == INVITED:
            return bool(invitations.remembered(request))
        return bool(settings.SIGN_UP == OPEN)

    def logout(self, request: HttpRequest) -> None:
        """Signs out, and lets the answer say so to the browser."""
        super().logout(request)
        setattr(request, SIGNED_OUT, True)

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Back to the invitation somebody came by, else home; an address asked for goes before both."""
        return invitations.remembered(request) or super().get_login_redirect_url(request)

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """As after signing in."""
        return invitations.remembered(request) or super().get_signup_redirect_url(request)


def _cipher() -> MultiFernet:
    keys = [str(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    digests = [hashlib.sha256(b"tidebook second factors" + key.encode()).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


class MfaAdapter(DefaultMFAAdapter):
    """A stolen table of second factors is of no use without the server's key."""

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            # Made under a key that is gone. An empty secret would have codes that anybody can work out; this one has
            # codes that nobody can, and the host removes the lost factor.
            return base64.b32encode(os.urandom(20)).decode()
