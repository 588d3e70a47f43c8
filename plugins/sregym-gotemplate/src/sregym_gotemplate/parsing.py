"""From tokens to a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from sregym_gotemplate.errors import ParseError
from sregym_gotemplate.lexing import Token, quoted, tokens_of
from sregym_gotemplate.literals import number, unquoted
from sregym_gotemplate.nodes import (
    Action,
    Branch,
    Call,
    Chain,
    Command,
    Dot,
    Field,
    Identifier,
    Jump,
    Literal,
    Nil,
    Node,
    Operand,
    Pipe,
    Text,
    Tree,
    Variable,
)

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

_OPERANDS = frozenset(("char", "dot", "field", "number", "raw", "string", "variable", "word"))
_CONSTANTS = {"true": True, "false": False}
# Go's limit is ten thousand; each level takes frames of Python.
_MOST_DEPTH = 100
TOO_DEEP = "max expression depth exceeded"


def parse(
    text: str,
    name: str = "template",
    functions: Container[str] | None = None,
    variables: Sequence[str] = (),
) -> Tree:
    """The tree of a template.

    Args:
        text: Its text.
        name: What messages call it.
        functions: The names of the functions that it may call; None for any.
        variables: The names, with their signs, of variables that are known before it begins.

    Raises:
        ParseError: It is none; says where, and what is wrong.
    """
    return _Parser(text, name, functions, variables).whole()


class _Parser:
    def __init__(
        self,
        text: str,
        name: str,
        functions: Container[str] | None,
        variables: Sequence[str],
    ) -> None:
        self._text, self._name, self._functions = text, name, functions
        self._tokens = tokens_of(text)
        self._at = 0
        self._given = ("$", *variables)
        self._variables = [*self._given]
        self._action_line = 0
        self._loops = self._depth = 0
        self._templates: dict[str, tuple[Node, ...]] = {}

    def whole(self) -> Tree:
        nodes, ended = self._nodes(top=True)
        if ended is not None:
            self._fail(f"unexpected {{{{{ended}}}}}")
        return Tree(self._name, self._text, nodes, self._templates)

    # Tokens.

    def _peek(self) -> Token:
        return self._tokens[min(self._at, len(self._tokens) - 1)]

    def _next(self) -> Token:
        token = self._peek()
        self._at += 1
        return token

    def _solid(self) -> Token:
        """The next token that is no space, which stays the next one."""
        while self._peek().kind == "space":
            self._at += 1
        return self._peek()

    def _expect(self, kind: str, context: str) -> Token:
        token = self._solid()
        if token.kind != kind:
            self._unexpected(token, context)
        return self._next()

    def _fail(self, what: str, line: int | None = None) -> NoReturn:
        at = min(max(self._at - 1, 0), len(self._tokens) - 1)
        raise ParseError(what, self._name, self._tokens[at].line if line is None else line)

    def _unexpected(self, token: Token, context: str) -> NoReturn:
        if token.kind != "error":
            self._fail(f"unexpected {token} in {context}", token.line)
        what = token.text
        if self._action_line not in (0, token.line):
            started = f"started at {self._name}:{self._action_line}"
            what += f" {started}" if what.endswith(" action") else f" in action {started}"
        self._fail(what, token.line)

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            self._fail(TOO_DEEP)

    # Blocks.

    def _nodes(self, *, top: bool = False) -> tuple[tuple[Node, ...], str | None]:
        """The parts up to an `end` or `else`, and which of them it was."""
        found: list[Node] = []
        while True:
            token = self._next()
            if token.kind == "end":
                if not top:
                    self._fail("unexpected EOF", token.line)
                return tuple(found), None
            if token.kind == "text":
                found.append(Text(token.pos, token.text))
            elif token.kind == "left":
                self._action_line = token.line
                node = self._action(top)
                self._action_line = 0
                if isinstance(node, str):
                    return tuple(found), node
                if node is not None:
                    found.append(node)
            else:
                self._unexpected(token, "input")

    def _action(self, top: bool) -> Node | str | None:
        token = self._solid()
        if token.kind != "keyword":
            return Action(token.pos, self._pipeline("command", "right"))
        self._next()
        keyword = token.text
        if keyword in ("if", "range", "with"):
            return self._branch(token)
        if keyword == "end":
            self._expect("right", "end")
            return "end"
        if keyword == "else":
            following = self._solid()
            if following.kind != "keyword" or following.text not in ("if", "with"):
                self._expect("right", "else")
            return "else"
        if keyword in ("break", "continue"):
            self._expect("right", f"{{{{{keyword}}}}}")
            if not self._loops:
                self._fail(f"{{{{{keyword}}}}} outside {{{{range}}}}")
            return Jump(token.pos, keyword)
        if keyword == "template":
            return self._call()
        if keyword == "block":
            return self._block(token)
        if not top:
            self._unexpected(token, "command")
        self._define()
        return None

    def _branch(self, opened: Token) -> Branch:
        self._deeper()
        known = len(self._variables)
        keyword = opened.text
        pipe = self._pipeline(keyword, "right")
        self._loops += keyword == "range"
        body, ended = self._nodes()
        self._loops -= keyword == "range"
        otherwise: tuple[Node, ...] = ()
        following = self._peek()
        if ended == "else" and following.kind == "keyword":
            # `else if` and `else with` end with the block that they belong to.
            if following.text != keyword or keyword == "range":
                self._unexpected(following, "input")
            self._next()
            otherwise = (self._branch(following),)
        elif ended == "else":
            otherwise, ended = self._nodes()
            if ended != "end":
                self._fail(f"expected end; found {{{{{ended}}}}}")
        del self._variables[known:]
        self._depth -= 1
        return Branch(opened.pos, keyword, pipe, body, otherwise)

    def _call(self) -> Call:
        pos = self._solid().pos
        name = self._template_name("template clause")
        pipe = None
        if self._solid().kind == "right":
            self._next()
        else:
            pipe = self._pipeline("template clause", "right")
        return Call(pos, name, pipe)

    def _template_name(self, context: str) -> str:
        token = self._solid()
        if token.kind not in ("string", "raw"):
            self._unexpected(token, context)
        self._next()
        return str(self._value_of(token))

    def _block(self, opened: Token) -> Call:
        name = self._template_name("block clause")
        pipe = self._pipeline("block clause", "right")
        self._body_of(name, "block clause")
        return Call(opened.pos, name, pipe)

    def _define(self) -> None:
        name = self._template_name("define clause")
        self._expect("right", "define clause")
        self._body_of(name, "define clause")

    def _body_of(self, name: str, context: str) -> None:
        self._deeper()
        outer, self._variables = self._variables, [*self._given]
        loops, self._loops = self._loops, 0
        nodes, ended = self._nodes()
        if ended != "end":
            self._fail(f"unexpected {{{{{ended}}}}} in {context}")
        self._variables, self._loops = outer, loops
        self._templates[name] = nodes
        self._depth -= 1

    # Pipelines.

    def _pipeline(self, context: str, end: str) -> Pipe:
        first = self._solid()
        variables, assigns = self._declared(context)
        commands: list[Command] = []
        while True:
            token = self._solid()
            closes = token.kind == end or (end == ")" and token.text == ")")
            if closes and token.kind in ("right", "sign"):
                self._next()
                break
            if token.kind in _OPERANDS or (token.kind == "sign" and token.text == "("):
                commands.append(self._command())
            else:
                self._unexpected(token, context)
        if not commands:
            self._fail(f"missing value for {context}")
        for stage, command in enumerate(commands[1:], 2):
            if isinstance(command.parts[0], Dot | Literal | Nil):
                self._fail(f"non executable command in pipeline stage {stage}")
        # One that is assigned before it is declared is found out when it is carried out.
        self._variables += [variable.name for variable in variables]
        return Pipe(first.pos, first.line, tuple(commands), variables, assigns)

    def _declared(self, context: str) -> tuple[tuple[Variable, ...], bool]:
        """The variables before `:=` or `=`, if that stands there."""
        found: list[Variable] = []
        while self._solid().kind == "variable":
            begun = self._at
            token = self._next()
            following = self._solid()
            if following.kind in ("declare", "assign"):
                self._next()
                found.append(Variable(token.pos, token.text))
                return tuple(found), following.kind == "assign"
            if following.kind != "sign" or following.text != ",":
                self._at = begun
                break
            self._next()
            found.append(Variable(token.pos, token.text))
            if context != "range" or len(found) > 1:
                self._fail(f"too many declarations in {context}")
            if self._solid().kind != "variable":
                self._fail("range can only initialize variables")
        return (), False

    def _command(self) -> Command:
        first = self._solid()
        parts: list[Operand] = []
        while True:
            self._solid()
            operand = self._operand()
            if operand is not None:
                parts.append(operand)
            token = self._peek()
            if token.kind == "space":
                continue
            if token.kind == "pipe":
                self._next()
            elif token.kind != "right" and token.text != ")":
                self._unexpected(token, "operand")
            break
        if not parts:
            self._fail("empty command")
        return Command(first.pos, tuple(parts))

    def _operand(self) -> Operand | None:
        node = self._term()
        if node is None or self._peek().kind != "field":
            return node
        begun, names = self._peek().pos, []
        while self._peek().kind == "field":
            names.append(self._next().text[1:])
        if isinstance(node, Field):
            return Field(begun, (*node.names, *names))
        if isinstance(node, Variable):
            return Variable(begun, node.name, (*node.names, *names))
        if isinstance(node, Literal | Nil | Dot):
            self._fail(f"unexpected . after term {quoted(str(node))}")
        return Chain(begun, node, tuple(names))

    def _term(self) -> Operand | None:
        token = self._peek()
        if token.kind == "sign" and token.text == "(":
            self._next()
            self._deeper()
            node = self._pipeline("parenthesized pipeline", ")")
            self._depth -= 1
            return node
        if token.kind not in _OPERANDS:
            return None
        self._next()
        if token.kind == "word":
            return self._word(token)
        if token.kind == "dot":
            return Dot(token.pos)
        if token.kind == "field":
            return Field(token.pos, (token.text[1:],))
        if token.kind == "variable":
            self._check_variable(token.text)
            return Variable(token.pos, token.text)
        return Literal(token.pos, self._value_of(token), token.text)

    def _word(self, token: Token) -> Operand:
        if token.text in _CONSTANTS:
            return Literal(token.pos, _CONSTANTS[token.text], token.text)
        if token.text == "nil":
            return Nil(token.pos)
        if self._functions is not None and token.text not in self._functions:
            self._fail(f'function "{token.text}" not defined')
        return Identifier(token.pos, token.text)

    def _check_variable(self, name: str) -> None:
        if name not in self._variables:
            self._fail(f'undefined variable "{name}"')

    def _value_of(self, token: Token) -> int | float | str:
        try:
            if token.kind == "number":
                return number(token.text)
            value = token.text[1:-1] if token.kind == "raw" else unquoted(token.text)
        except ValueError as error:
            self._fail(str(error), token.line)
        if token.kind != "char":
            return value
        if len(value) != 1:
            self._fail(f"malformed character constant: {token.text}", token.line)
        return ord(value)
