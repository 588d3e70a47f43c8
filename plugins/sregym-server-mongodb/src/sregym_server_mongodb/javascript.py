"""A small JavaScript: enough for what people type into a database's shell.

Literals, variables, operators, member and method chains, conditions, blocks, try/catch, and
functions as arguments. Nothing of it reaches Python's own evaluation.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import allocate, spend

from sregym_server_mongodb.script import (
    UNDEFINED,
    ScriptError,
    Tree,
    Undefined,
)
from sregym_server_mongodb.shell_methods import called

if TYPE_CHECKING:
    from collections.abc import Callable


class Host:
    """An object of the shell: methods and properties by name."""

    def get(self, name: str) -> Any:
        """A property; a callable for a method."""
        return getattr(self, f"js_{name}", UNDEFINED)


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Evaluator:
    """Runs statements with a set of global names.

    Args:
        names: Global name -> value.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def run(self, statements: list[Tree]) -> Any:
        """The value of the last expression statement."""
        value: Any = UNDEFINED
        for statement in statements:
            kind = statement[0]
            if kind == "expression":
                value = self.value(statement[1])
            elif kind == "declare":
                for name, tree in statement[1]:
                    self.names[name] = self.value(tree)
            elif kind == "if":
                chosen = statement[2] if truthy(self.value(statement[1])) else statement[3]
                value = self.run(chosen)
            elif kind == "while":
                while truthy(self.value(statement[1])):
                    spend(3)
                    value = self.run(statement[2])
            elif kind == "try":
                value = self._try(statement)
            elif kind == "return":
                raise _Return(self.value(statement[1]))
            elif kind == "throw":
                thrown = self.value(statement[1])
                raise ScriptError(
                    str(thrown.get("message") if isinstance(thrown, dict) else thrown)
                )
        return value

    def _try(self, statement: Tree) -> Any:
        try:
            return self.run(statement[1])
        except ScriptError as error:
            self.names[statement[2]] = {"message": error.message, "code": error.code}
            return self.run(statement[3])

    def value(self, tree: Tree) -> Any:
        """The value of an expression."""
        spend(3)
        kind = tree[0]
        if kind == "value":
            return tree[1]
        if kind == "name":
            if tree[1] not in self.names:
                raise ScriptError(f"{tree[1]} is not defined", name="ReferenceError")
            return self.names[tree[1]]
        if kind == "array":
            return [self.value(item) for item in tree[1]]
        if kind == "object":
            return {name: self.value(item) for name, item in tree[1]}
        if kind == "function":
            return self._function(tree[1], tree[2])
        if kind == "ternary":
            return self.value(tree[2] if truthy(self.value(tree[1])) else tree[3])
        if kind == "assign":
            return self._assign(tree[1], self.value(tree[2]))
        if kind == "unary":
            return self._unary(tree[1], tree[2])
        if kind == "binary":
            return self._binary(tree[1], tree[2], tree[3])
        if kind == "member":
            return self._member(self.value(tree[1]), self.value(tree[2]), tree)
        return self._call(tree)

    def _function(self, names: list[str], body: list[Tree]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            kept = dict(self.names)
            self.names.update(zip(names, arguments, strict=False))
            try:
                self.run(body)
            except _Return as result:
                return result.value
            finally:
                for name in names:
                    self.names.pop(name, None)
                    if name in kept:
                        self.names[name] = kept[name]
            return UNDEFINED

        return call

    def _assign(self, place: Tree, value: Any) -> Any:
        if place[0] == "name":
            self.names[place[1]] = value
        elif place[0] == "member":
            holder, key = self.value(place[1]), self.value(place[2])
            if isinstance(holder, dict) or (isinstance(holder, list) and isinstance(key, int)):
                holder[key] = value
        return value

    def _unary(self, operator: str, tree: Tree) -> Any:
        if operator == "typeof":
            known = tree[0] != "name" or tree[1] in self.names
            return type_name(self.value(tree) if known else UNDEFINED)
        value = self.value(tree)
        if operator == "!":
            return not truthy(value)
        return -value if operator == "-" else value

    def _binary(self, operator: str, first: Tree, second: Tree) -> Any:
        left = self.value(first)
        if operator == "&&":
            return self.value(second) if truthy(left) else left
        if operator == "||":
            return left if truthy(left) else self.value(second)
        right = self.value(second)
        if operator in ("==", "==="):
            return left == right
        if operator in ("!=", "!=="):
            return left != right
        if operator == "+" and (isinstance(left, str) or isinstance(right, str)):
            head, tail = text_of(left), text_of(right)
            # What was is still there while what comes is made.
            allocate(2 * (len(head) + len(tail)))
            return head + tail
        try:
            return _ARITHMETIC[operator](left, right)
        except (TypeError, ZeroDivisionError):
            return float("nan")

    def _member(self, holder: Any, key: Any, tree: Tree) -> Any:
        if holder is UNDEFINED or holder is None:
            shown = tree[1][1] if tree[1][0] == "name" else "value"
            raise ScriptError(f"{shown} is {text_of(holder)}", name="TypeError")
        if isinstance(holder, Host):
            return holder.get(str(key))
        if isinstance(holder, dict) and key in holder:
            return holder[key]
        if isinstance(holder, list | str):
            return _sequence_member(holder, key)
        return UNDEFINED

    def _call(self, tree: Tree) -> Any:
        function = self.value(tree[1])
        if not callable(function):
            raise ScriptError(f"{_shown(tree[1])} is not a function", name="TypeError")
        return called(function, [self.value(argument) for argument in tree[2]])


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}


