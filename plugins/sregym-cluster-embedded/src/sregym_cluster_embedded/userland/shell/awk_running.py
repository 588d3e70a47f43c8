"""awk programs at work: fields, patterns, arrays, printf and the usual functions."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.awk_parsing import AwkSyntaxError, Rule, Tree
from sregym_cluster_embedded.userland.shell.patterns import compiled

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session

_STEPS = 200_000


class _Next(Exception):
    pass


class _Exit(Exception):
    pass


class _Leave(Exception):
    pass


class Awk:
    """Runs a program over lines."""

    def __init__(self, session: Session, rules: list[Rule], given: dict[str, str]) -> None:
        self.session = session
        self.rules = rules
        self.values: dict[str, Any] = {"FS": " ", "OFS": " ", "ORS": "\n", "RS": "\n", "NR": 0.0}
        self.values |= {"SUBSEP": "\x1c", "FILENAME": "", "FNR": 0.0, **given}
        self.arrays: dict[str, dict[str, Any]] = {"ENVIRON": dict(session.environment)}
        self.out, self.code, self.steps = "", 0, 0
        self.line, self.fields = "", [""]
        self.inside: dict[int, bool] = {}

    def run(self, lines: list[str]) -> None:
        """Carry out the program."""
        try:
            self._begin_or_end("BEGIN")
            if any(rule.pattern != "BEGIN" for rule in self.rules):
                for line in lines:
                    self.values["NR"] = self.values["FNR"] = self.values["NR"] + 1.0
                    self._split(line)
                    self._line()
        except _Exit:
            pass
        with contextlib.suppress(_Exit):
            self._begin_or_end("END")

    def _begin_or_end(self, word: str) -> None:
        for rule in self.rules:
            if rule.pattern == word and rule.action is not None:
                self._block(rule.action)

    def _line(self) -> None:
        try:
            for number, rule in enumerate(self.rules):
                if rule.pattern in ("BEGIN", "END") or not self._applies(number, rule.pattern):
                    continue
                if rule.action is None:
                    self.out += self.line + str(self.values["ORS"])
                else:
                    self._block(rule.action)
        except _Next:
            pass

    def _applies(self, number: int, pattern: Any) -> bool:
        if pattern is None:
            return True
        if pattern[0] != "range":
            return self._truth(self._value(pattern))
        if not self.inside.get(number):
            if not self._truth(self._value(pattern[1])):
                return False
            self.inside[number] = True
        if self._truth(self._value(pattern[2])):
            self.inside[number] = False
        return True

    def _split(self, line: str) -> None:
        self.line = line
        self.fields = [line, *self._parts(line, str(self.values["FS"]))]

    def _parts(self, text: str, separator: str) -> list[str]:
        if separator == " ":
            return text.split()
        if not text:
            return []
        if len(separator) == 1 and separator not in "\\":
            return text.split(separator)
        return re.split(compiled(separator, extended=True), text)

    def _block(self, statements: tuple[Tree, ...]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, node: Tree) -> None:
        self.steps += 1
        if self.steps > _STEPS:
            raise _Exit
        kind = node[0]
        if kind == "expression":
            self._value(node[1])
        elif kind in ("print", "printf"):
            self._print(node)
        elif kind == "if":
            self._block(node[2] if self._truth(self._value(node[1])) else node[3])
        elif kind == "block":
            self._block(node[1])
        elif kind in ("while", "for", "each"):
            self._loop(node)
        elif kind == "delete":
            array = self.arrays.setdefault(node[1], {})
            if node[2] is None:
                array.clear()
            else:
                array.pop(self._text(self._value(node[2])), None)
        elif kind == "next":
            raise _Next
        elif kind == "exit":
            if node[1] is not None:
                self.code = int(self._number(self._value(node[1])))
            raise _Exit
        else:
            raise _Leave(kind)

    def _loop(self, node: Tree) -> None:
        if node[0] == "each":
            for key in list(self.arrays.get(node[2], {})):
                self.values[node[1]] = key
                if not self._round(node[3]):
                    return
            return
        start, test, step, body = (None, node[1], None, node[2]) if node[0] == "while" else node[1:]
        if start is not None:
            self._statement(start)
        while test is None or self._truth(self._value(test)):
            if not self._round(body):
                return
            if step is not None:
                self._statement(step)

    def _round(self, body: tuple[Tree, ...]) -> bool:
        self.steps += 1
        if self.steps > _STEPS:
            raise _Exit
        try:
            self._block(body)
        except _Leave as leave:
            return str(leave) == "continue"
        return True

    def _print(self, node: Tree) -> None:
        values = [self._value(value) for value in node[1]]
        if node[0] == "printf":
            text = self._formatted(values)
        else:
            shown = [self._text(value) for value in values] if values else [self.line]
            text = str(self.values["OFS"]).join(shown) + str(self.values["ORS"])
        if node[2] is None:
            self.out += text
            return
        path = self.session.path(self._text(self._value(node[2])))
        if path in ("/dev/stdout", "/dev/stderr"):
            self.out += text
            return
        try:
            self.session.files.write(path, (self.session.files.read(path) or "") + text)
        except FileError:
            self.code = 2

    def _formatted(self, values: list[Any]) -> str:
        form, rest = self._text(values[0]) if values else "", values[1:]

        def one(match: re.Match[str]) -> str:
            spec = match.group()
            if spec.endswith("%"):
                return "%"
            value = rest.pop(0) if rest else ""
            if spec[-1] in "di":
                return str((spec[:-1] + "d") % int(self._number(value)))
            if spec[-1] in "feEgG":
                return str(spec % self._number(value))
            if spec[-1] in "xXo":
                return str(spec % int(self._number(value)))
            if spec[-1] == "c":
                code = chr(int(value) & 255) if isinstance(value, float) else ""
                return code or self._text(value)[:1]
            return str(spec % self._text(value))

        return re.sub(r"%[-+ 0#]*\d*(?:\.\d+)?[diosxXfeEgGc%]", one, form)

    def _value(self, node: Tree) -> Any:
        kind = node[0]
        if kind == "constant":
            return node[1]
        if kind == "group":
            return self._value(node[1])
        if kind == "list":
            return str(self.values["SUBSEP"]).join(self._text(self._value(v)) for v in node[1])
        if kind == "variable":
            return float(len(self.fields) - 1) if node[1] == "NF" else self.values.get(node[1], "")
        if kind == "field":
            return self._field(int(self._number(self._value(node[1]))))
        if kind == "element":
            return self.arrays.setdefault(node[1], {}).setdefault(self._key(node[2]), "")
        if kind == "regex":
            return float(compiled(node[1], extended=True).search(self.line) is not None)
        if kind == "assign":
            return self._assign(node)
        if kind in ("before", "after"):
            old = self._number(self._value(node[2]))
            new = old + (1 if node[1] == "++" else -1)
            self._store(node[2], new)
            return new if kind == "before" else old
        if kind == "call":
            return self._call(node[1], node[2])
        return self._operation(node)

    def _operation(self, node: Tree) -> Any:
        kind = node[0]
        if kind == "choice":
            return self._value(node[2] if self._truth(self._value(node[1])) else node[3])
        if kind == "or":
            return float(self._truth(self._value(node[1])) or self._truth(self._value(node[2])))
        if kind == "and":
            return float(self._truth(self._value(node[1])) and self._truth(self._value(node[2])))
        if kind == "in":
            return float(self._text(self._value(node[1])) in self.arrays.get(node[2], {}))
        if kind == "match":
            pattern = node[3][1] if node[3][0] == "regex" else self._text(self._value(node[3]))
            hit = compiled(pattern, extended=True).search(self._text(self._value(node[2])))
            return float((hit is not None) == (node[1] == "~"))
        if kind == "compare":
            return float(self._compared(node[1], self._value(node[2]), self._value(node[3])))
        if kind == "join":
            return self._text(self._value(node[1])) + self._text(self._value(node[2]))
        if kind == "unary":
            value = self._value(node[2])
            if node[1] == "!":
                return float(not self._truth(value))
            return -self._number(value) if node[1] == "-" else self._number(value)
        return self._calculated(
            node[1], self._number(self._value(node[2])), self._number(self._value(node[3]))
        )

    @staticmethod
    def _calculated(operator: str, left: float, right: float) -> float:
        if operator in ("/", "%") and right == 0:
            raise AwkSyntaxError("division by zero")
        if operator == "/":
            return left / right
        if operator == "%":
            return float(left - right * int(left / right))
        if operator == "^":
            return float(left**right)
        return {"+": left + right, "-": left - right, "*": left * right}[operator]

    def _assign(self, node: Tree) -> Any:
        value = self._value(node[3])
        if node[1] != "=":
            value = self._calculated(
                node[1][0], self._number(self._value(node[2])), self._number(value)
            )
        self._store(node[2], value)
        return value

    def _store(self, node: Tree, value: Any) -> None:
        if node[0] == "variable":
            if node[1] == "NF":
                self.fields = self.fields[: int(self._number(value)) + 1]
                self._rejoin()
            self.values[node[1]] = value
        elif node[0] == "element":
            self.arrays.setdefault(node[1], {})[self._key(node[2])] = value
        elif node[0] == "field":
            number = int(self._number(self._value(node[1])))
            if number == 0:
                self._split(self._text(value))
                return
            while len(self.fields) <= number:
                self.fields.append("")
            self.fields[number] = self._text(value)
            self._rejoin()

    def _rejoin(self) -> None:
        self.line = self.fields[0] = str(self.values["OFS"]).join(self.fields[1:])

    def _field(self, number: int) -> str:
        return self.fields[number] if 0 <= number < len(self.fields) else ""

    def _key(self, nodes: tuple[Tree, ...]) -> str:
        return str(self.values["SUBSEP"]).join(self._text(self._value(node)) for node in nodes)

    def _call(self, name: str, nodes: tuple[Tree, ...]) -> Any:
        if name in ("sub", "gsub"):
            return self._replace(name, nodes)
        if name == "split":
            text = self._text(self._value(nodes[0]))
            separator = str(self.values["FS"])
            if len(nodes) > 2:
                separator = (
                    nodes[2][1] if nodes[2][0] == "regex" else self._text(self._value(nodes[2]))
                )
            parts = self._parts(text, separator)
            self.arrays[nodes[1][1]] = {str(n): part for n, part in enumerate(parts, start=1)}
            return float(len(parts))
        if name == "length" and nodes and nodes[0][0] == "variable" and nodes[0][1] in self.arrays:
            return float(len(self.arrays[nodes[0][1]]))
        if name == "match":
            pattern = nodes[1][1] if nodes[1][0] == "regex" else self._text(self._value(nodes[1]))
            hit = compiled(pattern, extended=True).search(self._text(self._value(nodes[0])))
            self.values["RSTART"] = float(hit.start() + 1) if hit else 0.0
            self.values["RLENGTH"] = float(len(hit.group())) if hit else -1.0
            return self.values["RSTART"]
        values = [self._value(node) for node in nodes]
        return self._function(name, values)

    def _function(self, name: str, values: list[Any]) -> Any:
        first = self._text(values[0]) if values else self.line
        if name == "length":
            return float(len(first))
        if name == "substr":
            start = max(1, int(self._number(values[1])))
            end = len(first) + 1 if len(values) < 3 else start + int(self._number(values[2]))
            return first[max(0, start - 1) : max(0, end - 1)]
        if name == "index":
            return float(first.find(self._text(values[1])) + 1)
        if name in ("tolower", "toupper"):
            return first.lower() if name == "tolower" else first.upper()
        if name == "sprintf":
            return self._formatted(values)
        if name == "int":
            return float(int(self._number(values[0])))
        if name == "systime":
            return float(int(self.session.files.now))
        if name == "sqrt":
            return self._number(values[0]) ** 0.5
        raise AwkSyntaxError(f"calling undefined function {name}")

    def _replace(self, name: str, nodes: tuple[Tree, ...]) -> float:
        pattern = nodes[0][1] if nodes[0][0] == "regex" else self._text(self._value(nodes[0]))
        target = nodes[2] if len(nodes) > 2 else ("field", ("constant", 0.0))
        new = self._text(self._value(nodes[1]))

        def fresh(match: re.Match[str]) -> str:
            return re.sub(r"\\&|&", lambda m: "&" if m.group() == "\\&" else match.group(), new)

        text, count = compiled(pattern, extended=True).subn(
            fresh, self._text(self._value(target)), count=0 if name == "gsub" else 1
        )
        if count:
            self._store(target, text)
        return float(count)

    def _truth(self, value: Any) -> bool:
        if isinstance(value, float):
            return value != 0
        return (_looks_numeric(value) is None and value != "") or bool(_looks_numeric(value))

    def _compared(self, operator: str, left: Any, right: Any) -> bool:
        numbers: tuple[Any, Any] = _looks_numeric(left), _looks_numeric(right)
        words = self._text(left), self._text(right)
        first, second = words if None in numbers else numbers
        return bool(
            {
                "<": first < second, "<=": first <= second, "==": first == second,
                "!=": first != second, ">": first > second, ">=": first >= second,
            }[operator]
        )  # fmt: skip

    @staticmethod
    def _number(value: Any) -> float:
        if isinstance(value, float):
            return value
        match = re.match(r"\s*[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+)", str(value))
        return float(match.group()) if match else 0.0

    @staticmethod
    def _text(value: Any) -> str:
        if isinstance(value, float):
            return str(int(value)) if value == int(value) and abs(value) < 1e16 else f"{value:.6g}"
        return str(value)


def _looks_numeric(value: Any) -> float | None:
    if isinstance(value, float):
        return value
    if re.fullmatch(r"\s*[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+)\s*", str(value)):
        return float(value)
    return 0.0 if value == "" else None
