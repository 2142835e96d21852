"""Importing what somebody sent over the web: like the command for hosts, but nothing that is here already is touched.

Whoever has a whole export could write its continuation, for the chain has no key; so a campaign of this server is
continued from a file by the host alone.
"""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from campaigns.models import Campaign
from campaigns.transfer.importing import Imported, here_already, import_campaign
from campaigns.transfer.lines import File
from rules.refusal import Refused

MOST_BYTES = 256 << 20
"""of the compressed file"""
MOST_UNPACKED = 8 << 30
"""of its lines: beyond it a file is a trap, or a campaign for the host to bring in"""


def import_upload(path: Path, owner: int) -> Imported:
    """Takes in a campaign that is not here yet, for the account that gets its owner's seat. Raises Refused with the
    place, and nothing written, for a file that is not as it was exported."""
    if path.stat().st_size > MOST_BYTES:
        right = f"at most {MOST_BYTES >> 20} MB; the host can bring in more by manage.py import_campaign"
        raise Refused("too_large", "The file is too large.", field="file", right=right)
    file = File(path, most=MOST_UNPACKED)
    try:
        campaign_id = UUID(file.header.campaign)
    except ValueError:
        raise Refused("broken_file", "Line 1: this names no campaign.", field="file", value="line 1") from None
    if Campaign.objects.filter(pk=campaign_id).exists():
        raise here_already()
    return import_campaign(path, owner, most=MOST_UNPACKED, new=True)