def _sequence_member(holder: list[Any] | str, key: Any) -> Any:
    if key == "length":
        return len(holder)
    if isinstance(key, int):
        return holder[key] if 0 <= key < len(holder) else UNDEFINED
    if isinstance(holder, list):
        return {
            "forEach": lambda f: _each(holder, f),
            "map": lambda f: [f(item) for item in holder],
            "filter": lambda f: [item for item in holder if truthy(f(item))],
            "find": lambda f: next((item for item in holder if truthy(f(item))), UNDEFINED),
            "some": lambda f: any(truthy(f(item)) for item in holder),
            "every": lambda f: all(truthy(f(item)) for item in holder),
            "slice": partial(_cut, holder),
            "push": holder.append,
            "join": lambda *mark: str(mark[0] if mark else ",").join(map(text_of, holder)),
            "includes": lambda item: item in holder,
            "indexOf": lambda item: holder.index(item) if item in holder else -1,
        }.get(key, UNDEFINED)
    return {
        "toUpperCase": holder.upper,
        "toLowerCase": holder.lower,
        "trim": holder.strip,
        "startsWith": holder.startswith,
        "endsWith": holder.endswith,
        "indexOf": holder.find,
        "replace": lambda old, new: holder.replace(old, new, 1),
        "slice": partial(_cut, holder),
        "includes": lambda part: part in holder,
        "split": holder.split,
    }.get(key, UNDEFINED)


def _cut(text: list[Any] | str, start: int = 0, end: int | None = None) -> Any:
    return text[start:end]


def _each(items: list[Any], function: Callable[[Any], Any]) -> Undefined:
    for item in items:
        function(item)
    return UNDEFINED


def _shown(tree: Tree) -> str:
    if tree[0] == "name":
        return str(tree[1])
    if tree[0] == "member" and tree[2][0] == "value":
        return f"{_shown(tree[1])}.{tree[2][1]}"
    return "(intermediate value)" + ("(...)" if tree[0] == "call" else "")


def truthy(value: Any) -> bool:
    """Whether a value counts as true in JavaScript."""
    if value is UNDEFINED or value is None or value is False or value == "":
        return False
    return not (isinstance(value, int | float) and not isinstance(value, bool) and value == 0)


def type_name(value: Any) -> str:
    """What `typeof` says."""
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int | float):
        return "number"
    return "function" if callable(value) else "object"


def text_of(value: Any) -> str:
    """A value as JavaScript makes it a text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(map(text_of, value))
    if isinstance(value, dict):
        return "[object Object]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
