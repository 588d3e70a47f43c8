"""Interpreter of awk programs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from sregym_regex.budget import allocate, spend
from sregym_regex.posix import compiled

from sregym_cluster_embedded.userland.shell.awk.functions import call
from sregym_cluster_embedded.userland.shell.awk.input_records import InputRecords
from sregym_cluster_embedded.userland.shell.awk.parsing import BUILTINS, Program, Tree
from sregym_cluster_embedded.userland.shell.awk.scope import shared_parameters
from sregym_cluster_embedded.userland.shell.awk.values import (
    NOTHING,
    AwkError,
    FormatError,
    Input,
    Value,
    as_number,
    formatted,
    is_true,
    number_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.awk.order import Table
    from sregym_cluster_embedded.userland.shell.session import Session

# What a statement, and an expression of two texts that are longer than this, cost.
_STATEMENT_STEPS, _NOTICED = 5, 256
_DEEPEST = 150


class _Next(Exception):
    pass


class _NextFile(Exception):
    pass


class _Exit(Exception):
    pass


class _Leave(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class Awk(InputRecords):
    """Runs a program.

    Args:
        session: Where.
        program: Its rules and functions.
        given: Variables of the command line.
        arguments: `ARGV`, the program's name first.
        source: Opens a file of the command line; None when it cannot be.

    Attributes:
        code: With what it ends.
    """

    def __init__(
        self,
        session: Session,
        program: Program,
        given: dict[str, Value],
        arguments: list[str],
        source: Callable[[str], str | None],
    ) -> None:
        super().__init__(session, given, arguments, source)
        self.program = program
        self._shared = shared_parameters(program)
        self.code = self._depth = 0
        self._inside: set[int] = set()
        self._statements: dict[str, Callable[[Tree], None]] = {
            "expression": self._expression,
            "print": self._print, "printf": self._print, "block": lambda node: self._block(node[1]),
            "if": self._if, "while": self._while, "do": self._do, "for": self._for,
            "each": self._each, "delete": self._delete,
        }  # fmt: skip
        self._values: dict[str, Callable[[Tree], Value]] = {
            "constant": lambda node: node[1], "group": lambda node: self.value(node[1]),
            "list": lambda node: self.key(node[1]),
            "variable": lambda node: self.variable(node[1]),
            "field": lambda node: self.field(int(self.number(node[1]))),
            "element": lambda node: self.array(node[1]).found(self.key(node[2])),
            "regex": lambda node: float(self._hit(node, self.field(0))),
            "assign": self._assign, "before": self._counted, "after": self._counted,
            "call": self._call, "getline": self._getline, "unary": self._signed,
            "choice": lambda node: self.value(node[2 if self.truth(node[1]) else 3]),
            "or": lambda node: float(self.truth(node[1]) or self.truth(node[2])),
            "and": lambda node: float(self.truth(node[1]) and self.truth(node[2])),
            "in": lambda node: float(self.text(self.value(node[1])) in self.array(node[2])),
            "match": lambda node: float(
                self._hit(node[3], self.text(self.value(node[2]))) == (node[1] == "~")
            ),
            "compare": self._compared,
            "join": self._joined,
            "number": lambda node: self._calculated(
                node[1], self.number(node[2]), self.number(node[3])
            ),
        }  # fmt: skip

    def run(self) -> None:
        """Carry out the program.

        Raises:
            AwkError: It cannot go on.
        """
        try:
            self._always("BEGIN")
            if any(rule.pattern != "BEGIN" for rule in self.program.rules):
                while self.read_line():
                    spend(_STATEMENT_STEPS)
                    self._rules()
        except _Exit:
            pass
        with contextlib.suppress(_Exit):
            self._always("END")
        self.streams.end()

    def value(self, node: Tree) -> Value:
        """What an expression is worth."""
        return self._values[node[0]](node)

    def number(self, node: Tree) -> float:
        """The same as a number."""
        return number_of(self.value(node))

    def truth(self, node: Tree) -> bool:
        """Whether it is true."""
        return is_true(self.value(node))

    def key(self, nodes: tuple[Tree, ...]) -> str:
        """The index that expressions name together."""
        return self.text(self.variable("SUBSEP")).join(self.text(self.value(n)) for n in nodes)

    def pattern(self, node: Tree) -> str:
        """An expression that stands for a regular one."""
        return str(node[1]) if node[0] == "regex" else self.text(self.value(node))

    def _always(self, word: str) -> None:
        # BusyBox lets these end what is no line and no function.
        with contextlib.suppress(_Next, _NextFile, _Return):
            for rule in self.program.rules:
                if rule.pattern == word and rule.action is not None:
                    self._block(rule.action)

    def _rules(self) -> None:
        try:
            for number, rule in enumerate(self.program.rules):
                if rule.pattern in ("BEGIN", "END") or not self._applies(number, rule.pattern):
                    continue
                if rule.action is None:
                    self.streams.put(self.text(self.field(0)) + self.text(self.variable("ORS")))
                else:
                    self._block(rule.action)
        except (_Next, _Return):
            pass
        except _NextFile:
            self.leave_file()

    def _applies(self, number: int, pattern: Any) -> bool:
        if pattern is None:
            return True
        if pattern[0] != "range":
            return self.truth(pattern)
        if number not in self._inside:
            if not self.truth(pattern[1]):
                return False
            self._inside.add(number)
        if self.truth(pattern[2]):
            self._inside.discard(number)
        return True

    def _block(self, statements: tuple[Tree, ...]) -> None:
        for statement in statements:
            self._step()
            known = self._statements.get(statement[0])
            if known is None:
                self._leave(statement)
            else:
                known(statement)

    def _step(self) -> None:
        spend(_STATEMENT_STEPS)

    def _leave(self, node: Tree) -> None:
        kind = node[0]
        if kind == "exit":
            if node[1] is not None:
                self.code = int(self.number(node[1])) & 255
            raise _Exit
        if kind == "return":
            raise _Return(NOTHING if node[1] is None else self.value(node[1]))
        raise {"next": _Next, "nextfile": _NextFile}.get(kind, _Leave)(kind)

    def _expression(self, node: Tree) -> None:
        self.value(node[1])

    def _if(self, node: Tree) -> None:
        self._block(node[2] if self.truth(node[1]) else node[3])

    def _while(self, node: Tree) -> None:
        while self.truth(node[1]) and self._round(node[2]):
            pass

    def _do(self, node: Tree) -> None:
        while self._round(node[1]) and self.truth(node[2]):
            pass

    def _for(self, node: Tree) -> None:
        _, start, test, step, body = node
        if start is not None:
            self._block((start,))
        while (test is None or self.truth(test)) and self._round(body):
            if step is not None:
                self._block((step,))

    def _each(self, node: Tree) -> None:
        for key in self.array(node[2]).order():
            self.set_variable(node[1], Input(key))
            if not self._round(node[3]):
                return

    def _round(self, body: tuple[Tree, ...]) -> bool:
        self._step()
        try:
            self._block(body)
        except _Leave as leave:
            return str(leave) == "continue"
        return True

    def _delete(self, node: Tree) -> None:
        array = self.array(node[1])
        if node[2] is None:
            array.clear()
        else:
            array.remove(self.key(node[2]))

    def _print(self, node: Tree) -> None:
        values = [self.value(value) for value in node[1]]
        if node[0] == "printf":
            text = self.formatted(values)
        else:
            form = self.text(self.variable("OFMT"))
            shown = [self.text(value, form) for value in values] or [self.text(self.field(0))]
            text = self.text(self.variable("OFS")).join(shown) + self.text(self.variable("ORS"))
        if not node[2]:
            self.streams.put(text)
            return
        name = self.text(self.value(node[3]))
        if why := self.streams.write(node[2], name, text):
            raise AwkError("write", name, why)

    def formatted(self, values: list[Value]) -> str:
        """`printf` of a format and values."""
        form = self.text(values[0]) if values else ""
        if self.session.busybox and "*" in form and "%*" in form:
            raise AwkError("star")
        try:
            return formatted(form, values[1:], strict=not self.session.busybox)
        except FormatError as error:
            raise AwkError(str(error), form) from None

    def _hit(self, node: Tree, text: str) -> bool:
        return compiled(self.pattern(node), extended=True).search(text) is not None

    def _joined(self, node: Tree) -> Value:
        left, right = self.text(self.value(node[1])), self.text(self.value(node[2]))
        if len(left) + len(right) > _NOTICED:
            allocate(len(left) + len(right))
        return left + right

    def _compared(self, node: Tree) -> Value:
        left, right = self.value(node[2]), self.value(node[3])
        numbers: tuple[Any, Any] = as_number(left), as_number(right)
        first, second = (self.text(left), self.text(right)) if None in numbers else numbers
        operator = node[1]
        if operator in ("==", "!="):
            return float((first == second) == (operator == "=="))
        if operator in ("<", ">="):
            return float((first < second) == (operator == "<"))
        return float((first > second) == (operator == ">"))

    def _signed(self, node: Tree) -> Value:
        if node[1] == "!":
            return float(not self.truth(node[2]))
        number = self.number(node[2])
        return 0.0 - number if node[1] == "-" else number

    def _calculated(self, operator: str, left: float, right: float) -> float:
        if operator in ("/", "%") and right == 0:
            if self.session.busybox:
                raise AwkError("zero")
            return float("nan") if operator == "%" or left == 0 else float("inf") * left
        if operator == "^":
            return self._power(left, right)
        if operator == "%":
            return left - right * int(left / right)
        if operator == "/":
            return left / right
        return {"+": left + right, "-": left - right, "*": left * right}[operator]

    def _power(self, left: float, right: float) -> float:
        if self.session.flavour == "busybox":
            raise AwkError("math")
        try:
            return float(left**right)
        except (OverflowError, ZeroDivisionError):
            return float("inf")

    def _assign(self, node: Tree) -> Value:
        value = self.value(node[3])
        if node[1] != "=":
            value = self._calculated(node[1][0], self.number(node[2]), number_of(value))
        self.store(node[2], value)
        return value

    def _counted(self, node: Tree) -> Value:
        old = self.number(node[2])
        new = old + (1 if node[1] == "++" else -1)
        self.store(node[2], new)
        return new if node[0] == "before" else old

    def store(self, node: Tree, value: Value) -> None:
        """Set a variable, an element or a field."""
        if node[0] == "variable":
            self.set_variable(node[1], value)
        elif node[0] == "element":
            self.array(node[1]).put(self.key(node[2]), value)
        elif node[0] == "field":
            self.set_field(int(self.number(node[1])), self.text(value))

    def _getline(self, node: Tree) -> Value:
        _, sign, name, into = node
        if sign:
            text = self.text(self.value(name))
            records = self.streams.command(text) if sign == "|" else self.streams.file(text)
            if records is None:
                return -1.0
            found = records.following(self.text(self.variable("RS")))
            if found is not None and sign == "|":
                self.globals["NR"] = number_of(self.variable("NR")) + 1
        else:
            found = self.read_record()
        if found is None:
            return 0.0
        if into is None:
            self.set_line(found)
        else:
            self.store(into, Input(found))
        return 1.0

    def _call(self, node: Tree) -> Value:
        _, name, arguments = node
        if name in BUILTINS:
            return call(self, name, arguments)
        function = self.program.functions.get(name)
        if function is None:
            raise AwkError("function", name)
        spend(_STATEMENT_STEPS)
        if self._depth >= _DEEPEST:
            raise AwkError("function", name)
        frame: dict[str, Value | Table] = {}
        for place, parameter in enumerate(function.parameters):
            shared = (name, place) in self._shared
            if place >= len(arguments):
                frame[parameter] = self.table() if shared else NOTHING
            elif shared:
                frame[parameter] = self.array(arguments[place][1])
            else:
                frame[parameter] = self.value(arguments[place])
        self.frames.append(frame)
        self._depth += 1
        try:
            self._block(function.body)
        except _Return as found:
            return found.value
        finally:
            self.frames.pop()
            self._depth -= 1
        return NOTHING
