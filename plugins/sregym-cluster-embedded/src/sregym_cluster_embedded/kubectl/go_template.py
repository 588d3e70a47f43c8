"""Go templates for `-o go-template`: actions, variables, `if`, `range`, `with`, usual functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_regex.budget import spend

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.go_functions import FUNCTIONS, MISSING, called, printed, true

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ACTION = re.compile(r"(?P<lead>\s*)\{\{-(?=\s)|\{\{", re.DOTALL)
_INSIDE = re.compile(
    r"(?:\"(?:[^\"\\\n]|\\.)*\"|`[^`]*`|[^\"`}]|\}(?!\}))*?(?P<trim>\s-)?\}\}", re.DOTALL
)
_TOKEN = re.compile(
    r"\s+|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|`[^`]*`)|(?P<number>-?\d+(?:\.\d+)?)(?![\w.])"
    r"|(?P<variable>\$\w*)|(?P<field>\.\w+)|(?P<dot>\.)|(?P<name>\w+)|(?P<sign>:=|[|()=,])"
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}


class _Node(NamedTuple):
    """Text, or an action with its pipeline and what stands inside it and behind its `else`."""

    kind: str
    text: str = ""
    names: tuple[str, ...] = ()
    pipeline: tuple[Any, ...] = ()
    body: tuple[Any, ...] = ()
    otherwise: tuple[Any, ...] = ()


class GoTemplate:
    """A parsed template.

    Raises:
        CommandError: An action does not end.
        NotCovered: The template uses what is not understood, or is malformed otherwise.
    """

    def __init__(self, text: str) -> None:
        pieces = iter(list(_pieces(text)))
        self._nodes, end = _nest(pieces)
        if end:
            raise NotCovered(f"{{{{{end}}}}} outside")

    def render(self, value: Any) -> str:
        """The text for one object."""
        return "".join(_render(self._nodes, value, {"$": value}))


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Text and the insides of actions, without the space that they trim."""
    at, trimmed = 0, False
    while True:
        found = _ACTION.search(text, at)
        between = text[at : found.start() if found else len(text)]
        yield "text", between.lstrip() if trimmed else between
        if found is None:
            return
        inside = _INSIDE.match(text, found.end())
        if inside is None:
            if "}}" in text[found.end() :] or "}" in text[found.end() :]:
                raise NotCovered("a malformed action")
            raise CommandError(
                f"error: error parsing template {text}, template: output:1: unclosed action"
            )
        trimmed = inside["trim"] is not None
        body = inside.group()[: -len(inside["trim"] or "") - 2]
        yield "action", body.strip()
        at = inside.end()


def _nest(pieces: Iterator[tuple[str, str]]) -> tuple[tuple[_Node, ...], str]:
    """The nodes up to an `end` or `else`, and which of them it was."""
    nodes: list[_Node] = []
    for kind, text in pieces:
        if kind == "text":
            if text:
                nodes.append(_Node("text", text))
            continue
        word, _, rest = text.partition(" ")
        if word in ("end", "else"):
            return tuple(nodes), text
        if text.startswith("/*"):
            continue
        if word not in ("if", "range", "with"):
            nodes.append(_action("print", text))
            continue
        nodes.append(_block(word, rest, pieces))
    return tuple(nodes), ""


def _block(word: str, rest: str, pieces: Iterator[tuple[str, str]]) -> _Node:
    body, end = _nest(pieces)
    otherwise: tuple[_Node, ...] = ()
    if end.startswith("else "):
        inner, _, condition = end.removeprefix("else ").partition(" ")
        if inner not in ("if", "with"):
            raise NotCovered(end)
        return _action(word, rest)._replace(
            body=body, otherwise=(_block(inner, condition, pieces),)
        )
    if end == "else":
        otherwise, end = _nest(pieces)
    if end != "end":
        raise NotCovered("a block without an end")
    return _action(word, rest)._replace(body=body, otherwise=otherwise)


def _action(kind: str, text: str) -> _Node:
    tokens = _tokens(text)
    names: tuple[str, ...] = ()
    signs = [at for at, token in enumerate(tokens) if token == ("sign", ":=")]
    if signs:
        before = [value for what, value in tokens[: signs[0]] if (what, value) != ("sign", ",")]
        names = tuple(before)
        tokens = tokens[signs[0] + 1 :]
    # What is assigned anew is seen by whoever declared it.
    if ("sign", "=") in tokens or _depth(tokens) or len(names) > (2 if kind == "range" else 1):
        raise NotCovered(f"template {text}")
    pipeline, _ = _pipeline(tokens)
    return _Node(kind, names=names, pipeline=pipeline)


