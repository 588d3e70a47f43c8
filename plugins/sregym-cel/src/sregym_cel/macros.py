"""What looks like a function and binds a variable: `has`, `all`, `exists`, `map`, `filter` ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cel.cost import spend
from sregym_cel.values import CelError, Optional

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cel.program import Compiler, Run, Variables
    from sregym_cel.syntax import Node

    Macro = Callable[[Compiler, Node, frozenset[str]], Run]


def find(node: Node) -> Macro | None:
    """The macro that a call is, or None."""
    if node.method and node.parts[0].kind == "name" and node.parts[0].value == "cel":
        return _bind if (node.value, len(node.parts)) == ("bind", 4) else None
    return _MACROS.get((node.value, node.method, len(node.parts)))


def _has(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
    selected = node.parts[0]
    if selected.kind != "select":
        raise compiler.refuse("invalid argument to has() macro", node)
    target = compiler.node(selected.parts[0], known)
    name = selected.value

    def run(variables: Variables) -> bool:
        value = target(variables)
        if isinstance(value, Optional):
            value = value.held[0] if value.held else {}
        if isinstance(value, list):
            message = "unsupported index type 'string' in list"
            raise CelError(message)
        # What has no fields has not this one.
        return isinstance(value, dict) and name in value

    return run


def _variable(compiler: Compiler, node: Node) -> str:
    if node.kind != "name":
        raise compiler.refuse("argument must be a simple name", node)
    return str(node.value)


def _items(value: Any) -> list[tuple[Any, Any]]:
    """The entries of a list or map: key or position, and value."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list):
        return list(enumerate(value))
    message = "no such overload"
    raise CelError(message)


def _each(
    compiler: Compiler, node: Node, known: frozenset[str], bodies: int
) -> tuple[Run, Callable[[Variables], Any], list[Run]]:
    """The range of a comprehension, a generator of its variables, and its bodies."""
    source = compiler.node(node.parts[0], known)
    names = [_variable(compiler, part) for part in node.parts[1:-bodies]]
    inner = known | set(names)
    runs = [compiler.node(part, inner) for part in node.parts[-bodies:]]

    def each(variables: Variables) -> Any:
        value = source(variables)
        by_key = isinstance(value, dict)
        for key, item in _items(value):
            spend(variables)
            bound = (key, item) if len(names) == 2 else (key if by_key else item,)
            yield {**variables, **dict(zip(names, bound, strict=True))}

    return source, each, runs


def _truth(run: Run, variables: Variables) -> bool:
    value = run(variables)
    if not isinstance(value, bool):
        message = "no such overload"
        raise CelError(message)
    return value


def _quantified(deciding: bool) -> Macro:
    """`all` (False decides) and `exists` (True decides)."""

    def macro(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
        _, each, (body,) = _each(compiler, node, known, 1)

        def run(variables: Variables) -> bool:
            failure: CelError | None = None
            for bound in each(variables):
                try:
                    if _truth(body, bound) is deciding:
                        return deciding
                except CelError as error:
                    failure = failure or error
            if failure is not None:
                raise failure
            return not deciding

        return run

    return macro


def _exists_one(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
    _, each, (body,) = _each(compiler, node, known, 1)
    return lambda v: sum(_truth(body, bound) for bound in each(v)) == 1


def _filter(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
    _, each, (body,) = _each(compiler, node, known, 1)
    name = node.parts[1].value
    return lambda v: [bound[name] for bound in each(v) if _truth(body, bound)]


def _map(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
    if len(node.parts) == 3:
        _, each, (body,) = _each(compiler, node, known, 1)
        return lambda v: [body(bound) for bound in each(v)]
    _, each, (condition, body) = _each(compiler, node, known, 2)
    return lambda v: [body(bound) for bound in each(v) if _truth(condition, bound)]


def _wanted(
    compiler: Compiler, node: Node, known: frozenset[str]
) -> tuple[Callable[[Variables], Any], Run]:
    """A generator of the variables that pass the condition, if there is one, and the body."""
    if len(node.parts) == 4:
        _, each, (body,) = _each(compiler, node, known, 1)
        return each, body
    _, each, (condition, body) = _each(compiler, node, known, 2)
    return lambda v: (bound for bound in each(v) if _truth(condition, bound)), body


def _transform_list(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
    each, body = _wanted(compiler, node, known)
    return lambda v: [body(bound) for bound in each(v)]


def _transform_map(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
    each, body = _wanted(compiler, node, known)
    name = node.parts[1].value
    return lambda v: {bound[name]: body(bound) for bound in each(v)}


def _transform_entries(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
    each, body = _wanted(compiler, node, known)

    def run(variables: Variables) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for bound in each(variables):
            for key, value in body(bound).items():
                if key in found:
                    message = f"insert failed: key {key} already exists"
                    raise CelError(message)
                found[key] = value
        return found

    return run


def _sort_by(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
    _, each, (body,) = _each(compiler, node, known, 1)
    name = node.parts[1].value

    def run(variables: Variables) -> list[Any]:
        keyed = [(body(bound), bound[name]) for bound in each(variables)]
        try:
            return [item for _, item in sorted(keyed, key=lambda pair: pair[0])]
        except TypeError:
            message = "no such overload"
            raise CelError(message) from None

    return run


def _optional_map(flat: bool) -> Macro:
    def macro(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
        target = compiler.node(node.parts[0], known)
        name = _variable(compiler, node.parts[1])
        body = compiler.node(node.parts[2], known | {name})

        def run(variables: Variables) -> Optional:
            value = target(variables)
            if not isinstance(value, Optional):
                message = "no such overload"
                raise CelError(message)
            if not value.held:
                return value
            result = body({**variables, name: value.held[0]})
            return result if flat else Optional((result,))

        return run

    return macro


def _bind(compiler: Compiler, node: Node, known: frozenset[str]) -> Run:
    name = _variable(compiler, node.parts[1])
    value = compiler.node(node.parts[2], known)
    body = compiler.node(node.parts[3], known | {name})
    return lambda v: body({**v, name: value(v)})


_MACROS: Mapping[tuple[str, bool, int], Macro] = {
    ("has", False, 1): _has,
    ("all", True, 3): _quantified(deciding=False),
    ("all", True, 4): _quantified(deciding=False),
    ("exists", True, 3): _quantified(deciding=True),
    ("exists", True, 4): _quantified(deciding=True),
    ("exists_one", True, 3): _exists_one,
    ("existsOne", True, 3): _exists_one,
    ("existsOne", True, 4): _exists_one,
    ("filter", True, 3): _filter,
    ("map", True, 3): _map,
    ("map", True, 4): _map,
    ("sortBy", True, 3): _sort_by,
    ("transformList", True, 4): _transform_list,
    ("transformList", True, 5): _transform_list,
    ("transformMap", True, 4): _transform_map,
    ("transformMap", True, 5): _transform_map,
    ("transformMapEntry", True, 4): _transform_entries,
    ("transformMapEntry", True, 5): _transform_entries,
    ("optMap", True, 3): _optional_map(flat=False),
    ("optFlatMap", True, 3): _optional_map(flat=True),
}
