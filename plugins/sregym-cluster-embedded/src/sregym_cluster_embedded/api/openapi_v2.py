"""The OpenAPI document of version 2, out of the parts of version 3.

Both say the same of the types; version 2 has all groups in one document, names no alternatives and
describes bodies among the parameters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.operations import Operations

_REF, _OLD_REF = "#/components/schemas/", "#/definitions/"
_PLACES = re.compile(r"{(\w+)}")
_KEPT = (
    *("description", "operationId"),
    *("x-kubernetes-action", "x-kubernetes-group-version-kind"),
)
_BODY = {"in": "body", "name": "body", "required": True, "schema": {"type": "object"}}


def joined(
    documents: list[dict[str, Any]], info: dict[str, str], described: Operations
) -> dict[str, Any]:
    """One document of version 2 for documents of version 3 and further operations."""
    definitions: dict[str, Any] = {}
    given: Operations = {path: dict(operations) for path, operations in described.items()}
    for document in documents:
        for name, schema in document.get("components", {}).get("schemas", {}).items():
            definitions[name] = _schema(schema)
        for path, operations in document.get("paths", {}).items():
            known = given.get(path, {})
            for verb, told in operations.items():
                # Version 3 also lists what only its readers look for.
                if verb in known:
                    known[verb] = {**known[verb], **told}
    paths: dict[str, Any] = {}
    for path, operations in given.items():
        named = [
            {"in": "path", "name": name, "required": True, "type": "string"}
            for name in _PLACES.findall(path)
        ]
        paths[path] = {
            **{verb: _operation(told) for verb, told in operations.items()},
            **({"parameters": named} if named else {}),
        }
    return {
        "swagger": "2.0",
        "info": info,
        "paths": dict(sorted(paths.items())),
        "definitions": dict(sorted(definitions.items())),
    }


def _schema(value: Any) -> Any:
    if isinstance(value, list):
        return [_schema(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    alone = value.get("allOf")
    if isinstance(alone, list) and len(alone) == 1:
        rest = {key: entry for key, entry in value.items() if key not in ("allOf", "default")}
        return _schema({**rest, **alone[0]})
    if isinstance(value.get("oneOf"), list):
        # A text or a number: version 2 says text, and the format the rest.
        rest = {key: entry for key, entry in value.items() if key != "oneOf"}
        return {**_schema(rest), "type": "string"}
    return {key: _ref(entry) if key == "$ref" else _schema(entry) for key, entry in value.items()}


def _ref(target: Any) -> Any:
    return target.replace(_REF, _OLD_REF) if isinstance(target, str) else _schema(target)


def _operation(given: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {key: given[key] for key in _KEPT if key in given}
    if "requestBody" in given:
        found["consumes"] = list(given["requestBody"].get("content", {}))
    parameters = [
        {"in": entry["in"], "name": entry["name"], "type": "string", "uniqueItems": True}
        for entry in given.get("parameters", ())
    ]
    if given.get("x-kubernetes-action") in ("patch", "post"):
        parameters = [_BODY, *parameters]
    return {**found, "parameters": parameters, "responses": {"200": {"description": "OK"}}}
