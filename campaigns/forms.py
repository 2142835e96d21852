"""Forms out of commands: the fields of a command's type as fields of a Django form, its refusals beside them.

form = form_for(registry.commands["campaign.rename"])(request.POST or None)
if form.is_valid():
    try:
        execute(campaign_id, form.command, actor, command_id=form.command_id)
    except Refused as refused:
        form.refuse(refused)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

import msgspec
from django import forms
from msgspec import inspect

from campaigns.api.bodies import refusal_of, require_storable
from campaigns.registry import Command, CommandType
from rules.refusal import Refused

Choices = Mapping[str, Sequence[tuple[Any, str]]]
BIGGEST = (1 << 63) - 1
LISTS = inspect.ListType | inspect.VarTupleType | inspect.SetType | inspect.FrozenSetType


class Lines(forms.CharField):
    """A list of texts, one a line."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> Any:
        """The lines that are not blank."""
        return [line.strip() for line in (super().to_python(value) or "").splitlines() if line.strip()]


class Plain(forms.CharField):
    """True or false, a whole number, or else a text, as typed."""

    def to_python(self, value: Any) -> Any:
        """The value that the text stands for."""
        text = super().to_python(value) or ""
        if text in ("true", "false"):
            return text == "true"
        try:
            return int(text)
        except ValueError:
            return text


class CommandForm(forms.Form):
    """The form of one command. ``fixed`` are fields that the page and not the person decides."""

    kind: CommandType
    fixed: Mapping[str, Any] = {}
    nullable: frozenset[str] = frozenset()
    command: Command

    command_number = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)

    @property
    def command_id(self) -> UUID:
        """The id that makes a second press of the button the same command; ask after ``is_valid``."""
        number: UUID = self.cleaned_data["command_number"]
        return number

    def clean(self) -> dict[str, Any]:
        """Builds ``command`` from what was typed; what does not fit is said at its field."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        values = {n: v for n, v in cleaned.items() if n != "command_number" and self._given(n, v)}
        values = {n: None if v in ("", None) else v for n, v in values.items()} | dict(self.fixed)
        try:
            self.command = msgspec.convert(values, self.kind.body)
            require_storable(self.command)
        except msgspec.ValidationError as error:
            self.refuse(refusal_of(error, self.kind.body, values))
        except Refused as refused:
            self.refuse(refused)
        return cleaned

    def _given(self, name: str, value: Any) -> bool:
        """Whether a value goes into the command; what is left empty is the command's own default."""
        return name in self.nullable or bool(value) or isinstance(value, int | list)

    def refuse(self, refused: Refused) -> None:
        """Says a refusal at the field it names, or above the form where it names none of it."""
        text = refused.message + (f" Right would be: {refused.right}." if refused.right else "")
        name = (refused.field or "").partition("[")[0].partition(".")[0]
        self.add_error(name if name in self.fields else None, forms.ValidationError(text, code=refused.code))


def form_for(kind: CommandType, *, fixed: Mapping[str, Any] | None = None, choices: Choices | None = None) -> type[Any]:
    """The form class of a command; ``fixed`` fields are not asked for, ``choices`` (value, label) by name."""
    info = inspect.type_info(kind.body)
    assert isinstance(info, inspect.StructType)
    asked = [field for field in info.fields if field.name not in (fixed or {})]
    fields: dict[str, Any] = {field.name: _field(field, (choices or {}).get(field.name)) for field in asked}
    made: Any = type(kind.body.__name__ + "Form", (CommandForm,), fields)
    # Set behind the fields, for a command may well have one called "kind".
    made.kind, made.fixed = kind, fixed or {}
    made.nullable = frozenset(field.name for field in asked if _without_null(field.type)[1])
    return made  # type: ignore[no-any-return]


def _field(field: inspect.Field, choices: Sequence[tuple[Any, str]] | None) -> forms.Field:
    kind, description = _unwrapped(field.type)
    kind, may_be_null = _without_null(kind)
    default = _default(field)
    may_be_empty = may_be_null or isinstance(kind, inspect.BoolType | LISTS)
    options: dict[str, Any] = {
        "label": field.name.replace("_", " ").capitalize(),
        "help_text": description,
        "required": field.required and not may_be_empty,
        "initial": "\n".join(default) if isinstance(default, list | tuple) else default,
    }
    if choices and len(choices) == 1 and not may_be_empty:  # nothing else would be right
        options["initial"] = choices[0][0]
    return _typed(kind, options, choices)


def _typed(kind: inspect.Type, options: dict[str, Any], choices: Sequence[tuple[Any, str]] | None) -> forms.Field:
    if isinstance(kind, LISTS):
        if choices is not None:
            return forms.MultipleChoiceField(choices=list(choices), **options)
        return Lines(**options) if isinstance(kind.item_type, inspect.StrType) else forms.JSONField(**options)
    if isinstance(kind, inspect.LiteralType):
        choices = choices or [(v, str(v)) for v in kind.values]
    if choices is not None:
        blank = [] if options["required"] else [("", "")]
        coerce: Callable[[Any], Any] = int if isinstance(kind, inspect.IntType) else str
        return forms.TypedChoiceField(choices=[*blank, *choices], coerce=coerce, **options)
    if isinstance(kind, inspect.IntType):
        low = kind.ge if kind.ge is not None else -BIGGEST
        high = kind.le if kind.le is not None else BIGGEST
        return forms.IntegerField(min_value=low, max_value=high, **options)
    if isinstance(kind, inspect.StrType):
        long = kind.max_length is not None and kind.max_length > 200
        return forms.CharField(max_length=kind.max_length, widget=forms.Textarea if long else None, **options)
    return _SIMPLE.get(type(kind), forms.JSONField)(**options)


_SIMPLE: dict[type[inspect.Type], type[forms.Field]] = {
    inspect.BoolType: forms.BooleanField,
    inspect.FloatType: forms.FloatField,
    inspect.DateTimeType: forms.DateTimeField,
    inspect.DateType: forms.DateField,
    inspect.UUIDType: forms.UUIDField,
    inspect.UnionType: Plain,
}


def _unwrapped(kind: inspect.Type) -> tuple[inspect.Type, str]:
    """A type without what is merely said of it, and its description."""
    if isinstance(kind, inspect.Metadata):
        return kind.type, (kind.extra_json_schema or {}).get("description", "")
    return kind, ""


def _without_null(kind: inspect.Type) -> tuple[inspect.Type, bool]:
    """A type without null, and whether null was part of it."""
    if not isinstance(kind, inspect.UnionType):
        return kind, False
    left = [_unwrapped(t)[0] for t in kind.types if not isinstance(t, inspect.NoneType)]
    if len(left) == len(kind.types):
        return kind, False
    return (left[0] if len(left) == 1 else inspect.UnionType(tuple(left))), True


def _default(field: inspect.Field) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return field.default_factory() if field.default_factory is not msgspec.NODEFAULT else None
