"""The named formats of expressions: `format.dns1123Label().validate(text)`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_cluster_embedded.api.base64_words import Base64Error, decode
from sregym_cluster_embedded.api.cel.operators import no_overload
from sregym_cluster_embedded.api.cel.values import CelError, Optional, timestamp
from sregym_cluster_embedded.api.validation import formats

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Problems = Callable[[str], list[str]]

_UUID = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True)
class Format:
    """`format.dns1123Label()`."""

    name: str
    type_name: ClassVar[str] = "kubernetes.NamedFormat"


def _of(check: Callable[[str, str], list[Any]]) -> Problems:
    def run(text: str) -> list[str]:
        causes = check("", text)
        return [cause.message.partition(": ")[2].partition(": ")[2] for cause in causes]

    return run


def _beginning(check: Callable[[str, str], list[Any]]) -> Problems:
    """Of a name to which the server adds an end: what it ends with, it need not end with."""
    return lambda text: _of(check)(f"{text[:-1]}a" if text.endswith("-") else text)


def _tried(read: Callable[[str], Any], what: str) -> Problems:
    def run(text: str) -> list[str]:
        try:
            read(text)
        except (ValueError, CelError, Base64Error):
            return [what]
        return []

    return run


def _day(text: str) -> date:
    if len(text) != len("2020-01-01"):
        raise ValueError(text)
    return date.fromisoformat(text)


def _uri(text: str) -> list[str]:
    """What Go says of the URI of a request."""
    shown = text.replace("\\", "\\\\").replace('"', '\\"')
    if not text:
        return ['parse "": empty url']
    if any(ord(sign) < ord(" ") or ord(sign) == 0x7F for sign in text):
        return [f'parse "{shown}": net/url: invalid control character in URL']
    if not (text.startswith("/") or text == "*" or _SCHEME.match(text)):
        return [f'parse "{shown}": invalid URI for request']
    if " " in text.partition("://")[2].partition("/")[0]:
        return [f'parse "{shown}": invalid character " " in host name']
    return []


_FORMATS: Mapping[str, Problems] = MappingProxyType(
    {
        "dns1123Label": _of(formats.label),
        "dns1123Subdomain": _of(formats.subdomain),
        "dns1035Label": _of(formats.service_name),
        "qualifiedName": _of(formats.qualified),
        "dns1123LabelPrefix": _beginning(formats.label),
        "dns1123SubdomainPrefix": _beginning(formats.subdomain),
        "dns1035LabelPrefix": _beginning(formats.service_name),
        "labelValue": formats.label_value_problems,
        "uri": _uri,
        "uuid": lambda text: [] if _UUID.fullmatch(text) else ["does not match the UUID format"],
        "byte": _tried(decode, "invalid base64"),
        "date": _tried(_day, "invalid date"),
        "datetime": _tried(timestamp, "invalid datetime"),
    }
)


def _named(name: Any) -> Optional:
    return Optional((Format(name),)) if name in _FORMATS else Optional()


def _validate(target: Any, value: Any) -> Optional:
    if not isinstance(target, Format) or not isinstance(value, str):
        raise no_overload()
    texts = _FORMATS[target.name](value)
    return Optional((texts,)) if texts else Optional()


NAMES = tuple(_FORMATS)
FUNCTIONS: Mapping[tuple[str, bool, int], Callable[..., Any]] = {
    ("format.named", False, 1): _named,
    **{(f"format.{name}", False, 0): (lambda name=name: Format(name)) for name in NAMES},
    ("validate", True, 2): _validate,
}
