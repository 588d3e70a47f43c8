"""Answers that people read: fields in the order of the structs, on lines of their own for browsers.

Programs do not care about the order of fields, so that it is given to those alone who look at it:
`curl`, `wget`, browsers, requests with `pretty`, and `kubectl get --raw` and its likes.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import resources, schema
from sregym_cluster_embedded.api.request import Response

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.api.request import Connect, Request, Watch
    from sregym_cluster_embedded.api.schema import Type

    Answer = Response | Watch | Connect

# What is written without being asked: the version, and the index of paths.
_ALWAYS_PRETTY = ("/", "/version", "/version/")
_NEVER = ("/openapi/", "/openid/", "/.well-known/", "/metrics")
_TOOLS = ("curl", "Wget", "Mozilla/5.0")
_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_RAW_ACCEPT = "application/json, */*"
# In process no command is told.
_RAW_COMMANDS = ("", "kubectl get", "kubectl create", "kubectl replace", "kubectl delete")
_PARTIAL = ("PartialObjectMetadata", "PartialObjectMetadataList")
_ESCAPED = ((b"<", b"\\u003c"), (b">", b"\\u003e"), (b"&", b"\\u0026"))


def pretty_printed(request: Request, answer: Answer) -> Answer:
    """The answer as the one who asked wants to read it."""
    pretty = is_pretty(request)
    if not (pretty or _is_raw(request)) or not isinstance(answer, Response) or not answer.body:
        return answer
    others = request.path.startswith(_NEVER) or "/proxy" in request.path or request.flag("watch")
    if others or not answer.content_type.startswith("application/json"):
        return answer
    body = orjson.dumps(
        in_order(orjson.loads(answer.body)), option=orjson.OPT_INDENT_2 if pretty else 0
    )
    for plain, escaped in _ESCAPED:
        body = body.replace(plain, escaped)
    return replace(answer, body=body if pretty else body + b"\n")


def is_pretty(request: Request) -> bool:
    """Whether an answer has its fields on lines of their own."""
    if request.path in _ALWAYS_PRETTY:
        return True
    if said := request.parameter("pretty"):
        return said in _TRUE
    return request.headers.get("user-agent", "").startswith(_TOOLS)


def _is_raw(request: Request) -> bool:
    """Whether `--raw` asks: few other forms of these commands accept just anything."""
    headers = request.headers
    return (
        headers.get("accept") == _RAW_ACCEPT
        and headers.get("user-agent", "").startswith("kubectl/")
        and headers.get("kubectl-command", "") in _RAW_COMMANDS
    )


def in_order(value: Any) -> Any:
    """An object or list with its fields in the order in which the server writes them."""
    if not isinstance(value, dict):
        return value
    kind, version = str(value.get("kind", "")), str(value.get("apiVersion", ""))
    group, _, number = version.rpartition("/")
    definition = schema.of_kind(group, number, kind)
    if definition is not None:
        return _struct(value, definition.name)
    if kind in _PARTIAL:
        return _partial(value)
    if "metadata" not in value or (group, number) in _BUILT_IN or group == "meta.k8s.io":
        return value
    # Objects without a struct: custom resources, in the order of the alphabet.
    return orjson.loads(orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


_BUILT_IN = frozenset(resources.group_versions())


def _partial(value: dict[str, Any]) -> dict[str, Any]:
    found = dict(value)
    if "items" in value:
        return found | {"items": [_partial(item) for item in value["items"]]}
    return found | {"metadata": _struct(value["metadata"], schema.OBJECT_META)}


def _struct(value: dict[str, Any], name: str) -> dict[str, Any]:
    fields = schema.definition(name).fields
    found = {
        field: _value(value[field], fields[field].type) for field in _order(name) if field in value
    }
    return (
        found
        if len(found) == len(value)
        else found | {key: value[key] for key in value if key not in found}
    )


def _value(value: Any, type_: Type) -> Any:
    if isinstance(value, list) and type_.item is not None:
        return [_value(item, type_.item) for item in value]
    if not isinstance(value, dict):
        return value
    if type_.form == "map" and type_.item is not None:
        return {key: _value(value[key], type_.item) for key in sorted(value)}
    if type_.form == "struct" and schema.definition(type_.name).scalar is None:
        return _struct(value, type_.name)
    return value


@lru_cache(maxsize=1)
def _orders() -> dict[str, list[str]]:
    path = files("sregym_cluster_embedded.api").joinpath("data", "order.json.gz")
    loaded: dict[str, list[str]] = orjson.loads(gzip.decompress(path.read_bytes()))
    return loaded


@lru_cache(maxsize=1024)
def _order(name: str) -> Sequence[str]:
    return _orders().get(name) or sorted(schema.definition(name).fields)
