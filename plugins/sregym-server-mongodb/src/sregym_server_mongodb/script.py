"""The syntax of the small JavaScript that people type into a database's shell."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, TypeAlias

from sregym_cluster_embedded.sdk.commands import spend

_TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/"
    r"|(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?)"
    r"|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<mark>=>|===|!==|==|!=|<=|>=|&&|\|\||\+\+|--|\+=|-=|[-+*/%<>=!?:.,;(){}\[\]])",
    re.S,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0"}
_LEVELS = (
    ("||",),
    ("&&",),
    ("===", "!==", "==", "!="),
    ("<", ">", "<=", ">="),
    ("+", "-"),
    ("*", "/", "%"),
)

Tree: TypeAlias = tuple[Any, ...]


class Undefined:
    """The value that is none."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()


NOT_IN_FUNCTION = "return not in function"


class ScriptError(Exception):
    """An exception of the script.

    Attributes:
        message: What the old shell says.
        code: Of the server's error; None for errors of the shell.
        name: Of its kind; empty where the message says all.
        column: Where in its line it came up.
        plain: What the server says, without the old shell's words around it.
        frames: Calls through which it came, where they are not the usual ones.
    """

    def __init__(
        self,
        message: str,
        code: int | None = None,
        name: str = "Error",
        column: int = 1,
        plain: str = "",
        frames: str = "",
    ) -> None:
        super().__init__(message)
        self.plain = plain or message.removesuffix(" :")
        self.frames = frames
        self.column = column
        self.message = message
        self.code = code
        self.name = name


# What it takes to read one character of a script.
_CHARACTER_STEPS = 6


def parse_script(text: str) -> list[Tree]:
    """The statements of a script; immutable.

    Raises:
        ScriptError: A SyntaxError.
    """
    spend(_CHARACTER_STEPS * len(text))
    return _parsed(text)


