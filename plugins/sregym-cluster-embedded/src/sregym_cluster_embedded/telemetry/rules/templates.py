"""The templates of labels and annotations: Go's, with Prometheus' functions but those that ask queries."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_gotemplate import (
    BUILTINS,
    Access,
    FunctionError,
    ParseError,
    Template,
    TemplateError,
    compile_template,
    function,
)
from sregym_gotemplate.printing import type_name
from sregym_regex.budget import cached
from sregym_regex.go import PatternError, anywhere
from sregym_regex.go_expansion import expanded as _expansion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_gotemplate import Function

# What Prometheus writes in front of each template: columns of messages count it.
_HEAD = (
    "{{$labels := .Labels}}{{$externalLabels := .ExternalLabels}}"
    "{{$externalURL := .ExternalURL}}{{$value := .Value}}"
)


class _Values(Access):
    """A label that is not there is the empty word."""

    failures: ClassVar[tuple[type[Exception], ...]] = (
        *(FunctionError, PatternError, TypeError, ValueError),
    )

    def field(self, value: Any, name: str) -> Any:
        """A label, or an empty text."""
        if isinstance(value, dict):
            return value.get(name, "")
        raise FunctionError(f"can't evaluate field {name} in type {type_name(value)}")


def check(template: str) -> None:
    """Refuse what cannot be expanded.

    Raises:
        ParseError: It is no template; `what` says what is wrong.
    """
    _compiled(template, "")


def expanded(template: str, labels: Mapping[str, str], value: float, alert: str = "") -> str:
    """The text that a template makes of an alert's labels and value, or of what goes wrong.

    Args:
        template: Its text.
        labels: Of the alert.
        value: Of its expression.
        alert: The alert's name, for messages.
    """
    if "{{" not in template:
        return template
    data = {"Labels": dict(labels), "ExternalLabels": {}, "ExternalURL": "", "Value": value}
    try:
        return _compiled(template, alert).render(data)
    except TemplateError as error:
        doing = "parsing" if isinstance(error, ParseError) else "executing"
        return f"<error expanding template: error {doing} template __alert_{alert}: {error}>"


@cached(256)
def _compiled(template: str, alert: str) -> Template:
    return compile_template(_HEAD + template, f"__alert_{alert}", FUNCTIONS, _Values())


def _number(value: Any) -> float:
    """A number, or the number that a text is.

    Raises:
        FunctionError: In Go's words.
    """
    try:
        return float(value)
    except (TypeError, ValueError):
        message = f'strconv.ParseFloat: parsing "{value}": invalid syntax'
        raise FunctionError(message) from None


def _humanize(value: Any) -> str:
    """With a prefix of units, four digits."""
    number = _number(value)
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


def _humanize_1024(value: Any) -> str:
    number, prefix = _number(value), ""
    if abs(number) <= 1 or not math.isfinite(number):
        return f"{number:.4g}"
    for prefix_now in ("ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"):
        if abs(number) < 1024:
            break
        prefix, number = prefix_now, number / 1024
    return f"{number:.4g}{prefix}"


def _humanize_duration(value: Any) -> str:
    seconds = _number(value)
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


def _replaced(pattern: str, replacement: str, text: str) -> str:
    return anywhere(pattern).sub(lambda found: _expansion(replacement, found), text)


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        **BUILTINS,
        "humanize": function(_humanize),
        "humanize1024": function(_humanize_1024),
        "humanizeDuration": function(_humanize_duration),
        "humanizePercentage": function(lambda value: f"{_number(value) * 100:.4g}%"),
        "match": function(lambda pattern, text: anywhere(pattern).search(text) is not None),
        "reReplaceAll": function(_replaced),
        "title": function(lambda text: str(text).title()),
        "toLower": function(lambda text: str(text).lower()),
        "toUpper": function(lambda text: str(text).upper()),
    }
)
