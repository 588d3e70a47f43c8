"""Functions of templates, and those that Go's templates have by themselves."""

from __future__ import annotations

import html
import inspect
import operator
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

from sregym_gotemplate.errors import FunctionError
from sregym_gotemplate.printing import formatted, printed, printed_line, shown, type_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Function:
    """What a template may call.

    Attributes:
        run: What gives its value. It raises one of the `failures` of the access to values.
        least: How many arguments it needs.
        more: Whether there may be more.
        of_context: Whether it is given what the template is carried out for, before its arguments.
    """

    run: Callable[..., Any]
    least: int
    more: bool = False
    of_context: bool = False

    def complaint(self, name: str, given: int, piped: int) -> str:
        """What is said of a call with too few or too many arguments; empty if they are right.

        Args:
            name: What the function is called.
            given: How many arguments stand behind it.
            piped: How many come out of the command before.
        """
        if self.more:
            right = given + piped >= self.least
            # What comes out of the command before is not counted then.
            message = f"want at least {self.least} got {given}"
        else:
            right = given + piped == self.least
            message = f"want {self.least} got {given + piped}"
        return "" if right else f"wrong number of args for {name}: {message}"


@dataclass(frozen=True)
class Deciding(Function):
    """`and` and `or`: the first argument whose truth decides, and no argument behind it is looked at.

    Attributes:
        truth: That of what decides.
    """

    truth: bool = True


def function(run: Callable[..., Any]) -> Function:
    """A function that takes what `run` takes: those with defaults may be left out."""
    parameters = inspect.signature(run).parameters.values()
    needed = [one for one in parameters if one.kind != one.VAR_POSITIONAL]
    required = [one for one in needed if one.default is one.empty]
    return Function(run, len(required), len(required) < len(parameters))


AND = Deciding(lambda *values: values[-1], 1, more=True, truth=False)
OR = Deciding(lambda *values: values[-1], 1, more=True, truth=True)
_SCRIPT = {
    **{"\\": "\\\\", "'": "\\'", '"': '\\"'},
    **{sign: f"\\u{ord(sign):04X}" for sign in "<>&="},
}


def script(*values: Any) -> str:
    """As JavaScript may hold it between quotes."""
    return "".join(
        _SCRIPT.get(sign) or (sign if sign.isprintable() else f"\\u{ord(sign):04X}")
        for sign in _plain(*values)
    )


def markup(*values: Any) -> str:
    """As HTML may hold it."""
    return html.escape(_plain(*values)).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")


def _plain(*values: Any) -> str:
    return "<no value>" if values == (None,) else printed(*values)


def _length(value: Any) -> int:
    if isinstance(value, str):
        return len(value.encode(errors="surrogatepass"))
    if isinstance(value, list | dict):
        return len(value)
    if value is None:
        raise FunctionError("reflect: call of reflect.Value.Type on zero Value")
    raise FunctionError(f"len of type {type_name(value)}")


def _place(key: Any, size: int, what: str) -> int:
    if isinstance(key, bool) or not isinstance(key, int):
        kind = "nil" if key is None else f"type {type_name(key)}"
        raise FunctionError(f"cannot index slice/array with {kind}")
    if not 0 <= key < size + (what == "slice"):
        raise FunctionError(f"index out of range: {key}")
    return key


def _index(value: Any, *keys: Any) -> Any:
    if value is None:
        raise FunctionError("index of untyped nil")
    for key in keys:
        if isinstance(value, dict):
            if not isinstance(key, str):
                message = f"value has type {type_name(key)}; should be string"
                raise FunctionError(
                    "value is nil; should be of type string" if key is None else message
                )
            value = value.get(key)
        elif isinstance(value, list):
            value = value[_place(key, len(value), "index")]
        elif isinstance(value, str):
            raw = value.encode(errors="surrogatepass")
            value = raw[_place(key, len(raw), "index")]
        elif value is None:
            raise FunctionError("index of nil pointer")
        else:
            raise FunctionError(f"can't index item of type {type_name(value)}")
    return value


def _slice(value: Any, *keys: Any) -> Any:
    if value is None:
        raise FunctionError("slice of untyped nil")
    if len(keys) > 3:
        raise FunctionError(f"too many slice indexes: {len(keys)}")
    if isinstance(value, str):
        raw: Any = value.encode(errors="surrogatepass")
        if len(keys) == 3:
            raise FunctionError("cannot 3-index slice a string")
    elif isinstance(value, list):
        raw = value
    else:
        raise FunctionError(f"can't slice item of type {type_name(value)}")
    first, last = (*(_place(key, len(raw), "slice") for key in keys), 0, len(raw))[:2]
    if len(keys) == 1:
        last = len(raw)
    if first > last:
        raise FunctionError(f"invalid slice index: {first} > {last}")
    part = raw[first:last]
    return part.decode(errors="replace") if isinstance(value, str) else part


_BASIC = ("bool", "float64", "int", "string")


def _kind(value: Any) -> str:
    return "nil" if value is None else type_name(value)


def _equal(first: Any, *others: Any) -> bool:
    if not others:
        raise FunctionError("missing argument for comparison")
    for other in others:
        for value in (first, other):
            if isinstance(value, list | dict):
                kind = type_name(value)
                raise FunctionError(f"non-comparable type {shown(value)}: {kind}")
        one, another = _kind(first), _kind(other)
        if "nil" not in (one, another) and one != another:
            raise FunctionError(f"incompatible types for comparison: {one} and {another}")
        if one == another and first == other:
            return True
    return False


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compared(left: Any, right: Any) -> bool:
        one, another = _kind(left), _kind(right)
        if one not in _BASIC or another not in _BASIC:
            raise FunctionError("invalid type for comparison")
        if one != another:
            raise FunctionError(f"incompatible types for comparison: {one} and {another}")
        if one == "bool":
            raise FunctionError("invalid type for comparison")
        return test(left, right)

    return compared


def _printf(form: Any, *values: Any) -> str:
    if not isinstance(form, str):
        raise FunctionError(f"expected string; found {shown(form)}")
    return formatted(form, *values)


BUILTINS: Mapping[str, Function] = MappingProxyType(
    {
        "and": AND,
        "or": OR,
        "not": Function(operator.not_, 1),
        "len": Function(_length, 1),
        "index": function(_index),
        "slice": function(_slice),
        "print": function(printed),
        "printf": function(_printf),
        "println": function(printed_line),
        "html": function(markup),
        "js": function(script),
        "urlquery": function(lambda *values: quote_plus(_plain(*values))),
        "eq": Function(_equal, 1, more=True),
        "ne": Function(lambda left, right: not _equal(left, right), 2),
        "lt": function(_ordered(operator.lt)),
        "le": function(_ordered(operator.le)),
        "gt": function(_ordered(operator.gt)),
        "ge": function(_ordered(operator.ge)),
    }
)