@lru_cache(maxsize=256)
def _parsed(text: str) -> list[Tree]:
    return _Parser(text).statements()


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, bool]] = []
        self.columns: list[int] = []
        self.length, self.functions = len(text), 0
        at, line, fresh = 0, 0, False
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise ScriptError("illegal character", name="SyntaxError")
            if found.lastgroup is None:
                fresh = fresh or "\n" in found.group()
            else:
                self.tokens.append((found.lastgroup, found.group(), fresh))
                self.columns.append(at - line)
                fresh = False
            broken = text.rfind("\n", at, found.end())
            line = broken + 1 if broken >= 0 else line
            at = found.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self, *marks: str) -> str:
        if self.kind() in ("mark", "name") and self.peek() in marks:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return ""

    def need(self, mark: str) -> None:
        if not self.take(mark):
            raise self.unexpected()

    def unexpected(self) -> ScriptError:
        """What SpiderMonkey says of the present token."""
        if not self.peek():
            column = self.length
            return ScriptError(
                "expected expression, got end of script", name="SyntaxError", column=column
            )
        kind, text = self.kind(), self.peek()
        shown = {"name": "identifier", "number": "numeric literal", "string": "string literal"}
        what = f"unexpected token: {shown.get(kind, repr(text))}"
        return ScriptError(what, name="SyntaxError", column=self.columns[self.at])

    def statements(self, end: str = "") -> list[Tree]:
        found = []
        while self.at < len(self.tokens) and self.peek() != (end or None):
            if self.take(";"):
                continue
            found.append(self.statement())
        return found

    def block(self) -> list[Tree]:
        if not self.take("{"):
            return [self.statement()]
        body = self.statements("}")
        self.need("}")
        return body

    def statement(self) -> Tree:
        if self.kind() == "name":
            if self.take("var", "let", "const"):
                return self.declaration()
            if self.take("if"):
                self.need("(")
                test = self.expression()
                self.need(")")
                body = self.block()
                return "if", test, body, self.block() if self.take("else") else []
            if self.take("try"):
                body = self.block()
                self.need("catch")
                name = ""
                if self.take("("):
                    name, self.at = self.peek(), self.at + 1
                    self.need(")")
                return "try", body, name, self.block()
            if self.take("return"):
                if not self.functions:
                    column = self.columns[self.at - 1]
                    raise ScriptError(NOT_IN_FUNCTION, name="SyntaxError", column=column)
                ends = self.peek() in (";", "}", "")
                return "return", ("value", UNDEFINED) if ends else self.expression()
            if self.take("throw"):
                return "throw", self.expression()
            if self.take("while"):
                self.need("(")
                test = self.expression()
                self.need(")")
                return "while", test, self.block()
        tree = self.expression()
        same_line = self.kind() in ("name", "number", "string") and not self.tokens[self.at][2]
        if not self.take(";") and same_line:
            raise self.unexpected()
        return "expression", tree

    def declaration(self) -> Tree:
        parts = []
        while True:
            name, self.at = self.peek(), self.at + 1
            value = self.expression() if self.take("=") else ("value", UNDEFINED)
            parts.append((name, value))
            if not self.take(","):
                self.take(";")
                return "declare", parts

    def expression(self) -> Tree:
        left = self.ternary()
        if operator := self.take("=", "+=", "-="):
            right = self.expression()
            if operator != "=":
                right = ("binary", operator[0], left, right)
            return "assign", left, right
        return left

    def ternary(self) -> Tree:
        test = self.binary(0)
        if not self.take("?"):
            return test
        first = self.expression()
        self.need(":")
        return "ternary", test, first, self.expression()

    def binary(self, level: int) -> Tree:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while operator := self.take(*_LEVELS[level]):
            left = ("binary", operator, left, self.binary(level + 1))
        return left

    def unary(self) -> Tree:
        if operator := self.take("!", "-", "+", "typeof"):
            return "unary", operator, self.unary()
        if self.take("new"):
            return self.unary()
        return self.postfix()

    def postfix(self) -> Tree:
        tree = self.primary()
        while True:
            if self.take("."):
                name, self.at = self.peek(), self.at + 1
                tree = ("member", tree, ("value", name))
            elif self.take("["):
                tree = ("member", tree, self.expression())
                self.need("]")
            elif self.take("("):
                tree = ("call", tree, self.arguments(")"))
            elif operator := self.take("++", "--"):
                tree = ("assign", tree, ("binary", operator[0], tree, ("value", 1)))
            else:
                return tree

    def arguments(self, end: str) -> list[Tree]:
        found = []
        while not self.take(end):
            found.append(self.expression())
            if not self.take(","):
                self.need(end)
                break
        return found

    def primary(self) -> Tree:
        kind, text = self.kind(), self.peek()
        if not kind:
            self.need("expression")
        self.at += 1
        if kind == "number":
            number = float(text)
            return "value", int(number) if number.is_integer() else number
        if kind == "string":
            body = text[1:-1]
            return "value", re.sub(
                r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), body, flags=re.S
            )
        if kind == "name":
            return self.named(text)
        if text == "(":
            return self.parenthesis()
        if text == "[":
            return "array", self.arguments("]")
        if text == "{":
            return self.object()
        self.at -= 1
        self.need("expression")
        raise AssertionError

    def named(self, text: str) -> Tree:
        constants = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}
        if text in constants:
            return "value", constants[text]
        if text == "function":
            if self.kind() == "name":
                self.at += 1
            self.need("(")
            names = [tree[1] for tree in self.arguments(")")]
            return "function", names, self.body()
        if self.take("=>"):
            return self.arrow([text])
        return "name", text

    def body(self) -> list[Tree]:
        self.functions += 1
        try:
            return self.block()
        finally:
            self.functions -= 1

    def parenthesis(self) -> Tree:
        inside = self.arguments(")")
        if self.take("=>"):
            return self.arrow([tree[1] for tree in inside])
        return inside[-1] if inside else ("value", UNDEFINED)

    def arrow(self, names: list[str]) -> Tree:
        if self.peek() == "{":
            return "function", names, self.body()
        return "function", names, [("return", self.expression())]

    def object(self) -> Tree:
        pairs = []
        while not self.take("}"):
            kind, key = self.kind(), self.peek()
            self.at += 1
            name = key[1:-1] if kind == "string" else key
            pairs.append((name, self.expression() if self.take(":") else ("name", name)))
            if not self.take(","):
                self.need("}")
                break
        return "object", pairs
