"""What expressions may use, and how they are read, checked and compiled with it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_cel.checking import Checked, Checker
from sregym_cel.program import Compiler, Program, type_of
from sregym_cel.syntax import parse
from sregym_cel.values import CompileError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cel.kinds import Kind
    from sregym_cel.libraries import Library
    from sregym_cel.signatures import Overload


class Environment:
    """The functions and types that expressions may use.

    Args:
        libraries: Where they are from; a later library's function takes the place of an earlier
            one's with the same name, form and number of arguments, and adds to its overloads.

    Attributes:
        functions: What is run, by name, form and number of arguments.
        names: Of all functions.
        types: Names with dots that stand for types.
        overloads: What functions take and give.
        methods: The same for those that are called on a target.
    """

    def __init__(self, *libraries: Library) -> None:
        self.functions: dict[tuple[str, bool, int], Callable[..., Any]] = {}
        self.overloads: dict[str, tuple[Overload, ...]] = {}
        self.methods: dict[str, tuple[Overload, ...]] = {}
        self.types: frozenset[str] = frozenset()
        for library in libraries:
            self.functions.update(library.functions)
            self.types |= library.types
            for mine, added in (
                (self.overloads, library.overloads),
                (self.methods, library.methods),
            ):
                for name, overloads in added.items():
                    mine[name] = (*mine.get(name, ()), *overloads)
        self.names = frozenset(name for name, _, _ in self.functions)
        # Policies are compiled for each request that they look at.
        self._compiled = lru_cache(maxsize=1024)(self._compile)

    def compile(self, source: str, names: tuple[str, ...]) -> Program:
        """An expression in which the variables `names` are known.

        Raises:
            CompileError: It means nothing.
        """
        return self._compiled(source, names)

    def _compile(self, source: str, names: tuple[str, ...]) -> Program:
        compiler = Compiler(self, source, names)
        try:
            tree = parse(source)
            run = compiler.node(tree, frozenset(names))
        except RecursionError:
            raise CompileError("expression recursion limit exceeded", 0, source) from None
        return Program(source, run, type_of(tree), frozenset(compiler.reads))

    def check(self, source: str, variables: Mapping[str, Kind]) -> Checked:
        """The type of an expression that compiles, and what does not go together in it.

        Args:
            source: Its text.
            variables: The types of the variables; those left out may be anything.

        Raises:
            CompileError: Syntax error.
        """
        checker = Checker(self, source)
        kind = checker.kind(parse(source), variables)
        return Checked(kind, tuple(sorted(checker.found, key=lambda error: error.offset)))
