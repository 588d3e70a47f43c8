"""YAML as kubectl reads it: a `y` is true, `1e3` a number, timestamps and `1:30` are strings."""

from __future__ import annotations

import math
import re

import yaml

from sregym_cluster_embedded.api.aliases import MergingLoader

_CORE = "tag:yaml.org,2002:"
_TRUTH = re.compile(
    r"(?:y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE"
    r"|on|On|ON|off|Off|OFF)$"
)
_INTEGER = re.compile(r"[-+]?(?:0[bB][01_]+|0[xX][0-9a-fA-F_]+|0[oO]?[0-7_]+|0|[1-9][0-9_]*)$")
_FLOAT = re.compile(
    r"(?:[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
)
# What stands instead of the library's own ideas, in the order in which it is tried.
_RESOLVERS = (
    ("bool", _TRUTH, "yYnNtTfFoO"),
    ("int", _INTEGER, "+-0123456789"),
    ("float", _FLOAT, "+-.0123456789"),
)
_REPLACED = frozenset(_CORE + tag for tag in ("bool", "int", "float", "timestamp", "value"))
# From here on Go writes floats with an exponent.
_EXACT = 1e21


class Loader(MergingLoader):
    """Reads documents with the scalars of Go's decoder."""


def _integer(_: Loader, node: yaml.ScalarNode) -> int:
    text = node.value.replace("_", "").lower()
    digits = text.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        text = f"{text[: len(text) - len(digits)]}0o{digits[1:]}"
    return int(text, 0)


def _truth(_: Loader, node: yaml.ScalarNode) -> bool:
    return node.value.lower() in ("y", "yes", "true", "on")


def _float(_: Loader, node: yaml.ScalarNode) -> float | int:
    text = node.value.replace("_", "")
    found = float(text) if text.lstrip("+-")[1:2] not in ("i", "I", "n", "N") else math.inf
    if not math.isfinite(found):
        raise yaml.YAMLError("a number that JSON does not know")
    # As JSON it is written without a point.
    return int(found) if found.is_integer() and abs(found) < _EXACT else found


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """Which plain scalars are no strings, by their first letter."""
    found = {
        first: [entry for entry in resolvers if entry[0] not in _REPLACED]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }
    for tag, pattern, letters in _RESOLVERS:
        for letter in letters:
            found.setdefault(letter, []).append((_CORE + tag, pattern))
    return found


Loader.yaml_implicit_resolvers = _resolvers()
Loader.add_constructor(f"{_CORE}int", _integer)
Loader.add_constructor(f"{_CORE}bool", _truth)
Loader.add_constructor(f"{_CORE}float", _float)
