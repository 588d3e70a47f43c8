"""What pydantic refuses, in the words of SREGym: which field it is, what is wrong and what would be right."""

from __future__ import annotations

import re
import types
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, Tag

from sregym_core.model.defect import Location, did_you_mean, field_path
from sregym_core.model.yaml_lines import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import ValidationError

# So many fields are named in one line.
_MOST = 8
# By pydantic's type of the error; the names in braces are those of its context.
_MUST = {
    **dict.fromkeys(("string_type", "string_sub_type"), "be text"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "be true or false"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "be a number"),
    "callable_type": "be a function",
    **dict.fromkeys(
        ("list_type", "tuple_type", "set_type", "frozen_set_type", "sequence_str"), "be a list"
    ),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type"), "be a mapping"),
    **dict.fromkeys(("literal_error", "enum"), "be {expected}"),
    "is_instance_of": "be an instance of {class}",
    "finite_number": "be a finite number",
    "greater_than": "be greater than {gt}",
    "greater_than_equal": "be at least {ge}",
    "less_than": "be less than {lt}",
    "less_than_equal": "be at most {le}",
    "string_pattern_mismatch": "match the pattern {pattern}",
    "string_too_short": "have {min_length} or more characters",
    "string_too_long": "have {max_length} or fewer characters",
    "too_short": "have {min_length} or more items",
    "too_long": "have {max_length} or fewer items",
}


def explain(
    error: ValidationError, form: Any, data: Any, noun: str = "field", text: str = ""
) -> str:
    """What is wrong, in one line, of much the first: `field 'a.b': missing; field 'c': must be text, not 3`.

    Args:
        error: As validation raised it.
        form: The type that was validated against.
        data: What was validated; None when it was JSON.
        noun: What a field is called where the data come from.
        text: The YAML that the data were read from; with it each field has its line, in their order.
    """
    root = yaml.compose(text, yaml.SafeLoader) if text else None
    found = []
    for where, what in invalid_fields(error, form, data):
        line = line_of(root, where) if text and where else 0
        place = f"{noun} {field_path(where)!r}: " if where else ""
        what = what if where else re.sub("^must ", "it must ", what)
        found.append((line, f"line {line}, {place}{what}" if line else place + what))
    texts = [one for _, one in sorted(found, key=lambda one: one[0])]
    more = len(texts) - _MOST
    return "; ".join([*texts[:_MOST], f"{more} more"] if more > 0 else texts)


def invalid_fields(error: ValidationError, form: Any, data: Any) -> list[tuple[Location, str]]:
    """Each location in the data at which something is wrong, once, with what is wrong; as `explain`."""
    found: dict[Location, list[str]] = {}
    items = error.errors(include_url=False)
    inside = {item["loc"][:depth] for item in items for depth in range(1, len(item["loc"]))}
    for item in items:
        if item["type"] == "too_short" and item["loc"] in inside:
            continue  # a list is shorter without the members that are wrong
        texts = found.setdefault(location_of(item, data), [])
        if (text := describe_error(item, form)) not in texts:
            texts.append(text)
    return [(where, _either(texts)) for where, texts in found.items()]


def _either(texts: Sequence[str]) -> str:
    """One text of those for the members of a union."""
    wanted = [text.rpartition(", not ") for text in texts]
    if len({given for _, _, given in wanted}) == 1 and all(
        must.startswith("must ") for must, _, _ in wanted
    ):
        rest = [must.removeprefix("must ").removeprefix("be ") for must, _, _ in wanted[1:]]
        return f"{' or '.join([wanted[0][0], *rest])}, not {wanted[0][2]}"
    return "; ".join(texts)


def location_of(item: Mapping[str, Any], data: Any) -> Location:
    """Where an error stands in the data, without the names of union members, which are in no file.

    Args:
        item: One of the errors of a `ValidationError`. Of what is missing the last step stays.
        data: What was validated; None where that is not known.
    """
    steps, missing = tuple(item["loc"]), item["type"] == "missing"
    if data is None:
        return steps
    ways = list(_ways(steps[:-1] if missing else steps, data))
    exact = (way for way, value in ways if value == item["input"])
    way = next(exact, None) or max((way for way, _ in ways), key=len)
    return (*way, steps[-1]) if missing else way


def _ways(steps: Sequence[str | int], data: Any) -> Iterator[tuple[Location, Any]]:
    """Ways through data that take some of the steps, in their order, with the value at their ends."""
    if not steps:
        yield (), data
        return
    step = steps[0]
    held: Any = data
    listed = isinstance(data, list) and isinstance(step, int) and step < len(data)
    if listed or (isinstance(data, dict) and step in data):
        yield from (((step, *way), value) for way, value in _ways(steps[1:], held[step]))
    yield from _ways(steps[1:], data)


def describe_error(item: Mapping[str, Any], form: Any) -> str:
    """One error of pydantic: `missing`, `must be text, not 3`, with the names that would be right."""
    kind, context = item["type"], item.get("ctx", {})
    if kind == "missing":
        return "missing"
    if kind == "extra_forbidden":
        known = fields_at(form, item["loc"][:-1])
        near = did_you_mean(str(item["loc"][-1]), known)
        return "unknown" + (near or f"; there are: {', '.join(known) or 'none'}")
    if kind in _MUST:
        given = context.get("actual_length", _shown(item["input"]))
        text = f"must {_MUST[kind].format_map({name: _plain(value) for name, value in context.items()})}, not {given}"
        names = str(context.get("expected", "")).replace(" or ", ", ").split(", ")
        return text + did_you_mean(str(item["input"]), [name.strip("'") for name in names])
    text = str(item["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return text.replace("Input should be", "must be")


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return (
        "a mapping"
        if isinstance(value, dict)
        else "a list"
        if isinstance(value, list)
        else f"{value!r:.80}"
    )


def fields_at(form: Any, location: Sequence[str | int]) -> list[str]:
    """Names of the fields that a mapping at a location of a form may have; empty when unknown."""
    here = [form]
    for step in location:
        here = [inner for one in here for inner in _below(one, step)]
    models = [one for kind in here for one in _models(kind)]
    return sorted({field.alias or name for m in models for name, field in m.model_fields.items()})


def _below(kind: Any, step: str | int) -> Iterator[Any]:
    """What stands at one step below a type; a step may be the tag of a union's member."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        if any(isinstance(extra, Tag) and extra.tag == step for extra in arguments[1:]):
            yield arguments[0]
        else:
            yield from _below(arguments[0], step)
    elif origin in (Union, types.UnionType):
        tagged = [one for one in arguments if _tag(one) == step]
        for one in tagged or arguments:
            yield from _below(one, step)
    elif origin in (dict, list, tuple, frozenset, set):
        yield arguments[-1] if origin is dict else arguments[0]
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            if step in (name, field.alias):
                yield field.annotation


def _tag(kind: Any) -> str:
    extras = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
    return next((str(extra.tag) for extra in extras if isinstance(extra, Tag)), "")


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    if get_origin(kind) in (Annotated, Union, types.UnionType):
        arguments = get_args(kind)
        for one in arguments[:1] if get_origin(kind) is Annotated else arguments:
            yield from _models(one)
    elif get_origin(kind) is None and isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
