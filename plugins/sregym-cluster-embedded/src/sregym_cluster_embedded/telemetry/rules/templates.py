"""The templates of labels and annotations: pipelines of `$labels`, `$value`, words and functions.

Of Go's templates this is what rule files use: `{{ $labels.pod }}`, `{{ $value | humanize }}`,
`{{ printf "%.2f" $value }}`. Blocks (`if`, `range`) and queries are refused when a file is read.
"""

from __future__ import annotations

import math
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_promql.answers import number_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_ACTION = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|\||[^\s|]+')
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?")


class TemplateError(ValueError):
    """A template that cannot be read."""


def check(template: str) -> None:
    """Refuse what cannot be expanded.

    Raises:
        TemplateError: Says what.
    """
    if "{{" in _ACTION.sub("", template):
        raise TemplateError("unclosed action")
    for found in _ACTION.finditer(template):
        for command in _commands(found[1]):
            for place, word in enumerate(command):
                _check_word(word, first=place == 0)


def _check_word(word: str, *, first: bool) -> None:
    literal = word[0] in '"`' or _NUMBER.fullmatch(word)
    variable = re.fullmatch(r"\$?\.?(?:labels|Labels|value|Value)(?:\.\w+)?", word)
    if literal or (variable and word[0] in "$."):
        return
    if not first or word not in FUNCTIONS:
        raise TemplateError(f'function "{word}" not defined')


def expanded(template: str, labels: Mapping[str, str], value: float) -> str:
    """The text that a template makes of an alert's labels and value."""

    def put(found: re.Match[str]) -> str:
        result: Any = None
        for number, command in enumerate(_commands(found[1])):
            extra = [result] if number else []
            result = _called(command, extra, labels, value)
        return _shown(result)

    return _ACTION.sub(put, template)


def _commands(text: str) -> list[list[str]]:
    commands: list[list[str]] = [[]]
    for word in _WORD.findall(text):
        if word == "|":
            commands.append([])
        else:
            commands[-1].append(word)
    if not all(commands):
        raise TemplateError("missing value for command")
    return commands


def _called(
    command: Sequence[str], extra: Sequence[Any], labels: Mapping[str, str], value: float
) -> Any:
    function = FUNCTIONS.get(command[0])
    operands = command[1:] if function is not None else command
    arguments = [_operand(word, labels, value) for word in operands]
    return function(*arguments, *extra) if function is not None else arguments[0]


def _operand(word: str, labels: Mapping[str, str], value: float) -> Any:
    if word[0] == '"':
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    if word[0] == "`":
        return word[1:-1]
    if _NUMBER.fullmatch(word):
        return float(word)
    name, _, label = word.lstrip("$.").partition(".")
    if name.lower() == "value":
        return value
    # A label that is not there is the empty word, as in Prometheus.
    return labels.get(label, "") if label else dict(labels)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return _in_go(value)
    if isinstance(value, dict):
        return "map[" + " ".join(f"{name}:{value[name]}" for name in sorted(value)) + "]"
    return str(value)


def _in_go(value: float) -> str:
    """A float as Go's `%v`."""
    exponent = math.floor(math.log10(abs(value))) if value and math.isfinite(value) else 0
    if -5 < exponent < 21:
        return number_text(value)
    mantissa, _, power = f"{value!r}".partition("e")
    return f"{mantissa}e{power}" if power else number_text(value)


def _humanize(value: float) -> str:
    """With a prefix of units, four digits."""
    number = float(value)
    if number == 0 or not math.isfinite(number):
        return f"{number:.4g}"
    prefixes = ("k", "M", "G", "T", "P", "E", "Z", "Y")
    small = ("m", "u", "n", "p", "f", "a", "z", "y")
    prefix = ""
    if abs(number) >= 1:
        for prefix_now in prefixes:
            if abs(number) < 1000:
                break
            prefix, number = prefix_now, number / 1000
    else:
        for prefix_now in small:
            if abs(number) >= 1:
                break
            prefix, number = prefix_now, number * 1000
    return f"{number:.4g}{prefix}"


def _humanize_1024(value: float) -> str:
    number, prefix = float(value), ""
    if abs(number) <= 1 or not math.isfinite(number):
        return f"{number:.4g}"
    for prefix_now in ("ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"):
        if abs(number) < 1024:
            break
        prefix, number = prefix_now, number / 1024
    return f"{number:.4g}{prefix}"


def _humanize_duration(value: float) -> str:
    seconds = float(value)
    if seconds == 0 or not math.isfinite(seconds):
        return f"{seconds:.4g}" + ("s" if seconds == 0 else "")
    if abs(seconds) < 1:
        return _humanize(seconds) + "s"
    sign, whole = ("-" if seconds < 0 else ""), int(abs(seconds))
    days, hours, minutes = whole // 86400, whole // 3600 % 24, whole // 60 % 60
    if days:
        return f"{sign}{days}d {hours}h {minutes}m {whole % 60}s"
    if hours:
        return f"{sign}{hours}h {minutes}m {whole % 60}s"
    if minutes:
        return f"{sign}{minutes}m {whole % 60}s"
    return f"{sign}{abs(seconds):.4g}s"


def _printf(form: str, *values: Any) -> str:
    given = iter(values)

    def put(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        value = next(given)
        return _shown(value) if found[0] in ("%v", "%s") else found[0].replace("d", ".0f") % value

    return re.sub(r"%%|%[+\- 0]*\d*(?:\.\d+)?[vsdfgeq]", put, form)


FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "humanize": _humanize,
        "humanize1024": _humanize_1024,
        "humanizeDuration": _humanize_duration,
        "humanizePercentage": lambda value: f"{float(value) * 100:.4g}%",
        "printf": _printf,
        "title": lambda text: str(text).title(),
        "toLower": lambda text: str(text).lower(),
        "toUpper": lambda text: str(text).upper(),
    }
)
