"""Expressions as lists of instructions, for those that RE2 has no answer to.

Python's own parser reads them; what Python would match them with is not used: it knows no limit.
"""

from __future__ import annotations

from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_regex.matches import PatternError

if TYPE_CHECKING:
    from collections.abc import Iterable

# Repeats are written out.
_LONGEST = 20_000
_DEEPEST = 100


class Instruction(NamedTuple):
    """One step of a match.

    Attributes:
        name: `one` (a character of a set), `back` (a group again), `at` (a place), `save`, `try`
            (one way, else the other), `jump`, `look` (around), `whole` (without a way back),
            `mark` and `moved` (whether a loop has moved), `given` (whether a group is set), `end`.
        what: The set, the number of a group, the place, the first way, or the instructions within.
        other: The second way; whether the case is ignored; whether the opposite is wanted.
        behind: How many characters before a look begins.
    """

    name: str
    what: Any = None
    other: Any = None
    behind: int = 0


class Program(NamedTuple):
    """An expression that can be run.

    Attributes:
        code: Its instructions.
        groups: How many groups it has.
        names: Name -> number of those with a name.
    """

    code: list[Instruction]
    groups: int
    names: dict[str, int]


def program(pattern: str, flags: int) -> Program:
    """The instructions of an expression in Python's notation.

    Raises:
        PatternError: It is none; the text is Python's.
        RecursionError: It is nested too deeply.
    """
    try:
        tree = parser.parse(pattern, flags)
    except parser.error as error:
        raise PatternError(str(error), error.msg, error.pos or 0) from None
    except OverflowError as error:
        raise PatternError(str(error)) from None
    writer = _Writer(tree.state.flags)
    writer.sequence(tree, 0)
    writer.put("end")
    return Program(writer.code, tree.state.groups - 1, dict(tree.state.groupdict))


class _Writer:
    def __init__(self, flags: int) -> None:
        self.code: list[Instruction] = []
        self.flags = flags

    def put(self, name: str, what: Any = None, other: Any = None, behind: int = 0) -> int:
        if len(self.code) > _LONGEST:
            raise PatternError("too large")
        self.code.append(Instruction(name, what, other, behind))
        return len(self.code) - 1

    def sequence(self, tree: Iterable[Any], depth: int) -> None:
        if depth > _DEEPEST:
            raise PatternError("too large")
        for operation, argument in tree:
            self._one(operation, argument, depth + 1)

    def _one(self, operation: Any, argument: Any, depth: int) -> None:
        ignore = bool(self.flags & sre.SRE_FLAG_IGNORECASE)
        if operation in (sre.LITERAL, sre.NOT_LITERAL):
            items = [(sre.LITERAL, argument)]
            self.put("one", (operation is sre.NOT_LITERAL, items), ignore)
        elif operation is sre.ANY:
            dotall = self.flags & sre.SRE_FLAG_DOTALL
            self.put("one", (True, [] if dotall else [(sre.LITERAL, 10)]), False)
        elif operation is sre.IN:
            negated = argument[0][0] is sre.NEGATE
            self.put("one", (negated, argument[1:] if negated else argument), ignore)
        elif operation is sre.AT:
            multiline = self.flags & sre.SRE_FLAG_MULTILINE
            self.put("at", str(argument), bool(multiline))
        elif operation is sre.BRANCH:
            self._branch(argument[1], depth)
        elif operation is sre.SUBPATTERN:
            self._group(argument, depth)
        elif operation in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            self._repeat(argument, depth, lazy=operation is sre.MIN_REPEAT)
        elif operation is sre.GROUPREF:
            self.put("back", argument, ignore)
        elif operation in (sre.ASSERT, sre.ASSERT_NOT):
            self._look(argument, depth, negated=operation is sre.ASSERT_NOT)
        elif operation is sre.GROUPREF_EXISTS:
            self._given(argument, depth)
        elif operation in (sre.ATOMIC_GROUP, sre.POSSESSIVE_REPEAT):
            again = [(sre.MAX_REPEAT, argument)] if operation is sre.POSSESSIVE_REPEAT else argument
            self.put("whole", self._within(again, depth))
        else:  # what can never match
            self.put("one", (False, []), False)

    def _within(self, tree: Any, depth: int) -> list[Instruction]:
        inner = _Writer(self.flags)
        inner.sequence(tree, depth)
        inner.put("end")
        if len(inner.code) + len(self.code) > _LONGEST:
            raise PatternError("too large")
        return inner.code

    def _branch(self, ways: Any, depth: int) -> None:
        ends = []
        for way in ways[:-1]:
            split = self.put("try")
            self.sequence(way, depth)
            ends.append(self.put("jump"))
            self.code[split] = Instruction("try", split + 1, len(self.code))
        self.sequence(ways[-1], depth)
        for end in ends:
            self.code[end] = Instruction("jump", len(self.code))

    def _group(self, argument: Any, depth: int) -> None:
        number, added, removed, inner = argument
        kept, self.flags = self.flags, (self.flags | added) & ~removed
        if number is not None:
            self.put("save", 2 * number)
        self.sequence(inner, depth)
        if number is not None:
            self.put("save", 2 * number + 1)
        self.flags = kept

    def _repeat(self, argument: Any, depth: int, *, lazy: bool) -> None:
        low, high, inner = argument
        for _ in range(low):
            self.sequence(inner, depth)
        if high is sre.MAXREPEAT:
            split = self.put("try")
            mark = self.put("mark", split)
            self.sequence(inner, depth)
            self.put("moved", split)
            self.put("jump", split)
            self.code[split] = self._ways(mark, len(self.code), lazy=lazy)
            return
        splits = []
        for _ in range(high - low):
            splits.append(self.put("try"))
            self.sequence(inner, depth)
        for split in splits:
            self.code[split] = self._ways(split + 1, len(self.code), lazy=lazy)

    @staticmethod
    def _ways(inside: int, behind: int, *, lazy: bool) -> Instruction:
        return Instruction("try", behind, inside) if lazy else Instruction("try", inside, behind)

    def _look(self, argument: Any, depth: int, *, negated: bool) -> None:
        direction, inner = argument
        behind = inner.getwidth()[0] if direction < 0 else 0
        self.put("look", self._within(inner, depth), negated, behind)

    def _given(self, argument: Any, depth: int) -> None:
        number, yes, no = argument
        test = self.put("given")
        self.sequence(yes, depth)
        end = self.put("jump")
        self.code[test] = Instruction("given", number, len(self.code))
        if no is not None:
            self.sequence(no, depth)
        self.code[end] = Instruction("jump", len(self.code))
