"""From a tree to text: one closure for each part, put together once and run on any data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from sregym_regex.budget import spend

from sregym_gotemplate.access import Access
from sregym_gotemplate.errors import FunctionError, TemplateError
from sregym_gotemplate.expressions import Expressions, Frame, Setting, last
from sregym_gotemplate.functions import BUILTINS, Function
from sregym_gotemplate.nodes import Action, Branch, Call, Jump, Node, Text, Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Write: TypeAlias = Callable[[Frame, Any, list[str]], None]

# How deep templates may call each other; Go's limit is 100,000.
_MOST_DEPTH = 50
_STEPS = 4
_NONE: Mapping[str, Any] = {}


class Template:
    """A template that can be carried out.

    Args:
        tree: What it is made of.
        functions: What it may call; Go's own by default.
        access: How it sees values; those of JSON by default.
        variables: The names of variables that it is given, as `parse` was.

    Attributes:
        tree: As given.
    """

    def __init__(
        self,
        tree: Tree,
        functions: Mapping[str, Function] = BUILTINS,
        access: Access | None = None,
        variables: Sequence[str] = (),
    ) -> None:
        self.tree = tree
        setting = Setting(tree, functions, access or Access(), ("$", *variables))
        self._given = setting.given[1:]
        try:
            self._write, size = _Templates(setting).body(tree.name, tree.nodes)
        except RecursionError:
            raise self._too_deep() from None
        self._others = [None] * (size - len(setting.given))

    def _too_deep(self) -> TemplateError:
        return TemplateError("exceeded maximum template depth", self.tree.name, 1)

    def render(self, data: Any, variables: Mapping[str, Any] = _NONE, context: Any = None) -> str:
        """The text for some data.

        Args:
            data: What the dot is.
            variables: The values of the given variables.
            context: What functions of the context are given.

        Raises:
            ExecutionError: It cannot be carried out on these data.
            TemplateError: It nests too deep.
        """
        slots = [data, *[variables[name] for name in self._given], *self._others]
        out: list[str] = []
        try:
            self._write(Frame(slots, context, 0), data, out)
        except RecursionError:
            raise self._too_deep() from None
        return "".join(out)


class _BreakError(Exception):
    pass


class _ContinueError(Exception):
    pass


class _Templates:
    """The templates of a tree, compiled when they are first called."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._bodies: dict[str, tuple[Write, int]] = {}

    def body(self, name: str, nodes: Sequence[Node]) -> tuple[Write, int]:
        """What writes a template, and how many variables it has."""
        compiler = _Compiler(self, name)
        write = compiler.sequence(nodes, compiler.given())
        return write, compiler.size

    def defined(self, name: str) -> tuple[Write, int] | None:
        """The same of one that the tree defines."""
        nodes = self.setting.tree.templates.get(name)
        if name not in self._bodies and nodes is not None:
            self._bodies[name] = self.body(name, nodes)
        return self._bodies.get(name)


class _Compiler(Expressions):
    """Compiles the blocks of one template."""

    def __init__(self, templates: _Templates, name: str) -> None:
        super().__init__(templates.setting, name)
        self._templates = templates

    def given(self) -> dict[str, int]:
        """The places of the variables that are known before the template begins."""
        return {name: self.new() for name in self._setting.given}

    def sequence(self, nodes: Sequence[Node], names: dict[str, int]) -> Write:
        """What writes parts one after the other; variables are added to `names`."""
        writers = [self._node(node, names) for node in nodes]
        if len(writers) == 1:
            return writers[0]

        def write(frame: Frame, dot: Any, out: list[str]) -> None:
            for each in writers:
                each(frame, dot, out)

        return write

    def _node(self, node: Node, names: dict[str, int]) -> Write:
        if isinstance(node, Text):
            text = node.text
            return lambda _, __, out: out.append(text)
        if isinstance(node, Action):
            return self._action(node, names)
        if isinstance(node, Branch):
            return (self._range if node.keyword == "range" else self._branch)(node, dict(names))
        if isinstance(node, Call):
            return self._call(node, names)
        return _leaving(node)

    def _action(self, node: Action, names: dict[str, int]) -> Write:
        evaluate = self.pipe(node.pipe, names)
        written = self._access.written

        def assign(frame: Frame, dot: Any, _: list[str]) -> None:
            evaluate(frame, dot)

        def write(frame: Frame, dot: Any, out: list[str]) -> None:
            value = evaluate(frame, dot)
            out.append(value if type(value) is str else written(value))

        return assign if node.pipe.variables else write

    def _branch(self, node: Branch, names: dict[str, int]) -> Write:
        evaluate = self.pipe(node.pipe, names)
        then = self.sequence(node.body, dict(names))
        otherwise = self.sequence(node.otherwise, dict(names))
        truth, moves = self._access.truth, node.keyword == "with"

        def write(frame: Frame, dot: Any, out: list[str]) -> None:
            value = evaluate(frame, dot)
            if truth(value):
                then(frame, value if moves else dot, out)
            else:
                otherwise(frame, dot, out)

        return write

    def _range(self, node: Branch, names: dict[str, int]) -> Write:
        pipe = node.pipe
        evaluate = self.commands(pipe, names)
        places = self.places(pipe, names)
        body = self.sequence(node.body, dict(names))
        otherwise = self.sequence(node.otherwise, dict(names))
        cost = _STEPS * (len(node.body) + 1)
        entries = self._access.entries

        def write(frame: Frame, dot: Any, out: list[str]) -> None:
            value = evaluate(frame, dot)
            if -1 in places:
                name = pipe.variables[places.index(-1)].name
                self.fail(f"undefined variable: {name}", last(pipe))
            try:
                pairs = entries(value)
            except FunctionError as error:
                self.fail(str(error), last(pipe))
            slots, empty = frame.slots, True
            for key, item in pairs:
                spend(cost)
                empty = False
                if places:
                    # Of one variable it is the item that is meant, of two the key comes first.
                    slots[places[0]] = key
                    slots[places[-1]] = item
                try:
                    body(frame, item, out)
                except _ContinueError:
                    continue
                except _BreakError:
                    break
            if empty:
                otherwise(frame, dot, out)

        return write

    def _call(self, node: Call, names: dict[str, int]) -> Write:
        evaluate = None if node.pipe is None else self.pipe(node.pipe, names)
        templates, given = self._templates, len(self._setting.given)

        def write(frame: Frame, dot: Any, out: list[str]) -> None:
            spend(_STEPS)
            found = templates.defined(node.name)
            if found is None:
                self.fail(f'template "{node.name}" not defined', node)
            if frame.depth >= _MOST_DEPTH:
                self.fail(f"exceeded maximum template depth ({_MOST_DEPTH})", node)
            value = None if evaluate is None else evaluate(frame, dot)
            body, size = found
            slots = [value, *frame.slots[1:given], *[None] * (size - given)]
            body(Frame(slots, frame.context, frame.depth + 1), value, out)

        return write


def _leaving(node: Jump) -> Write:
    leaves = _BreakError if node.keyword == "break" else _ContinueError

    def leave(*_: Any) -> None:
        raise leaves

    return leave
