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
)
