"""Reading request bodies: JSON, YAML or protobuf into a checked object."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from sregym_kubernetes.protobuf import ProtobufError
from sregym_kubernetes.protobuf import decode as decode_protobuf
from sregym_regex.budget import spend

from sregym_cluster_embedded.api import aliases, errors, json_words, schema
from sregym_cluster_embedded.api.decode import DecodeError, decode
from sregym_cluster_embedded.api.json_words import json_type
from sregym_cluster_embedded.api.media import JSON, PROTOBUF

if TYPE_CHECKING:
    import yaml

    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.store import Object

_YAML = ("application/yaml", "application/apply-patch+yaml")
_READ = (JSON, "application/yaml", PROTOBUF)
# Bodies up to this size are remembered in their canonical form.
_REMEMBERED_BYTES = 1 << 14
# How much of a text that is none is read again to say why.
_WORDED_BYTES = 1 << 13
# Reading YAML costs by its keys and items, of which each stands behind one of these.
_BETWEEN_NODES = (b",", b":", b"\n")
_STEPS_PER_NODE = 10
# How much of a body that is none is shown.
_SHOWN_BYTES = 30
_NO_KIND = "couldn't get version/kind; json parse error: "
_KIND_OF = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)
_VALIDATIONS = ("Ignore", "Strict", "Warn")


@dataclass
class Warnings:
    """What the answer warns of: values of its Warning headers, in order."""

    texts: list[str] = field(default_factory=list)

    def headers(self) -> dict[str, str]:
        """The header, when there is something to say."""
        if not self.texts:
            return {}
        quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in self.texts)
        return {"Warning": ", ".join(f'299 - "{text}"' for text in quoted)}


def media_type(request: Request) -> str:
    """The Content-Type without parameters; JSON when there is none."""
    return request.headers.get("content-type", JSON).partition(";")[0].strip() or JSON


def parsed(request: Request, kind: str = "") -> Any:
    """The body as plain values.

    Args:
        request: It.
        kind: That of the object which the body should be.

    Raises:
        errors.ApiError: It cannot be read.
    """
    form = media_type(request)
    if form == PROTOBUF:
        return _from_protobuf(request.body)
    if form in _YAML:
        return _from_yaml(request.body, kind)
    if not form.endswith("json"):
        raise errors.unsupported_media_type(_READ)
    try:
        return orjson.loads(request.body)
    except orjson.JSONDecodeError:
        why = json_error(request.body)
    raise _unrecognized(request.body, kind, f"{_NO_KIND}{why}") if kind else errors.bad_request(why)


def _from_protobuf(message: bytes) -> Any:
    try:
        return decode_protobuf(message)
    except ProtobufError as error:
        raise errors.bad_request(str(error)) from None


def _unrecognized(text: bytes, kind: str, why: str) -> errors.ApiError:
    """The error of a body that is no object of a kind, with its beginning."""
    plain = text[:1] == b"{"
    begun = text[:_SHOWN_BYTES].decode(errors="replace") if plain else text[:_SHOWN_BYTES].hex()
    shown = begun + (" ..." if len(text) > _SHOWN_BYTES else "") if text else "<empty>"
    head = f"the object provided is unrecognized (must be of type {kind})"
    return errors.bad_request(f"{head}: {why} ({shown})")


def _from_yaml(text: bytes, kind: str) -> Any:
    """YAML as the JSON that it stands for: keys are texts, and so are moments."""
    import yaml

    try:
        spend((len(text) >> 1) + _STEPS_PER_NODE * sum(map(text.count, _BETWEEN_NODES)))
        value = aliases.checked(yaml.load(aliases.shallow(text), Loader=aliases.MergingLoader))  # noqa: S506 - a safe one
        return orjson.loads(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
    except aliases.AliasesError as error:
        why = str(error)
    except yaml.YAMLError as error:
        why = _worded(text, error)
    except (TypeError, ValueError) as error:
        why = str(error)
    except RecursionError:
        why = "exceeded max depth"
    if kind:
        raise _unrecognized(text, kind, why)
    raise errors.bad_request(f"error decoding YAML: {why}")


def _worded(text: bytes, error: yaml.YAMLError) -> str:
    """Why YAML is none: the slower of the two readers says it more exactly."""
    import yaml

    from sregym_cluster_embedded.api import yaml_words

    try:
        yaml.safe_load(text[:_WORDED_BYTES])
    except RecursionError:
        return "exceeded max depth"
    except yaml.YAMLError as exact:
        return yaml_words.syntax_error(exact)
    return yaml_words.syntax_error(error)


def json_error(body: bytes) -> str:
    """What Go's decoder says of JSON that is none."""
    return json_words.syntax_error(body.decode(errors="replace"))


