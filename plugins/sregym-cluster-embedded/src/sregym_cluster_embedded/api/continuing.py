"""Continue tokens: where the next page of a list begins, and at which revision."""

from __future__ import annotations

import base64
import posixpath
from typing import Any

import orjson
from sregym_cel import base64_text

from sregym_cluster_embedded.api import errors, json_words

_VERSION = "meta.k8s.io/v1"
_INVALID = "continue key is not valid"
_GO_TYPES = {"v": (str, "string"), "rv": (int, "int64"), "start": (str, "string")}
_JSON_NAMES = {bool: "bool", int: "number", float: "number", str: "string", list: "array"}


def token(revision: int, place: tuple[str, str]) -> str:
    """A token.

    Args:
        revision: Of the list; -1 for one that goes on at the present.
        place: Namespace and name of the last object that was given out.
    """
    content = {"v": _VERSION, "rv": revision, "start": "/".join(place) + "\0"}
    return base64.urlsafe_b64encode(orjson.dumps(content)).decode().rstrip("=")


def start_of(text: str) -> tuple[tuple[str, str], int]:
    """Behind which object a token goes on, and at which revision; 0 for the present.

    Raises:
        errors.ApiError: BadRequest, with the error text of the server's storage.
    """
    try:
        read = base64_text.decode(text, url=True)
    except base64_text.Base64Error as error:
        raise _refused(f"{_INVALID}: {error}") from None
    content = _content(read)
    version, start = content.get("v", ""), content.get("start", "")
    revision: int = content.get("rv", 0)
    if version != _VERSION:
        raise _refused(f"{_INVALID}: server does not recognize this encoded version {version}")
    if revision == 0:
        raise _refused(f"{_INVALID}: incorrect encoded start resourceVersion (version {_VERSION})")
    if not start:
        raise _refused(f"{_INVALID}: encoded start key empty (version {_VERSION})")
    path = "/" + start.removeprefix("/")
    if posixpath.normpath(path) != path:
        raise _refused(f"{_INVALID}: {start}")
    namespace, _, name = start.rstrip("\0").partition("/")
    return (namespace, name), max(revision, 0)


def _content(read: bytes) -> dict[str, Any]:
    try:
        content = orjson.loads(read)
    except orjson.JSONDecodeError:
        wrong = json_words.syntax_error(read.decode(errors="replace"))
        raise _refused(f"{_INVALID}: {wrong}") from None
    if not isinstance(content, dict):
        found = _JSON_NAMES.get(type(content), "object")
        wrong = f"json: cannot unmarshal {found} into Go value of type storage.continueToken"
        raise _refused(f"{_INVALID}: {wrong}")
    for field, (kind, named) in _GO_TYPES.items():
        value = content.get(field)
        if value is not None and type(value) is not kind:
            found = _JSON_NAMES.get(type(value), "object")
            place = f"Go struct field continueToken.{field} of type {named}"
            raise _refused(f"{_INVALID}: json: cannot unmarshal {found} into {place}")
    return {field: value for field, value in content.items() if value is not None}


def _refused(wrong: str) -> errors.ApiError:
    return errors.bad_request(f"invalid continue token: {wrong}")
