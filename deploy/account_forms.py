"""The forms of signing in, where this site is stricter than allauth."""

from typing import Any

from allauth.account.forms import LoginForm as AllauthLoginForm
from django.core.validators import MaxLengthValidator

LONGEST = 254
"""characters of the longest mail address, which is longer than any name"""


class LoginForm(AllauthLoginForm):  # type: ignore[misc]  # allauth tells no types
    """A name longer than any there is is refused before anything looks for it: a search for one costs too much."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].validators.append(MaxLengthValidator(LONGEST))
