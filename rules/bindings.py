"""Settings of a pack that stand for single values inside its rules.

A rules struct may carry `settings`: a mapping from the dotted path of one of its values to the key of the pack setting
that decides it, for instance `{"bonus_cap": "identity.mark_bonus_cap"}`. The value written at the path is the default.
Items of a list are named by their `id`, or by their place from 0.

    bound = with_settings(rules, {"identity.mark_bonus_cap": 4})
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from rules.faults import Fault, nearest
from rules.refusal import Refused


class Bound(Protocol):
    """Any rules struct with a `settings` mapping from value path to setting key."""

    @property
    def settings(self) -> Mapping[str, str]: ...


T = TypeVar("T", bound=Bound)


def with_settings(rules: T, values: Mapping[str, Any]) -> T:
    """The rules with a campaign's values in place of the defaults; keys that concern other sections are ignored.

    Refused (`setting_value_wrong`) when a value has the wrong type or is not one of those allowed.
    """
    changed = {path: key for path, key in rules.settings.items() if key in values}
    if not changed:
        return rules
    tree = _tree(rules)
    for path, key in changed.items():
        holder, last = _holder(tree, path)
        holder[last] = values[key]
        try:
            msgspec.convert(tree, type(rules))
        except msgspec.ValidationError as error:
            raise Refused(
                "setting_value_wrong", f"{key} cannot be {values[key]!r}: {error}", field=key, value=values[key]
            ) from error
    return msgspec.convert(tree, type(rules))


def check_bindings(
    rules: Bound, declared: Mapping[str, Any], allowed: Mapping[str, Sequence[Any]] | None = None
) -> list[Fault]:
    """Problems of `settings`: paths that lead nowhere, keys the pack does not declare, defaults that differ, values
    that the rules could not take.

    `declared` maps every setting key of the pack to its default, `allowed` to what it may be set to (options and ends).
    """
    tree = _tree(rules)
    problems = []
    for path, key in rules.settings.items():
        where = f"settings.{path}"
        try:
            holder, last = _holder(tree, path)
            value = holder[last]
        except (KeyError, IndexError, TypeError, ValueError):
            problems.append(Fault(path=where, message=f"no value stands at {path!r}", right="the path of a value"))
            continue
        if key not in declared:
            problems.append(Fault(path=where, message=f"no setting {key!r} is declared", right=nearest(key, declared)))
        elif declared[key] != value:
            problems.append(
                Fault(
                    path=where,
                    message=f"{path} is {value!r} here, but the default of {key} is {declared[key]!r}",
                    right="the same value in both places",
                )
            )
        else:
            problems += _unfit(rules, where, key, (allowed or {}).get(key, ()))
    return problems


def _unfit(rules: Bound, where: str, key: str, values: Iterable[Any]) -> list[Fault]:
    """Values that a table could choose, and that the rules refuse."""
    out = []
    for value in values:
        try:
            with_settings(rules, {key: value})
        except Refused as no:
            out.append(Fault(path=where, message=no.message))
    return out


def _tree(rules: Bound) -> Any:
    """The rules as dicts and lists that can be changed."""
    return msgspec.json.decode(msgspec.json.encode(rules))


def _holder(tree: Any, path: str) -> tuple[Any, Any]:
    """The container and the key or place at which the value of a dotted path stands. Raises KeyError and the like."""
    *way, last = path.split(".")
    node = tree
    for step in way:
        node = node[_key(node, step)]
    return node, _key(node, last)


def _key(node: Any, step: str) -> Any:
    if isinstance(node, list | tuple):
        for place, item in enumerate(node):
            if isinstance(item, dict) and item.get("id") == step:
                return place
        return int(step)
    if step not in node:
        raise KeyError(step)
    return step
