"""Files of feature flags in the form of flagd: what they say, and what is wrong with them."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.userland.targeting import TargetingError, applied, unknown_operators

if TYPE_CHECKING:
    from collections.abc import Mapping


class FlagFile(NamedTuple):
    """What a file says.

    Attributes:
        flags: Name -> definition.
        refused: Why the file is not taken at all, in flagd's words; empty when it is.
        warned: What is odd about it; empty for nothing.
    """

    flags: Mapping[str, Any]
    refused: str = ""
    warned: str = ""


class FlagAnswer(NamedTuple):
    """The answer to who asks for a flag.

    Attributes:
        value: None where there is none.
        variant: Its name.
        reason: `STATIC`, `TARGETING_MATCH`, `DEFAULT`; empty for an error.
        error: `FLAG_NOT_FOUND`, `PARSE_ERROR`; empty when there is an answer.
        details: More of the error.
    """

    value: Any = None
    variant: str = ""
    reason: str = ""
    error: str = ""
    details: str = ""


@lru_cache(maxsize=64)
def read_flags(text: str) -> FlagFile:
    """The flags of a file; rules that are named in it stand where they are referred to."""
    try:
        return _read(text)
    except RecursionError:  # as parsers of Go say of what is nested too deeply
        return FlagFile({}, "transposing evaluators: unmarshal: exceeded max depth")


def _read(text: str) -> FlagFile:
    try:
        whole = json.loads(text)
    except ValueError as error:
        return FlagFile({}, f"transposing evaluators: unmarshal: {_words(text, error)}")
    flags = whole.get("flags") if isinstance(whole, dict) else None
    if not isinstance(flags, dict):
        return FlagFile({})
    rules = whole.get("$evaluators")
    found = {name: _resolved(flag, rules if isinstance(rules, dict) else {}) for name, flag in flags.items()}  # fmt: skip
    warned: list[str] = []
    for name, flag in found.items():
        if not isinstance(flag, dict):
            continue
        default = flag.get("defaultVariant")
        if default not in (None, "") and default not in (flag.get("variants") or {}):
            refused = f"default variant: '{default}' isn't a valid variant of flag: '{name}'"
            return FlagFile({}, refused)
        warned += [
            f"flags.{name}.targeting: Additional property {operator} is not allowed"
            for operator in dict.fromkeys(unknown_operators(flag.get("targeting")))
        ]
    odd = "flag definition does not conform to the schema; validation errors: "
    return FlagFile(found, "", odd + ", ".join(warned) if warned else "")


def flag_answer(
    flags: Mapping[str, Any], key: str, context: Mapping[str, Any], now: float
) -> FlagAnswer:
    """What flags say to who asks for one of them.

    Args:
        flags: Of a file.
        key: Name of the flag.
        context: About who asks.
        now: Seconds since 1970.
    """
    flag = flags.get(key)
    if not isinstance(flag, dict):
        return FlagAnswer(error="FLAG_NOT_FOUND", details=f"flag `{key}` does not exist")
    if flag.get("state") != "ENABLED":
        return FlagAnswer(error="FLAG_NOT_FOUND", details=f"flag `{key}` is disabled")
    variants = flag.get("variants") or {}
    default, rule = str(flag.get("defaultVariant", "")), flag.get("targeting")
    if not rule:
        return FlagAnswer(variants.get(default), default, "STATIC")
    given = {**context, "$flagd": {"flagKey": key, "timestamp": int(now)}}
    broken = FlagAnswer(error="PARSE_ERROR", details=f"error parsing the flag `{key}`")
    try:
        found = applied(rule, given)
    except (TargetingError, IndexError, TypeError, AttributeError, RecursionError):
        return broken
    if found is None:
        return FlagAnswer(variants.get(default), default, "DEFAULT")
    variant = found if isinstance(found, str) else json.dumps(found)
    if variant not in variants:
        return broken
    return FlagAnswer(variants[variant], variant, "TARGETING_MATCH")


def has_rule(flags: Mapping[str, Any], key: str) -> bool:
    """Whether what a flag says depends on who asks, and when."""
    flag = flags.get(key)
    return isinstance(flag, dict) and bool(flag.get("targeting"))


def _resolved(part: Any, rules: Mapping[str, Any], depth: int = 0) -> Any:
    """A part of a file with `{"$ref": name}` replaced."""
    if depth > 16:
        return part
    if isinstance(part, list):
        return [_resolved(one, rules, depth) for one in part]
    if not isinstance(part, dict):
        return part
    if set(part) == {"$ref"} and part["$ref"] in rules:
        return _resolved(rules[part["$ref"]], rules, depth + 1)
    return {name: _resolved(one, rules, depth) for name, one in part.items()}


def _words(text: str, error: ValueError) -> str:
    """Go's account of a text that is no JSON."""
    at = getattr(error, "pos", 0)
    if not text.strip() or at >= len(text.rstrip()):
        return "unexpected end of JSON input"
    return f"invalid character {text[at]!r} looking for beginning of value"