def _depth(tokens: Sequence[tuple[str, str]]) -> int:
    """How many parentheses are left open; -1 when one is closed that is not open."""
    depth = 0
    for _, text in tokens:
        depth += {"(": 1, ")": -1}.get(text, 0)
        if depth < 0:
            break
    return depth


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise NotCovered(f"template {text}")
        if token.lastgroup is not None:
            glued = token.lastgroup == "field" and at > 0 and not text[at - 1].isspace()
            found.append(
                ("chain" if glued and text[at - 1] not in "(|" else token.lastgroup, token.group())
            )
        at = token.end()
    return found


def _pipeline(tokens: list[tuple[str, str]]) -> tuple[tuple[Any, ...], list[tuple[str, str]]]:
    """Commands, each a tuple of operands, and the tokens behind a closing parenthesis."""
    found, at = _commands(tokens, 0)
    return found, tokens[at:]


def _commands(tokens: list[tuple[str, str]], at: int) -> tuple[tuple[Any, ...], int]:
    commands: list[tuple[Any, ...]] = []
    operands: list[Any] = []
    while at < len(tokens):
        spend(2)
        kind, text = tokens[at]
        at += 1
        if (kind, text) == ("sign", ")"):
            break
        if (kind, text) == ("sign", "("):
            inner, at = _commands(tokens, at)
            operands.append(("pipeline", inner, ()))
        elif (kind, text) == ("sign", "|"):
            commands.append(tuple(operands))
            operands = []
        elif kind == "chain":
            if not operands or operands[-1][0] in ("value", "function"):
                raise NotCovered(f"template {text}")
            head, what, path = operands[-1]
            operands[-1] = (head, what, (*path, text[1:]))
        else:
            operands.append(_operand(kind, text))
    commands.append(tuple(operands))
    if not all(commands):
        raise NotCovered("an empty command")
    return tuple(commands), at


def _operand(kind: str, text: str) -> tuple[str, Any, tuple[str, ...]]:
    if kind == "string":
        plain = text[1:-1]
        if text[0] == '"':
            plain = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), plain)
        return "value", plain, ()
    if kind == "number":
        return "value", float(text) if "." in text else int(text), ()
    if kind == "field":
        return "dot", None, (text[1:],)
    if kind == "dot":
        return "dot", None, ()
    if kind == "variable":
        return "variable", text, ()
    if text in ("true", "false"):
        return "value", text == "true", ()
    if kind == "name" and text in FUNCTIONS:
        return "function", text, ()
    raise NotCovered(f"template {text}")


def _render(nodes: Sequence[_Node], dot: Any, variables: dict[str, Any]) -> Iterator[str]:
    for node in nodes:
        spend(4)
        if node.kind == "text":
            yield node.text
            continue
        if node.kind == "range":
            yield from _each(node, dot, variables)
            continue
        value = _evaluate(node.pipeline, dot, variables)
        if node.kind == "print":
            if node.names:
                variables[node.names[0]] = value
            else:
                yield printed(value)
            continue
        inner = dict(variables)
        if node.names:
            inner[node.names[0]] = value
        if true(value):
            yield from _render(node.body, value if node.kind == "with" else dot, inner)
        else:
            yield from _render(node.otherwise, dot, inner)


def _each(node: _Node, dot: Any, variables: dict[str, Any]) -> Iterator[str]:
    value = _evaluate(node.pipeline, dot, variables)
    if value is MISSING or value is None:
        pairs: list[tuple[Any, Any]] = []
    elif isinstance(value, dict):
        pairs = [(key, value[key]) for key in sorted(value)]
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        raise NotCovered("a range over what is no list")
    for key, entry in pairs:
        inner = dict(variables)
        if len(node.names) == 1:
            inner[node.names[0]] = entry
        elif node.names:
            inner |= {node.names[0]: key, node.names[1]: entry}
        yield from _render(node.body, entry, inner)
    if not pairs:
        yield from _render(node.otherwise, dot, variables)


def _evaluate(pipeline: Sequence[Any], dot: Any, variables: Mapping[str, Any]) -> Any:
    value: Any = MISSING
    for at, command in enumerate(pipeline):
        (kind, what, path), *rest = command
        if kind == "function":
            arguments = [_value(operand, dot, variables) for operand in rest]
            value = called(what, [*arguments, *([value] if at else [])])
        elif at or rest:
            raise NotCovered("an argument of what is no function")
        else:
            value = _value((kind, what, path), dot, variables)
    return value


def _value(
    operand: tuple[str, Any, tuple[str, ...]], dot: Any, variables: Mapping[str, Any]
) -> Any:
    kind, what, path = operand
    if kind == "function":
        return called(what, [])
    if kind == "value":
        return what
    if kind == "variable":
        if what not in variables:
            raise NotCovered(f"the variable {what}")
        value = variables[what]
    else:
        value = _evaluate(what, dot, variables) if kind == "pipeline" else dot
    for name in path:
        if value is MISSING or value is None:
            return MISSING
        if not isinstance(value, dict):
            raise NotCovered(f"a field of what is no object: {name}")
        value = value.get(name, MISSING)
    return value
