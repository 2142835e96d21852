"""Where webhooks may lead: not into the server's own network, unless its host allows it (TIDEBOOK_WEBHOOK_PRIVATE).

Said when an address is added, as far as it can be known then, and looked at again at every sending: a name may lead
elsewhere by then.
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import SplitResult

from django.conf import settings

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
# Names that only a network of one's own knows (RFC 6761, 6762, 8375, and what is in use).
INNER = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "home.arpa", "localdomain")
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that are carried to the IPv4 address in their last four bytes"""


class ForbiddenAddressError(Exception):
    """A name that leads where no webhook may go."""


def may_go(address: str) -> bool:
    """Whether a webhook may go to an address of the network, written as numbers."""
    return bool(settings.WEBHOOK_PRIVATE) or _is_open(ipaddress.ip_address(address.partition("%")[0]))


def _is_open(found: Ip) -> bool:
    inner = _carried(found)
    if inner is not None and not _is_open(inner):
        return False
    return found.is_global and not found.is_multicast


def _carried(found: Ip) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 one stands for."""
    if isinstance(found, ipaddress.IPv4Address):
        return None
    if found in _TRANSLATED:
        return ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)


def looked_up(host: str, port: int) -> tuple[str, int]:
    """The first address of a host that a webhook may go to. Raises ForbiddenAddressError, and what a look-up raises."""
    found = [info[4] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    for one in found:
        if may_go(str(one[0])):
            return str(one[0]), port
    raise ForbiddenAddressError


def is_inner(host: str) -> bool:
    """Whether a host leads inwards by how it is written: a number of an inner network, in whatever way it is written,
    or a name that no other network knows. Nothing is looked up."""
    name = host.rstrip(".").lower()
    number = _as_number(name)
    if number is not None:
        return not may_go(number)
    return "." not in name or any(name == one or name.endswith(f".{one}") for one in INNER)


def _as_number(host: str) -> str | None:
    """The address that a host is, where it is one: also 127.1, 0x7f000001 and 2130706433, which connect as well."""
    try:
        return str(ipaddress.ip_address(host.partition("%")[0]))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host)) if host.isascii() and " " not in host else None
    except OSError:
        return None


def wrong_with(parts: SplitResult) -> tuple[str, str] | None:
    """What is wrong with where an address leads, and what would be right; None where nothing is, as far as it says."""
    if settings.WEBHOOK_PRIVATE:
        return None
    if parts.scheme != "https":
        return "Only https is let out of this server.", "an address that begins with https://"
    if is_inner(parts.hostname or ""):
        return INWARDS
    return None


INWARDS = (
    "This address leads into a private network, where this server sends nothing.",
    "an address that is reached from everywhere; who hosts this server may allow others (TIDEBOOK_WEBHOOK_PRIVATE)",
)


def leads_inwards(parts: SplitResult) -> bool:
    """Whether the name is known and leads into private networks alone. Looks it up: asked with nothing held."""
    if settings.WEBHOOK_PRIVATE:
        return False
    try:
        looked_up(parts.hostname or "", parts.port or 443)
    except ForbiddenAddressError:
        return True
    except (OSError, ValueError):
        return False  # not known just now: sending says so
    return False
