"""Forms of configuration files: JSON, YAML, and lines of `key = value` with or without sections.

The form follows from the end of the file's name; what ends in nothing known is JSON.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

_YAML = (".yaml", ".yml")
_LINES = (".properties", ".ini", ".cnf", ".conf", ".env", ".cfg")
_SECTION = re.compile(r"\[([^\]]+)\]")
_LINE = re.compile(r"([^=:\s]+)\s*[=:\s]\s*(.*)")
# What drivers read from a variable: `Host=db;Username=me` or `host=db user=me`.
_PAIR = re.compile(r"([^=;\s][^=;]*?)\s*=\s*('[^']*'|[^;\s]*)")


class FormError(ValueError):
    """A text that does not have the form of its file.

    Attributes:
        at: Offset of the character that does not fit; None where that is not known.
    """

    def __init__(self, text: str, at: int | None = None) -> None:
        super().__init__(text)
        self.at = at


class _WithoutAliases(yaml.SafeLoader):
    """Aliases could make a short text a value of any size; configuration files have none."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """As the base class has it."""
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.constructor.ConstructorError(problem="alias", problem_mark=event.start_mark)
        return super().compose_node(parent, index)


def parsed(text: str, path: str) -> Any:
    """The content of a configuration file.

    Args:
        text: The file.
        path: Its path, whose suffix defines its form.

    Raises:
        FormError: It does not have that form.
    """
    content, wrong = _parsed(text, _form(path))
    if wrong is not None:
        raise FormError(str(wrong), wrong.at)
    return content


def value_at(text: str, path: str, key: str) -> str | None:
    """A value by its key, dotted for nested ones; None where it is not there.

    Values that are no text are written as JSON.
    """
    try:
        value = parsed(text, path)
    except FormError:
        return None
    if isinstance(value, dict) and key in value:
        value = value[key]
    else:
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, default=str)


def value_in(text: str, key: str) -> str | None:
    """A part of a connection string; None where it has none.

    Args:
        text: A URL, or pairs with semicolons or spaces between them.
        key: Of a URL `scheme`, `host`, `port`, `user`, `password`, `path` (without its slash) or the
            name of a parameter; of pairs the name, in any case.
    """
    if "://" in text:
        return _in_url(text, key)
    pairs = {found[1].lower(): found[2].strip("'") for found in _PAIR.finditer(text)}
    return pairs.get(key.lower())


def _in_url(text: str, key: str) -> str | None:
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        return None
    parts = {
        "scheme": url.scheme,
        "host": url.hostname,
        "port": None if port is None else str(port),
        "user": url.username,
        "password": url.password,
        "path": url.path.lstrip("/"),
    }
    if key not in parts:
        return value_in(url.query.replace("&", ";"), key)
    found = parts[key]
    return unquote(found) if found else None


def _form(path: str) -> str:
    if path.endswith(_YAML):
        return "yaml"
    return "lines" if path.endswith(_LINES) else "json"


@lru_cache(maxsize=256)
def _parsed(text: str, form: str) -> tuple[Any, FormError | None]:
    """The content, or what is wrong: a program that does not come up reads its file again and again."""
    if form == "lines":
        return _lines(text), None
    try:
        content = json.loads(text) if form == "json" else yaml.load(text, _WithoutAliases)  # noqa: S506 - a safe one
    except json.JSONDecodeError as error:
        return None, FormError(str(error), error.pos)
    except yaml.MarkedYAMLError as error:
        return None, FormError(str(error.problem), getattr(error.problem_mark, "index", None))
    except (ValueError, RecursionError) as error:
        return None, FormError(str(error))
    return content, None


def _lines(text: str) -> dict[str, Any]:
    """Keys and values line by line; those below `[section]` are nested in it."""
    whole: dict[str, Any] = {}
    here = whole
    for line in map(str.strip, text.splitlines()):
        section = _SECTION.fullmatch(line)
        if section:
            here = whole.setdefault(section[1], {})
        elif line and line[0] not in "#;!":
            found = _LINE.fullmatch(line)
            key, value = (found[1], found[2]) if found else (line, "")
            here[key] = value.strip().strip("\"'")
    return whole
