"""Whether an applied configuration fits the schema: server-side apply looks before it merges.

Unlike decoding, which reads what it knows, this refuses fields that the schema does not declare,
items of associative lists without a key, and items with the same key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import errors, schema

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import ApiError
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.schema import Definition, Field, Type

# The only key with a default: an item may leave it out.
_DEFAULTS = {"protocol": "TCP"}
_SCALARS = (str, int, float, bool)
# Scalars that the schema takes in any form.
_ANY_SCALAR = (schema.QUANTITY, schema.INT_OR_STRING)


def check(resource: Resource, sent: Any, definition: Definition | None) -> None:
    """Refuse a configuration that the schema does not allow.

    Raises:
        errors.ApiError: The configuration is not typed as the schema says.
    """
    if definition is None or not isinstance(sent, dict):
        return
    found = problems(sent, definition)
    if found:
        raise _refused(resource, sent, found)


def problems(sent: Any, definition: Definition) -> list[str]:
    """What does not fit the schema in a configuration."""
    found: list[str] = []
    _struct(sent, definition, "", found)
    return found


def listed(found: list[str]) -> str:
    """One problem as it is, several one below the other."""
    return found[0] if len(found) == 1 else "\n".join(["errors:", *(f"  {e}" for e in found)])


def check_custom(resource: Resource, sent: Any, unknown: list[str]) -> None:
    """Refuse a custom resource with fields that its definition does not know.

    Raises:
        errors.ApiError: There are some.
    """
    if unknown:
        raise _refused(resource, sent, [f".{unknown[0]}: field not declared in schema"])


def _refused(resource: Resource, sent: dict[str, Any], found: list[str]) -> ApiError:
    given = sent.get("metadata")
    metadata = given if isinstance(given, dict) else {}
    version = f"{resource.group}/{resource.version}"
    named = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {version}"
    # A real server calls this a failure of its own (500); here no request makes the server fail.
    return errors.plain(
        400,
        f"failed to create typed patch object ({named}, Kind={resource.kind}): {listed(found)}",
    )


def _struct(value: Any, definition: Definition, path: str, found: list[str]) -> None:
    if value is None:
        return
    if not isinstance(value, dict):
        found.append(_at(path, f"expected map, got {_printed(value)}"))
        return
    for name, item in value.items():
        field = definition.fields.get(name)
        if field is None:
            found.append(_at(f"{path}.{name}", "field not declared in schema"))
            return
        _value(item, field.type, f"{path}.{name}", found, field)


def _value(value: Any, type_: Type, path: str, found: list[str], field: Field | None) -> None:
    if value is None:
        return
    form = type_.form
    if form == "struct":
        _named(value, type_, path, found)
    elif form == "list":
        _list(value, type_, path, found, field)
    elif form == "map":
        if not isinstance(value, dict):
            found.append(_at(path, f"expected map, got {_printed(value)}"))
            return
        assert type_.item is not None
        for key, item in value.items():
            _value(item, type_.item, f"{path}.{key}", found, None)
    else:
        _scalar(value, form, path, found)


def _named(value: Any, type_: Type, path: str, found: list[str]) -> None:
    definition = schema.definition(type_.name)
    if definition.scalar is None:
        if definition.fields:
            _struct(value, definition, path, found)
    elif definition.name in _ANY_SCALAR:
        if not isinstance(value, _SCALARS):
            found.append(_at(path, f"expected any scalar, got {_printed(value)}"))
    else:
        _scalar(value, definition.scalar.form, path, found)


def _scalar(value: Any, form: str, path: str, found: list[str]) -> None:
    if form == "string" and not isinstance(value, str):
        shown = f"&value.valueUnstructured{{Value:{_go(value)}}}"
        found.append(_at(path, f"expected string, got {shown}"))
    elif form == "boolean" and not isinstance(value, bool):
        found.append(_at(path, f"expected boolean, got {_printed(value)}"))
    elif form in ("integer", "number") and (
        isinstance(value, bool) or not isinstance(value, int | float)
    ):
        found.append(_at(path, f"expected numeric (int or float), got {_go_type(value)}"))


def _list(value: Any, type_: Type, path: str, found: list[str], field: Field | None) -> None:
    if not isinstance(value, list):
        found.append(_at(path, f"expected list, got {_printed(value)}"))
        return
    assert type_.item is not None
    keys = field.list_keys if field is not None else ()
    unique = bool(keys) or (field is not None and field.list_type == "set")
    seen: set[str] = set()
    for index, item in enumerate(value):
        if not unique:
            _value(item, type_.item, f"{path}[{index}]", found, None)
            continue
        problem, element = _element(item, keys)
        if problem:
            found.append(_at(path, f"element {index}: {problem}"))
            return
        if element in seen:
            found.append(_at(path, f"duplicate entries for key {element}"))
        seen.add(element)
        _value(item, type_.item, f"{path}{element}", found, None)


def _element(item: Any, keys: tuple[str, ...]) -> tuple[str, str]:
    """What is wrong with an item of an associative list, or what it is called by."""
    if not keys:
        if isinstance(item, dict):
            return "associative list without keys has an element that's a map type", ""
        if item is None:
            return "associative list without keys has an element that's an explicit null", ""
        return "", f"[={_shown(item)}]"
    if item is None:
        return "associative list with keys may not have a null element", ""
    if not isinstance(item, dict):
        return "associative list with keys may not have non-map elements", ""
    given = {key: item.get(key, _DEFAULTS.get(key)) for key in sorted(keys)}
    named = [f"{key}={_shown(value)}" for key, value in given.items() if value is not None]
    if not named:
        listed = " ".join(f'"{key}"' for key in keys)
        problem = (
            f"associative list with keys has an element that omits all key fields [{listed}] "
            "(and doesn't have default values for any key fields)"
        )
        return problem, ""
    return "", f"[{','.join(named)}]"


def _at(path: str, problem: str) -> str:
    return f"{path}: {problem}" if path else problem


def _shown(value: Any) -> str:
    return orjson.dumps(value).decode()


def _printed(value: Any) -> str:
    """A value as Go prints a pointer to a struct that holds it."""
    return f"&{{{_plain(value)}}}"


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{_plain(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(_plain, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "<nil>" if value is None else str(value)


def _go(value: Any) -> str:
    """A value in Go's own syntax."""
    if isinstance(value, dict):
        inside = ", ".join(f"{_shown(key)}:{_go(value[key])}" for key in sorted(value))
        return f"map[string]interface {{}}{{{inside}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_go, value))}}}"
    return "interface {}(nil)" if value is None else _shown(value)


def _go_type(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    return "[]interface {}" if isinstance(value, list) else "map[string]interface {}"
