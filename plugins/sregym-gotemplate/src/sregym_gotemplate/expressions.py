"""The values of pipelines: one closure for each part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from sregym_gotemplate.errors import ExecutionError, FunctionError
from sregym_gotemplate.functions import Deciding, Function
from sregym_gotemplate.nodes import (
    Call,
    Chain,
    Command,
    Dot,
    Field,
    Identifier,
    Literal,
    Nil,
    Operand,
    Pipe,
    Tree,
    Variable,
)
from sregym_gotemplate.printing import type_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_gotemplate.access import Access

    Evaluate: TypeAlias = Callable[["Frame", Any], Any]
    # As above, with what comes out of the command before.
    Run: TypeAlias = Callable[["Frame", Any, tuple[Any, ...]], Any]


class Frame:
    """What one template is carried out with: its variables by place, the context, its depth."""

    __slots__ = ("context", "depth", "slots")

    def __init__(self, slots: list[Any], context: Any, depth: int) -> None:
        self.slots, self.context, self.depth = slots, context, depth


_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class Setting:
    """What all templates of a tree are compiled with.

    Attributes:
        tree: The tree.
        functions: What its templates may call.
        access: How they see values.
        given: The names of the variables that are known before a template begins, `$` first.
    """

    tree: Tree
    functions: Mapping[str, Function]
    access: Access
    given: tuple[str, ...]


def last(node: Operand) -> Operand:
    """What of an operand was looked at last: that is where Go says that something went wrong."""
    while isinstance(node, Pipe):
        node = node.commands[-1].parts[-1]
    return node


class Expressions:
    """Compiles the pipelines of one template; `names` are the places of the variables known there.

    Attributes:
        size: How many places variables take.
    """

    def __init__(self, setting: Setting, name: str) -> None:
        self._setting, self._name = setting, name
        self._access = setting.access
        self.size = 0

    def new(self) -> int:
        """The place of a new variable."""
        self.size += 1
        return self.size - 1

    def fail(self, what: str, node: Call | Command | Operand, part: str | None = None) -> NoReturn:
        """What went wrong at a part, in Go's words."""
        tree = self._setting.tree
        before = tree.text[: node.pos]
        column = len(before.rpartition("\n")[2].encode(errors="surrogatepass"))
        shown = str(node) if part is None else part
        line = before.count("\n") + 1
        raise ExecutionError(what, tree.name, line, column, shown, self._name)

    def places(self, pipe: Pipe, names: dict[str, int]) -> tuple[int, ...]:
        """Where a pipeline's value goes; variables that it declares are new."""
        found = []
        for variable in pipe.variables:
            if not pipe.assigns:
                names[variable.name] = self.new()
            found.append(names.get(variable.name, -1))
        return tuple(found)

    def pipe(self, pipe: Pipe, names: dict[str, int]) -> Evaluate:
        """What gives a pipeline's value, to its variables too."""
        evaluate = self.commands(pipe, names)
        if not pipe.variables:
            return evaluate
        (place,) = self.places(pipe, names)
        name, last = pipe.variables[0].name, pipe.commands[-1]

        def assign(frame: Frame, dot: Any) -> Any:
            value = evaluate(frame, dot)
            if place < 0:
                self.fail(f"undefined variable: {name}", last)
            frame.slots[place] = value
            return value

        return assign

    def commands(self, pipe: Pipe, names: dict[str, int]) -> Evaluate:
        """What gives a pipeline's value, to no variable."""
        first, *rest = [
            self._command(command, names, piped=place > 0)
            for place, command in enumerate(pipe.commands)
        ]
        if not rest:
            command = pipe.commands[0]
            if len(command.parts) == 1 and not isinstance(command.parts[0], Nil):
                return self.operand(command.parts[0], names)
            return lambda frame, dot: first(frame, dot, ())

        def evaluate(frame: Frame, dot: Any) -> Any:
            value = first(frame, dot, ())
            for run in rest:
                value = run(frame, dot, (value,))
            return value

        return evaluate

    def _command(self, command: Command, names: dict[str, int], *, piped: bool) -> Run:
        head = command.parts[0]
        if isinstance(head, Identifier):
            return self._function(command, head, names, piped=piped)
        if isinstance(head, Nil):
            return self._failing("nil is not a command", head)
        if len(command.parts) == 1 and not piped:
            evaluate = self.operand(head, names)
            return lambda frame, dot, _: evaluate(frame, dot)
        if isinstance(head, Field | Chain) or (isinstance(head, Variable) and head.names):
            return self._failing(f"{head.names[-1]} is not a method but has arguments", head)
        message = f"can't give argument to non-function {head}"
        return self._failing(message, command if isinstance(head, Pipe) else head)

    def _failing(self, what: str, node: Command | Operand) -> Run:
        return lambda *_: self.fail(what, node)

    def _function(
        self, command: Command, head: Identifier, names: dict[str, int], *, piped: bool
    ) -> Run:
        name = head.name
        found = self._setting.functions.get(name)
        if found is None:
            return self._failing(f'"{name}" is not a defined function', head)
        arguments = [self.operand(part, names) for part in command.parts[1:]]
        complaint = found.complaint(name, len(arguments), int(piped))
        if complaint:
            return self._failing(complaint, head)
        if isinstance(found, Deciding):
            return self._deciding(found, arguments)
        run, failures = found.run, self._access.failures
        of_context = found.of_context

        def call(frame: Frame, dot: Any, extra: tuple[Any, ...]) -> Any:
            given = [argument(frame, dot) for argument in arguments]
            if of_context:
                given.insert(0, frame.context)
            try:
                return run(*given, *extra)
            except failures as error:
                self.fail(f"error calling {name}: {error}", command)

        return call

    def _deciding(self, found: Deciding, arguments: Sequence[Evaluate]) -> Run:
        truth, decides = self._access.truth, found.truth

        def call(frame: Frame, dot: Any, extra: tuple[Any, ...]) -> Any:
            value = None
            for argument in arguments:
                value = argument(frame, dot)
                if truth(value) is decides:
                    return value
            return extra[0] if extra else value

        return call

    def operand(self, node: Operand, names: dict[str, int]) -> Evaluate:
        """What gives the value of an operand."""
        if isinstance(node, Literal):
            return self._literal(node)
        if isinstance(node, Dot):
            return lambda _, dot: dot
        if isinstance(node, Nil):
            return lambda _, __: None
        if isinstance(node, Pipe):
            return self.pipe(node, names)
        if isinstance(node, Identifier):
            run = self._function(Command(node.pos, (node,)), node, names, piped=False)
            return lambda frame, dot: run(frame, dot, ())
        if isinstance(node, Field):
            read = self._reader(node, node.names)
            return lambda _, dot: read(dot)
        if isinstance(node, Variable):
            return self._variable(node, names[node.name])
        return self._chain(node, names)

    def _literal(self, node: Literal) -> Evaluate:
        value = node.value
        if isinstance(value, int) and value > _LARGEST:
            return lambda *_: self.fail(f"{node} overflows int", node)
        return lambda _, __: value

    def _chain(self, node: Chain, names: dict[str, int]) -> Evaluate:
        inner, read = self.operand(node.node, names), self._access.reader(node.names)

        def evaluate(frame: Frame, dot: Any) -> Any:
            value = inner(frame, dot)
            try:
                return read(value)
            except FunctionError as error:
                # What comes out of a function has a type of its own.
                self.fail(str(error).replace("interface {}", type_name(value)), last(node.node))

        return evaluate

    def _variable(self, node: Variable, place: int) -> Evaluate:
        if not node.names:
            return lambda frame, _: frame.slots[place]
        read = self._reader(node, node.names)
        return lambda frame, _: read(frame.slots[place])

    def _reader(self, node: Operand, path: tuple[str, ...]) -> Callable[[Any], Any]:
        read = self._access.reader(path)

        def checked(value: Any) -> Any:
            try:
                return read(value)
            except FunctionError as error:
                self.fail(str(error), node)

        return checked
