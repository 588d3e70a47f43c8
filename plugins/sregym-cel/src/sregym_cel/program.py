"""From a tree to something that runs: one closure for each part of an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from sregym_cel import macros
from sregym_cel.cost import LEFT, MOST_ITEMS
from sregym_cel.values import (
    CelError,
    CompileError,
    Opaque,
    Optional,
    Type,
    equal,
    type_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cel.environment import Environment
    from sregym_cel.syntax import Node

Variables: TypeAlias = dict[str, Any]
Run: TypeAlias = "Callable[[Variables], Any]"
_TYPES = frozenset(
    (
        *("bool", "bytes", "double", "dyn", "int", "list", "map", "null_type", "string", "type"),
        "uint",
    )
)
_BOOLEAN = frozenset(("_&&_", "_||_", "!_", "_<_", "_<=_", "_>_", "_>=_", "_==_", "_!=_", "@in"))
_BOOLEAN_MACROS = frozenset(("has", "all", "exists", "exists_one", "existsOne"))


class Program:
    """A compiled expression.

    Attributes:
        source: Its text.
        type: The name of the type of its value where the text tells it, else `dyn`.
        reads: The variables it looks at.
    """

    def __init__(self, source: str, run: Run, type_: str, reads: frozenset[str]) -> None:
        self.source = source
        self.type = type_
        self.reads = reads
        self._run = run

    def evaluate(self, variables: Mapping[str, Any], items: int = MOST_ITEMS) -> Any:
        """The value for these variables.

        Args:
            variables: By name; one that is a function without arguments is called when it is read.
            items: How many items all comprehensions together may look at.

        Raises:
            CelError: It has none, or there are more items.
        """
        try:
            return self._run({**variables, LEFT: [items]})
        except RecursionError:
            message = "expression recursion limit exceeded"
            raise CelError(message) from None


def type_of(tree: Node) -> str:
    """The name of the type of an expression where its text tells it, else `dyn`."""
    if tree.kind == "literal":
        return type_name(tree.value)
    if tree.kind in ("list", "map"):
        return tree.kind
    if tree.kind == "call" and (tree.value in _BOOLEAN or tree.value in _BOOLEAN_MACROS):
        return "bool"
    if tree.kind == "call" and tree.value == "_?_:_":
        first, second = type_of(tree.parts[1]), type_of(tree.parts[2])
        return first if first == second else "dyn"
    if tree.kind == "call" and tree.value == "_+_":
        either = {type_of(part) for part in tree.parts}
        return "string" if "string" in either else "dyn"
    return "dyn"


class Compiler:
    """Makes closures of the parts of one expression.

    Attributes:
        reads: The variables that they look at.
    """

    def __init__(self, environment: Environment, source: str, names: tuple[str, ...]) -> None:
        self._environment = environment
        self._source = source
        self.reads: set[str] = set()
        self._names = names

    def node(self, node: Node, known: frozenset[str]) -> Run:
        """The closure of one part; `known` are the variables there."""
        if node.kind == "literal":
            value = node.value
            return lambda _: value
        if node.kind == "name":
            return self._name(node, known)
        if node.kind == "select":
            return self._select(node, known)
        if node.kind == "index":
            target, key = (self.node(part, known) for part in node.parts)
            step = _optional_step if node.optional else _index
            return lambda v: step(target(v), key(v))
        if node.kind == "list":
            return self._list(node, known)
        if node.kind == "map":
            return self._map(node, known)
        return self._call(node, known)

    def _name(self, node: Node, known: frozenset[str]) -> Run:
        name = node.value
        if name in known:
            if name in self._names:
                self.reads.add(name)
            return lambda v: _held(v[name])
        if name in _TYPES:
            type_ = Type(name)
            return lambda _: type_
        message = f"undeclared reference to '{name}' (in container '')"
        raise CompileError(message, node.offset, self._source)

    def _select(self, node: Node, known: frozenset[str]) -> Run:
        type_ = _type_named(node, known, self._environment.types)
        if type_ is not None:
            return lambda _: type_
        target = self.node(node.parts[0], known)
        name = node.value
        if node.optional:
            return lambda v: _optional_step(target(v), name)
        return lambda v: _field(target(v), name)

    def _list(self, node: Node, known: frozenset[str]) -> Run:
        items = [self.node(part, known) for part in node.parts]
        optional = frozenset(node.optional or ())  # type: ignore[arg-type]
        if not optional:
            return lambda v: [item(v) for item in items]

        def run(variables: Variables) -> list[Any]:
            found: list[Any] = []
            for position, item in enumerate(items):
                value = item(variables)
                if position in optional:
                    found.extend(_as_optional(value).held)
                else:
                    found.append(value)
            return found

        return run

    def _map(self, node: Node, known: frozenset[str]) -> Run:
        parts = [self.node(part, known) for part in node.parts]
        pairs = list(zip(parts[::2], parts[1::2], strict=True))
        optional = frozenset(node.optional or ())  # type: ignore[arg-type]

        def run(variables: Variables) -> dict[Any, Any]:
            found: dict[Any, Any] = {}
            for position, (key, value) in enumerate(pairs):
                name = key(variables)
                if not isinstance(name, str | int | bool):
                    message = "unsupported key type"
                    raise CelError(message)
                item = value(variables)
                if position not in optional:
                    found[name] = item
                elif _as_optional(item).held:
                    found[name] = item.held[0]
            return found

        return run

    def _call(self, node: Node, known: frozenset[str]) -> Run:
        special = _LAZY.get(node.value)
        if special is not None and not node.method:
            return special(*(self.node(part, known) for part in node.parts))
        macro = macros.find(node)
        if macro is not None:
            return macro(self, node, known)
        name, parts, method = node.value, node.parts, node.method
        if (
            method
            and parts[0].kind == "name"
            and f"{parts[0].value}.{name}" in self._environment.names
        ):
            name, parts, method = f"{parts[0].value}.{name}", parts[1:], False
        function = self._environment.functions.get((name, method, len(parts)))
        arguments = [self.node(part, known) for part in parts]
        if function is None:
            self._unknown(node, name, parts, method)
        assert function is not None
        return lambda v: function(*[argument(v) for argument in arguments])

    def _unknown(self, node: Node, name: str, parts: tuple[Node, ...], method: bool) -> None:
        if name not in self._environment.names:
            message = f"undeclared reference to '{name}' (in container '')"
            raise CompileError(message, node.offset, self._source)
        types = [type_of(part) for part in parts]
        applied = f"{types[0]}.({', '.join(types[1:])})" if method else f"({', '.join(types)})"
        message = f"found no matching overload for '{name}' applied to '{applied}'"
        raise CompileError(message, node.offset, self._source)

    def refuse(self, message: str, node: Node) -> CompileError:
        """What is wrong with a macro, at its place."""
        return CompileError(message, node.offset, self._source)


def _type_named(node: Node, known: frozenset[str], types: frozenset[str]) -> Type | None:
    """The type that names with dots stand for, if they do: `net.IP`."""
    parts = [node.value]
    while (node := node.parts[0]).kind == "select":
        parts.append(node.value)
    if node.kind != "name" or node.value in known:
        return None
    name = ".".join((node.value, *reversed(parts)))
    return Type(name) if name in types else None


def _held(value: Any) -> Any:
    """A variable that is worked out when it is first read comes as a function without arguments."""
    return value() if callable(value) and not isinstance(value, type) else value


def _as_optional(value: Any) -> Optional:
    if not isinstance(value, Optional):
        message = "no such overload"
        raise CelError(message)
    return value


def _field(target: Any, name: str) -> Any:
    if isinstance(target, Optional):
        return _optional_step(target, name)
    if isinstance(target, Opaque):
        return target.field(name)
    if isinstance(target, list):
        message = "unsupported index type 'string' in list"
        raise CelError(message)
    if not isinstance(target, dict) or name not in target:
        message = f"no such key: {name}"
        raise CelError(message)
    return target[name]


def _index(target: Any, key: Any) -> Any:
    if isinstance(target, Optional):
        return _optional_step(target, key)
    if isinstance(target, list):
        if isinstance(key, float) and key.is_integer():
            key = int(key)
        if isinstance(key, bool) or not isinstance(key, int):
            message = f"unsupported index type '{type_name(key)}' in list"
            raise CelError(message)
        if not 0 <= key < len(target):
            message = f"index out of bounds: {key}"
            raise CelError(message)
        return target[key]
    if not isinstance(target, dict) or isinstance(key, list | dict) or key not in target:
        message = f"no such key: {key}"
        raise CelError(message)
    return target[key]


def _optional_step(target: Any, key: Any) -> Optional:
    if isinstance(target, Optional):
        return _optional_step(target.held[0], key) if target.held else target
    if isinstance(target, dict) and not isinstance(key, list | dict):
        return Optional((target[key],)) if key in target else Optional()
    if not isinstance(target, list):
        return Optional()
    if isinstance(key, bool) or not isinstance(key, int):
        message = f"unsupported index type '{type_name(key)}' in list"
        raise CelError(message)
    return Optional((target[key],)) if 0 <= key < len(target) else Optional()


def _and(left: Run, right: Run) -> Run:
    return lambda v: _logical(left, right, v, deciding=False)


def _or(left: Run, right: Run) -> Run:
    return lambda v: _logical(left, right, v, deciding=True)


def _logical(left: Run, right: Run, variables: Variables, deciding: bool) -> bool:
    """`&&` and `||`: one side that decides makes up for a failure of the other."""
    failure: CelError | None = None
    for side in (left, right):
        try:
            value = side(variables)
        except CelError as error:
            failure = failure or error
            continue
        if value is deciding:
            return bool(deciding)
        if not isinstance(value, bool):
            failure = failure or CelError("no such overload")
    if failure is not None:
        raise failure
    return not deciding


def _choose(condition: Run, first: Run, second: Run) -> Run:
    def run(variables: Variables) -> Any:
        value = condition(variables)
        if not isinstance(value, bool):
            message = "no such overload"
            raise CelError(message)
        return first(variables) if value else second(variables)

    return run


_LAZY: Mapping[str, Callable[..., Run]] = {
    "_&&_": _and,
    "_||_": _or,
    "_?_:_": _choose,
    "_==_": lambda left, right: lambda v: equal(left(v), right(v)),
    "_!=_": lambda left, right: lambda v: not equal(left(v), right(v)),
}
