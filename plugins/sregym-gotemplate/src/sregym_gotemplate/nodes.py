"""The parts of a template. `str` of an expression is how Go writes it in messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Field:
    """`.a.b`, on the dot."""

    pos: int
    names: tuple[str, ...]

    def __str__(self) -> str:
        return "".join(f".{name}" for name in self.names)


@dataclass(frozen=True, slots=True)
class Variable:
    """`$x.a`: the variable, with its sign, and fields of it."""

    pos: int
    name: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.name, *self.names))


@dataclass(frozen=True, slots=True)
class Chain:
    """`(…).a.b`: fields of what stands in parentheses, or of a function's value."""

    pos: int
    node: Operand
    names: tuple[str, ...]

    def __str__(self) -> str:
        inner = f"({self.node})" if isinstance(self.node, Pipe) else str(self.node)
        return ".".join((inner, *self.names))


@dataclass(frozen=True, slots=True)
class Identifier:
    """The name of a function."""

    pos: int
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Dot:
    """`.`, what the template is at."""

    pos: int

    def __str__(self) -> str:
        return "."


@dataclass(frozen=True, slots=True)
class Nil:
    """`nil`, no value."""

    pos: int

    def __str__(self) -> str:
        return "nil"


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a text, `true` or `false`: its value, and how it is written."""

    pos: int
    value: bool | int | float | str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Command:
    """A value or a function, and arguments."""

    pos: int
    parts: tuple[Operand, ...]

    def __str__(self) -> str:
        return " ".join(f"({part})" if isinstance(part, Pipe) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Pipe:
    """Commands of which each gets the value of the one before as its last argument.

    Attributes:
        variables: What its value is given to, one or for `range` two, with their signs.
        assigns: Whether these are known already: `$x = 1`.
    """

    pos: int
    line: int
    commands: tuple[Command, ...]
    variables: tuple[Variable, ...] = ()
    assigns: bool = False

    def __str__(self) -> str:
        named = ", ".join(map(str, self.variables))
        sign = f" {'=' if self.assigns else ':='} " if named else ""
        return named + sign + " | ".join(map(str, self.commands))


Operand: TypeAlias = Field | Variable | Chain | Identifier | Dot | Nil | Literal | Pipe


@dataclass(frozen=True, slots=True)
class Text:
    """What stands outside of actions."""

    pos: int
    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """`{{ … }}`: a pipeline whose value is written, unless a variable gets it."""

    pos: int
    pipe: Pipe


@dataclass(frozen=True, slots=True)
class Branch:
    """A block.

    Attributes:
        keyword: `if`, `with` or `range`.
        pipe: Its condition.
        body: What stands in it.
        otherwise: What stands behind its `else`.
    """

    pos: int
    keyword: str
    pipe: Pipe
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Jump:
    """`break` or `continue`."""

    pos: int
    keyword: str

    def __str__(self) -> str:
        return f"{{{{{self.keyword}}}}}"


@dataclass(frozen=True, slots=True)
class Call:
    """`{{template "name" pipe}}`: another template, carried out here."""

    pos: int
    name: str
    pipe: Pipe | None

    def __str__(self) -> str:
        given = f" {self.pipe}" if self.pipe is not None else ""
        return f'{{{{template "{self.name}"{given}}}}}'


Node: TypeAlias = Text | Action | Branch | Jump | Call


@dataclass(frozen=True)
class Tree:
    """A template.

    Attributes:
        name: What messages call it.
        text: What it was read from; positions count its characters.
        nodes: Its parts.
        templates: The parts of those that it defines, by name.
    """

    name: str
    text: str
    nodes: tuple[Node, ...]
    templates: dict[str, tuple[Node, ...]] = field(default_factory=dict)
