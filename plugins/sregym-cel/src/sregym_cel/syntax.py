"""From text to a tree."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

from sregym_cel.values import INT_MAX, UINT_MAX, CompileError, Uint

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      | (?P<number>0[xX][0-9a-fA-F]+[uU]?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+|\d+[uU]?)
      | (?P<string>(?:[rR][bB]?|[bB][rR]?)?(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''
          |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
      | (?P<name>[A-Za-z_]\w*)
      | (?P<quoted>`[\w.\-/ ]+`)
      | (?P<sign>\[\?|&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)
_RELATIONS = ("<", "<=", ">", ">=", "==", "!=", "in")
_RESERVED = frozenset(
    (
        *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let"),
        *("loop", "namespace", "package", "return", "var", "void", "while"),
    )
)
_DEPTH = 50
_ESCAPE = re.compile(
    r"\\([xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U00[01][0-9a-fA-F]{5}|[0-3][0-7]{2}|.)", re.S
)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPES |= {sign: sign for sign in "\\?\"'`"}


class Token(NamedTuple):
    """One word of an expression."""

    kind: str
    text: str
    offset: int


@dataclass(frozen=True)
class Node:
    """One part of an expression.

    Attributes:
        kind: `literal`, `name`, `select`, `test`, `index`, `call`, `list`, `map`.
        offset: Where it stands in the text (the operator, for a call).
        value: The literal; the name; the field; the function.
        parts: Operand and arguments. A method's target comes first; items of a list; keys and
            values of a map in turn.
        method: Whether the first part of a call is its target.
        optional: For `select` and `index`: `.?x` and `[?x]`; for lists and maps the positions of
            optional entries.
    """

    kind: str
    offset: int
    value: Any = None
    parts: tuple[Node, ...] = ()
    method: bool = False
    optional: tuple[int, ...] | bool = False


def parse(source: str) -> Node:
    """The tree of an expression.

    Raises:
        CompileError: Syntax error.
    """
    return _Parser(source).whole()


def _tokens(source: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            text = source[at]
            message = f"Syntax error: token recognition error at: '{text}'"
            raise CompileError(message, at, source)
        kind = str(match.lastgroup)
        if kind != "space":
            found.append(Token(kind, match.group(0), at))
        at = match.end()
    found.append(Token("end", "<EOF>", len(source)))
    return found


# What mutations of policies are written with; their fields are those of the object.
_TYPES = ("Object", "JSONPatch")


def _names_a_type(node: Node) -> bool:
    """Whether a name, or a path of names, is that of a type: `Object.spec.template`."""
    while node.kind == "select":
        (node,) = node.parts
    return node.kind == "name" and node.value in _TYPES


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self._tokens = _tokens(source)
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._expression()
        if self._peek.kind != "end":
            self._refuse("<EOF>")
        return node

    @property
    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _accept(self, *texts: str) -> Token | None:
        token = self._peek
        if token.kind in ("sign", "name") and token.text in texts:
            self._at += 1
            return token
        return None

    def _expect(self, text: str) -> Token:
        token = self._accept(text)
        if token is None:
            self._refuse(f"'{text}'")
        assert token is not None
        return token

    def _refuse(self, expected: str = "") -> None:
        token = self._peek
        if expected:
            message = f"Syntax error: mismatched input '{token.text}' expecting {expected}"
        else:
            message = (
                f"Syntax error: mismatched input '{token.text}' expecting {{'[', '{{', '(', '.', "
                "'-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
                "IDENTIFIER}"
            )
        raise CompileError(message, token.offset, self._source)

    def _expression(self) -> Node:
        self._depth += 1
        if self._depth > _DEPTH:
            message = f"expression recursion limit exceeded: {_DEPTH}"
            raise CompileError(message, self._peek.offset, self._source)
        condition = self._either()
        if (token := self._accept("?")) is not None:
            first = self._either()
            self._expect(":")
            second = self._expression()
            condition = Node("call", token.offset, "_?_:_", (condition, first, second))
        self._depth -= 1
        return condition

    def _either(self) -> Node:
        left = self._both()
        while (token := self._accept("||")) is not None:
            left = Node("call", token.offset, "_||_", (left, self._both()))
        return left

    def _both(self) -> Node:
        left = self._relation()
        while (token := self._accept("&&")) is not None:
            left = Node("call", token.offset, "_&&_", (left, self._relation()))
        return left

    def _relation(self) -> Node:
        left = self._sum()
        while (token := self._accept(*_RELATIONS)) is not None:
            name = "@in" if token.text == "in" else f"_{token.text}_"
            left = Node("call", token.offset, name, (left, self._sum()))
        return left

    def _sum(self) -> Node:
        left = self._product()
        while (token := self._accept("+", "-")) is not None:
            left = Node("call", token.offset, f"_{token.text}_", (left, self._product()))
        return left

    def _product(self) -> Node:
        left = self._unary()
        while (token := self._accept("*", "/", "%")) is not None:
            left = Node("call", token.offset, f"_{token.text}_", (left, self._unary()))
        return left

    def _unary(self) -> Node:
        token = self._accept("!", "-")
        if token is None:
            return self._member()
        if token.text == "-" and self._peek.kind == "number":
            literal = self._number(self._next(), token.offset, negative=True)
            return self._members(literal)
        self._depth += 1
        if self._depth > _DEPTH:
            message = f"expression recursion limit exceeded: {_DEPTH}"
            raise CompileError(message, token.offset, self._source)
        operand = self._unary()
        self._depth -= 1
        return Node("call", token.offset, "!_" if token.text == "!" else "-_", (operand,))

    def _member(self) -> Node:
        return self._members(self._primary())

    def _members(self, node: Node) -> Node:
        while True:
            if self._peek.text == "{" and _names_a_type(node):
                return self._members(self._message(self._next(), node))
            if (token := self._accept(".")) is not None:
                optional = self._accept("?") is not None
                name = self._next()
                if name.kind == "quoted":
                    name = name._replace(kind="name", text=name.text.strip("`"))
                if name.kind != "name":
                    self._at -= 1
                    self._refuse("IDENTIFIER")
                if (opened := self._accept("(")) is not None:
                    node = self._method(node, name.text, opened)
                else:
                    node = Node("select", token.offset, name.text, (node,), optional=optional)
            elif (token := self._accept("[", "[?")) is not None:
                optional = token.text == "[?" or self._accept("?") is not None
                key = self._expression()
                self._expect("]")
                node = Node("index", token.offset, None, (node, key), optional=optional)
            else:
                return node

    def _method(self, target: Node, name: str, opened: Token) -> Node:
        arguments = self._arguments(")")
        if (target.kind, target.value, name) == ("name", "jsonpatch", "escapeKey"):
            # A key as a part of a JSON pointer.
            (node,) = arguments
            for found, instead in (("~", "~0"), ("/", "~1")):
                texts = (Node("literal", opened.offset, text) for text in (found, instead))
                node = Node("call", opened.offset, "replace", (node, *texts), True)
            return node
        return Node("call", opened.offset, name, (target, *arguments), True)

    def _arguments(self, end: str) -> list[Node]:
        found: list[Node] = []
        while self._accept(end) is None:
            found.append(self._expression())
            if self._accept(",") is None:
                self._expect(end)
                break
        return found

    def _primary(self) -> Node:
        token = self._next()
        if token.kind == "number":
            return self._number(token, token.offset)
        if token.kind == "string":
            return Node("literal", token.offset, self._string(token))
        if token.kind == "name":
            return self._name(token)
        if token.text == "(":
            node = self._expression()
            self._expect(")")
            return node
        if token.text in ("[", "[?"):
            return self._list(token)
        if token.text == "{":
            return self._map(token)
        if token.text == "." and self._peek.kind == "name":
            return self._name(self._next())
        self._at -= 1
        self._refuse()
        raise AssertionError

    def _name(self, token: Token) -> Node:
        constants = {"true": True, "false": False, "null": None}
        if token.text in constants:
            return Node("literal", token.offset, constants[token.text])
        if token.text in _RESERVED:
            message = f"reserved identifier: {token.text}"
            raise CompileError(message, token.offset, self._source)
        if (opened := self._accept("(")) is not None:
            return Node("call", opened.offset, token.text, tuple(self._arguments(")")))
        return Node("name", token.offset, token.text)

    def _list(self, opened: Token) -> Node:
        items: list[Node] = []
        optional: list[int] = [0] if opened.text == "[?" else []
        while self._accept("]") is None:
            if self._accept("?") is not None:
                optional.append(len(items))
            items.append(self._expression())
            if self._accept(",") is None:
                self._expect("]")
                break
        return Node("list", opened.offset, None, tuple(items), optional=tuple(optional))

    def _message(self, opened: Token, name_of_type: Node) -> Node:
        """`Type{field: value}`: a map whose keys are the fields, and whose value names the type."""
        parts: list[Node] = []
        while self._accept("}") is None:
            name = self._next()
            if name.kind not in ("name", "quoted"):
                self._at -= 1
                self._refuse("IDENTIFIER")
            parts.append(Node("literal", name.offset, name.text.strip("`")))
            self._expect(":")
            parts.append(self._expression())
            if self._accept(",") is None:
                self._expect("}")
                break
        path = [name_of_type.value]
        while name_of_type.kind == "select":
            (name_of_type,) = name_of_type.parts
            path.insert(0, name_of_type.value)
        return Node("map", opened.offset, ".".join(path), tuple(parts), optional=())

    def _map(self, opened: Token) -> Node:
        parts: list[Node] = []
        optional: list[int] = []
        while self._accept("}") is None:
            if self._accept("?") is not None:
                optional.append(len(parts) // 2)
            parts.append(self._expression())
            self._expect(":")
            parts.append(self._expression())
            if self._accept(",") is None:
                self._expect("}")
                break
        return Node("map", opened.offset, None, tuple(parts), optional=tuple(optional))

    def _number(self, token: Token, offset: int, negative: bool = False) -> Node:
        text = token.text
        sign = -1 if negative else 1
        value: int | float
        if text[-1] in "uU" and not negative:
            value = Uint(int(text[:-1], 0))
            if value > UINT_MAX:
                raise CompileError("invalid uint literal", offset, self._source)
        elif text.isdigit() or text[:2] in ("0x", "0X"):
            value = sign * int(text, 16 if text[:2] in ("0x", "0X") else 10)
            if not -INT_MAX - 1 <= value <= INT_MAX:
                raise CompileError("invalid int literal", offset, self._source)
        else:
            value = sign * float(text)
        return Node("literal", offset, value)

    def _string(self, token: Token) -> str | bytes:
        text = token.text
        prefix = text[: min(text.index(quote) for quote in "\"'" if quote in text)].lower()
        body = text[len(prefix) :]
        quotes = 3 if body[:3] in ('"""', "'''") else 1
        inner = body[quotes:-quotes]
        raw = "b" in prefix
        if raw:
            inner = inner.encode().decode("latin-1")  # a sign for each byte
        if "r" not in prefix:
            inner = self._unescaped(inner, token, raw)
        return inner.encode("latin-1") if raw else inner

    def _unescaped(self, text: str, token: Token, raw: bool) -> str:
        def one(match: re.Match[str]) -> str:
            code = match.group(1)
            if code[0] in "xX" or (code[0] in "uU" and len(code) > 1 and not raw):
                number = int(code[1:], 16)
                if not 0xD800 <= number <= 0xDFFF and number <= sys.maxunicode:
                    return chr(number)
            elif code[0].isdigit():
                return chr(int(code, 8))
            elif code in _ESCAPES:
                return _ESCAPES[code]
            raise CompileError("invalid string literal", token.offset, self._source)

        return _ESCAPE.sub(one, text) if "\\" in text else text
