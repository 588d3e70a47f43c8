"""Named formats of expressions: `format.date().validate(text)`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_cel.base64_text import Base64Error, decode
from sregym_cel.kinds import Kind
from sregym_cel.libraries import Library
from sregym_cel.operators import no_overload
from sregym_cel.signatures import Overload
from sregym_cel.values import CelError, Opaque, Optional, timestamp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Problems = Callable[[str], list[str]]

FORMAT = Kind("kubernetes.NamedFormat")
_UUID = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True)
class Format(Opaque):
    """`format.date()`.

    Attributes:
        name: What it is called.
        problems: What is wrong with a text.
    """

    name: str
    problems: Problems
    type_name: ClassVar[str] = "kubernetes.NamedFormat"


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


STANDARD: Mapping[str, Problems] = MappingProxyType(
    {
        "uri": _uri,
        "uuid": lambda text: [] if _UUID.fullmatch(text) else ["does not match the UUID format"],
        "byte": _tried(decode, "invalid base64"),
        "date": _tried(_day, "invalid date"),
        "datetime": _tried(timestamp, "invalid datetime"),
    }
)


def _validate(target: Any, value: Any) -> Optional:
    if not isinstance(target, Format) or not isinstance(value, str):
        raise no_overload()
    texts = target.problems(value)
    return Optional((texts,)) if texts else Optional()


def library(formats: Mapping[str, Problems] = STANDARD) -> Library:
    """The functions `format.<name>()`, `format.named(name)` and `<format>.validate(text)`.

    Args:
        formats: By name, what gives the problems of a text: none for one that is as it should be.
    """
    known = {name: Format(name, problems) for name, problems in formats.items()}

    def named(name: Any) -> Optional:
        return Optional((known[name],)) if name in known else Optional()

    return Library(
        functions={
            ("format.named", False, 1): named,
            **{
                (f"format.{name}", False, 0): (lambda found=found: found)
                for name, found in known.items()
            },
            ("validate", True, 2): _validate,
        },
        overloads={f"format.{name}": (Overload((), FORMAT),) for name in known},
        types=frozenset((Format.type_name,)),
    )
