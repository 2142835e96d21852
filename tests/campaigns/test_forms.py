"""Forms out of commands: fields by type, what is wrong beside its field, the same command as the API builds."""

from typing import Annotated, Any, Literal
from uuid import uuid4

import msgspec
import pytest
from django import forms

from campaigns import registry
from campaigns.commands.seats import MakeLink
from campaigns.commands.subjects import CreateSubject, HandOverSubject
from campaigns.forms import CommandForm, form_for
from campaigns.registry import Command, CommandType
from rules.refusal import Refused


def filled(kind: CommandType, data: dict[str, Any], **more: Any) -> Any:
    return form_for(kind, **more)({"command_number": str(uuid4()), **data})


def test_every_registered_command_has_a_form() -> None:
    for kind in registry.commands.values():
        form = form_for(kind)()
        assert set(form.fields) == {*kind.body.__struct_fields__, "command_number"}
        assert form.as_p()


def test_a_filled_form_is_the_command() -> None:
    kind = registry.commands["subject.create"]
    form = filled(kind, {"kind": "character", "name": "Talyne", "players": "a\n b \n\n", "hidden": "on"})
    assert form.is_valid(), form.errors
    assert form.command == CreateSubject(kind="character", name="Talyne", players=("a", "b"), hidden=True)


def test_empty_is_null_where_null_means_something_and_else_the_default() -> None:
    kind = registry.commands["link.make"]
    form = filled(kind, {"role": "player", "days": "", "uses": "3"})
    assert form.is_valid() and form.command == MakeLink(role="player", days=None, uses=3)
    assert form_for(kind)()["days"].initial == 7
    form = filled(registry.commands["subject.create"], {"kind": "character", "name": "Talyne"})
    assert form.is_valid() and form.command == CreateSubject(kind="character", name="Talyne")


def test_the_only_choice_is_chosen() -> None:
    """The second attempt at a close is the only right one; left alone, the form must not send the first."""
    kind = registry.commands["period.close"]
    form = form_for(kind, choices={"attempt": [(2, "2")]})
    assert form()["attempt"].value() == 2
    assert form_for(kind, choices={"attempt": [(1, "1"), (2, "2")]})()["attempt"].value() == 1


def test_an_empty_list_is_a_list() -> None:
    form = filled(registry.commands["subject.hand_over"], {}, fixed={"subject": "s"}, choices={"players": [("a", "A")]})
    assert form.is_valid() and form.command == HandOverSubject(subject="s", players=())


def test_fixed_fields_cannot_be_sent_along() -> None:
    form = filled(registry.commands["member.remove"], {"member": "other"}, fixed={"member": "mine"})
    assert form.is_valid() and form.command.member == "mine"


@pytest.mark.parametrize("text, value", [("true", True), ("false", False), ("12", 12), ("tide", "tide")])
def test_a_setting_keeps_the_kind_that_was_typed(text: str, value: object) -> None:
    form = filled(registry.commands["setting.change"], {"setting": "x", "value": text})
    assert form.is_valid() and form.command.value is value or form.command.value == value


@pytest.mark.parametrize("uses", ["x", "99999999999999999999", "1.5"])
def test_wrong_values_are_said_at_their_field(uses: str) -> None:
    form = filled(registry.commands["link.make"], {"role": "player", "uses": uses})
    assert not form.is_valid() and list(form.errors) == ["uses"]


def test_refusals_are_said_at_the_field_they_name_or_above() -> None:
    kind = registry.commands["campaign.rename"]
    for field, where in (("name", "name"), ("name[0]", "name"), ("actor", "__all__"), (None, "__all__")):
        form: CommandForm = filled(kind, {"name": "Ebb"})
        assert form.is_valid()
        form.refuse(Refused("wrong", "No.", field=field, right="yes"))
        assert form.errors[where] == ["No. Right would be: yes."]


def test_a_form_without_its_number_sends_nothing() -> None:
    form = form_for(registry.commands["campaign.rename"])({"name": "Ebb"})
    assert not form.is_valid() and "command_number" in form.errors


class Odd(Command):
    """One of each kind."""

    side: Literal["port", "starboard"]
    depth: Annotated[int, msgspec.Meta(ge=1, le=9, description="In fathoms.")] = 3
    tale: Annotated[str, msgspec.Meta(max_length=4000)] = ""
    marks: dict[str, int] = {}


def test_types_say_what_a_field_takes() -> None:
    kind = CommandType("odd", Odd, frozenset({"gm"}), lambda state, command, context: [], "Being odd")
    form = form_for(kind)()
    assert isinstance(form.fields["side"], forms.ChoiceField)
    assert form.fields["depth"].help_text == "In fathoms." and form.fields["depth"].initial == 3
    assert isinstance(form.fields["tale"].widget, forms.Textarea)
    wrong = filled(kind, {"side": "port", "depth": "10", "marks": '{"a": "x"}'})
    assert not wrong.is_valid() and list(wrong.errors) == ["depth"]
    wrong = filled(kind, {"side": "port", "depth": "9", "marks": '{"a": "x"}'})
    assert not wrong.is_valid() and list(wrong.errors) == ["marks"]
    right = filled(kind, {"side": "port", "depth": "9", "marks": '{"a": 1}'})
    assert right.is_valid() and right.command == Odd(side="port", depth=9, marks={"a": 1})
