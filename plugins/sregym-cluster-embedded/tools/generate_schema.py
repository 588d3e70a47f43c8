"""Turn the Kubernetes OpenAPI document into the two compact data files of the embedded API.

    python tools/generate_schema.py v1.36.0

reads the JSON schemas in the package `kubernetes-validate` (a development dependency) and writes
`structure.json.gz` (types, list types, merge keys, required fields) and `descriptions.json.gz`
(the texts of `kubectl explain`) into `api/data`.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import orjson
from sregym_cluster_embedded.api.resources import BUILT_IN

DATA = Path(__file__).parents[1] / "src/sregym_cluster_embedded/api/data"
SCALARS = {"string": "s", "integer": "i", "number": "n", "boolean": "b", "object": "o"}
EXTRAS = {
    "x-kubernetes-patch-merge-key": "k",
    "x-kubernetes-patch-strategy": "p",
    "x-kubernetes-list-type": "l",
    "x-kubernetes-list-map-keys": "m",
    "x-kubernetes-map-type": "t",
    "format": "f",
}
OWN_KINDS = (
    ("", "v1", "Status"),
    ("", "v1", "DeleteOptions"),
    ("policy", "v1", "Eviction"),
    ("autoscaling", "v1", "Scale"),
    ("authentication.k8s.io", "v1", "TokenRequest"),
)


def main(version: str) -> None:
    """Write both files for one Kubernetes version, e.g. `v1.36.0`."""
    folder = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
    document = orjson.loads((folder / f"{version}-local" / "_definitions.json").read_bytes())
    definitions: dict[str, Any] = document.get("$defs") or document["definitions"]
    wanted = reachable(definitions, roots(definitions))
    structure = {name: structure_of(definitions[name]) for name in sorted(wanted)}
    descriptions = {name: descriptions_of(definitions[name]) for name in sorted(wanted)}
    write("structure.json.gz", structure)
    write("descriptions.json.gz", descriptions)


def roots(definitions: dict[str, Any]) -> list[str]:
    """The definitions of all kinds that the API serves, their lists, and a few of its own."""
    served = {(entry.group, entry.version, entry.kind) for entry in BUILT_IN}
    served |= {(group, version, f"{kind}List") for group, version, kind in served}
    served |= set(OWN_KINDS)
    return [
        name
        for name, definition in definitions.items()
        for kind in definition.get("x-kubernetes-group-version-kind", ())
        if (kind["group"], kind["version"], kind["kind"]) in served
    ]


def reachable(definitions: dict[str, Any], names: list[str]) -> set[str]:
    """`names` and all that they refer to."""
    found: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue.extend(references(definitions[name]))
    return found


def references(node: Any) -> list[str]:
    """Names of the definitions that a schema refers to."""
    if isinstance(node, list):
        return [name for item in node for name in references(item)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"].rpartition("/")[2]] if isinstance(node.get("$ref"), str) else []
    return own + [name for value in node.values() for name in references(value)]


def structure_of(definition: dict[str, Any]) -> dict[str, Any]:
    """A definition without its texts."""
    result: dict[str, Any] = {}
    if "properties" in definition:
        result["p"] = {
            name: field_of(schema) for name, schema in sorted(definition["properties"].items())
        }
    elif "oneOf" in definition:
        result["t"] = "?"
    else:
        result["t"] = code_of(definition)
    if "format" in definition:
        result["f"] = definition["format"]
    if definition.get("required"):
        result["r"] = definition["required"]
    if "x-kubernetes-group-version-kind" in definition:
        result["g"] = [
            [kind["group"], kind["version"], kind["kind"]]
            for kind in definition["x-kubernetes-group-version-kind"]
        ]
    if "x-kubernetes-map-type" in definition:
        result["m"] = definition["x-kubernetes-map-type"]
    return result


def field_of(schema: dict[str, Any]) -> Any:
    """A field: its type code, with extras where it has some."""
    extras = {short: schema[name] for name, short in EXTRAS.items() if name in schema}
    code = code_of(schema)
    return [code, extras] if extras else code


def code_of(schema: dict[str, Any]) -> str:
    """A type as text: `s`, `[]s`, `{}s`, `@definition`, `*` for anything."""
    if "$ref" in schema:
        return "@" + str(schema["$ref"].rpartition("/")[2])
    kind = schema.get("type", "*")
    if isinstance(kind, list):
        kind = next(name for name in kind if name != "null")
    if kind == "array":
        return "[]" + code_of(schema["items"])
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return "{}" + code_of(schema["additionalProperties"])
    return SCALARS.get(kind, "*")


def descriptions_of(definition: dict[str, Any]) -> list[Any]:
    """The texts of a definition: its own, and those of its fields by name."""
    fields = {
        name: schema["description"]
        for name, schema in definition.get("properties", {}).items()
        if "description" in schema
    }
    return [definition.get("description", ""), fields]


def write(name: str, data: Any) -> None:
    """Compress without a time stamp, so that the same input gives the same bytes."""
    encoded = gzip.compress(orjson.dumps(data), 9, mtime=0)
    (DATA / name).write_bytes(encoded)


if __name__ == "__main__":
    main(sys.argv[1])