def typed(
    request: Request, obj: Any, group: str, version: str, kind: str, warnings: Warnings
) -> Object:
    """A parsed body as an object of the given kind.

    Raises:
        errors.ApiError: BadRequest when it is no such object, or, with fieldValidation=Strict,
            when it has unknown fields.
    """
    head = f'{kind} in version "{version}" cannot be handled as a {kind}'
    if not isinstance(obj, dict):
        why = f"json: cannot unmarshal {json_type(obj)} into Go value of type {_KIND_OF}"
        raise _unrecognized(request.body, kind, f"{_NO_KIND}{why}")
    api_version = f"{group}/{version}" if group else version
    if obj.get("kind", kind) != kind or obj.get("apiVersion", api_version) != api_version:
        given = f"{obj.get('apiVersion', '')}, Kind={obj.get('kind', '')}"
        raise errors.bad_request(
            f"the API version in the data ({given}) does not match the expected API version "
            f"({api_version}, Kind={kind})"
        )
    try:
        if media_type(request) == JSON and len(request.body) <= _REMEMBERED_BYTES:
            checked, unknown = _canonical_text(request.body, group, version, kind)
        else:
            checked, unknown = canonical(obj, group, version, kind)
    except DecodeError as error:
        raise errors.bad_request(f"{head}: {error}") from None
    report(request, unknown, warnings, f"{head}: ")
    return {**checked, "apiVersion": api_version, "kind": kind}


@lru_cache(maxsize=256)
def _canonical_text(text: bytes, group: str, version: str, kind: str) -> tuple[Object, list[str]]:
    """`canonical` of JSON: the same manifests are sent again and again, and are immutable once parsed."""
    return canonical(orjson.loads(text), group, version, kind)


def canonical(obj: Object, group: str, version: str, kind: str) -> tuple[Object, list[str]]:
    """An object checked against its schema, and its unknown fields.

    Of kinds without one (custom resources) only the metadata is checked.

    Raises:
        DecodeError: A value has the wrong type.
    """
    definition = schema.of_kind(group, version, kind)
    if definition is not None:
        checked, unknown = decode(obj, definition)
        return _with_no_owners(obj, checked), unknown
    if not isinstance(obj, dict):
        message = "json: cannot unmarshal array into Go value of type map[string]interface {}"
        raise DecodeError(message)
    metadata, unknown = decode(obj.get("metadata") or {}, schema.definition(schema.OBJECT_META))
    checked = _with_no_owners(obj, {**obj, "metadata": metadata})
    return checked, [f"metadata.{name}" for name in unknown]


def _with_no_owners(sent: Object, checked: Object) -> Object:
    """An empty list of managed fields says something, unlike none."""
    metadata = sent.get("metadata")
    if not metadata or metadata.get("managedFields") != []:
        return checked
    return {**checked, "metadata": {**checked["metadata"], "managedFields": []}}


def report(request: Request, unknown: list[str], warnings: Warnings, head: str) -> None:
    """Refuse, warn of, or ignore unknown fields, as `fieldValidation` says."""
    mode = request.parameter("fieldValidation", "Warn") or "Warn"
    if mode not in _VALIDATIONS:
        listed = '"", "Ignore", "Strict", "Warn"'
        text = f'Unsupported value: "{mode}": supported values: {listed}'
        cause = errors.Cause("fieldValidation", text, "FieldValueNotSupported")
        kind = {"PATCH": "PatchOptions", "PUT": "UpdateOptions"}.get(
            request.method, "CreateOptions"
        )
        raise errors.invalid("meta.k8s.io", kind, "", [cause])
    if not unknown or mode == "Ignore":
        return
    texts = [f'unknown field "{path}"' for path in unknown]
    if mode == "Strict":
        raise errors.bad_request(f"{head}strict decoding error: {', '.join(texts)}")
    warnings.texts.extend(texts)
