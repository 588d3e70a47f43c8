"""The parts of a shell script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.lexing import Redirection, Word


@dataclass(frozen=True)
class Simple:
    """Assignments, a command with arguments, redirections; the line where it begins, from 1."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]
    line: int = 1


@dataclass(frozen=True)
class Pipeline:
    """Commands joined by `|`, perhaps negated."""

    commands: tuple[Node, ...]
    negated: bool


@dataclass(frozen=True)
class Sequence:
    """Commands with the operator before each: `;`, `&&`, `||` or `&`."""

    parts: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class Condition:
    """if, elif, else."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


@dataclass(frozen=True)
class Loop:
    """while or until."""

    test: Node
    body: Node
    until: bool


@dataclass(frozen=True)
class Each:
    """for NAME in WORDS."""

    name: str
    words: tuple[Word, ...]
    body: Node


@dataclass(frozen=True)
class Group:
    """A compound with redirections of its own; `subshell` keeps its variables to itself."""

    body: Node
    redirections: tuple[Redirection, ...]
    subshell: bool


@dataclass(frozen=True)
class Case:
    """case WORD in PATTERNS) ... esac.

    A branch has its patterns, its body and what ends it: `;;`, or `;&` and `;;&` of bash.
    """

    word: Word
    branches: tuple[tuple[tuple[Word, ...], Node, str], ...]


@dataclass(frozen=True)
class Function:
    """NAME() { ... }."""

    name: str
    body: Node


@dataclass(frozen=True)
class Calculation:
    """`(( ... ))` of bash."""

    text: str
    line: int = 1


@dataclass(frozen=True)
class Counting:
    """`for ((start; test; step))` of bash."""

    start: str
    test: str
    step: str
    body: Node


@dataclass(frozen=True)
class Test:
    """`[[ ... ]]` of bash: words that are neither split nor replaced by paths."""

    words: tuple[Word, ...]
    line: int = 1


@dataclass(frozen=True)
class Timed:
    """`time` before a pipeline of bash."""

    body: Node


@dataclass(frozen=True)
class Background:
    """A command with `&` behind it."""

    body: Node


@dataclass(frozen=True)
class StartedLoop:
    """A loop in which a script goes on: what is left of its present round, and then the others.

    Attributes:
        loop: All of it.
        rest: What is left of the present round; None before the next one.
        words: What `for` goes through, from its first round on.
        at: How many of them it has taken.
        code: What the last round ended with.
    """

    loop: Loop | Each | Counting
    rest: Node | None = None
    words: tuple[str, ...] = ()
    at: int = 0
    code: int = 0


@dataclass(frozen=True)
class Called:
    """What is left of a function.

    Attributes:
        rest: Its commands.
        arguments: Those of its caller.
        loops: How many loops surround the call.
        frame: What variables were before it declared them local.
    """

    rest: Node
    arguments: tuple[str, ...]
    loops: int
    frame: dict[str, str | None]


Node: TypeAlias = (
    Simple
    | Pipeline
    | Sequence
    | Condition
    | Loop
    | Each
    | Group
    | Case
    | Function
    | Background
    | Calculation
    | Counting
    | Test
    | Timed
    | StartedLoop
    | Called
)
