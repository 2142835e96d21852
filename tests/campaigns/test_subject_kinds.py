"""What a subject may be follows from the campaign's packs."""

from __future__ import annotations

import pytest

from campaigns.commands.subjects import CreateSubject
from rules.refusal import Refused
from tests.campaigns.tables import make_table

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_kind_that_no_pack_knows_is_refused_with_those_there_are() -> None:
    table = make_table({"spindrift-identity": ""})
    with pytest.raises(Refused) as caught:
        table.send("pia", CreateSubject(kind="charcter", name="Talyne"))
    assert (caught.value.code, caught.value.field, caught.value.value) == ("no_such_kind", "kind", "charcter")
    assert caught.value.right == "one of character, faction, house"
    assert table.character("pia")


def test_without_packs_a_subject_is_called_what_the_table_likes() -> None:
    assert make_table().character("pia", kind="sailor")
