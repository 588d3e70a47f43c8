"""awk programs as trees.

A tree is a tuple: its kind, then its parts. The kinds are those that `running` and `values` know.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sregym_cluster_embedded.userland.shell.awk.tokens import AwkSyntaxError, Token, tokens_of
from sregym_cluster_embedded.userland.shell.awk.values import number_of

Tree: TypeAlias = tuple[Any, ...]
_ASSIGNING = ("=", "+=", "-=", "*=", "/=", "%=", "^=", "**=")
_COMPARING = ("<", "<=", "==", "!=", ">=", ">")
# What an expression may begin with, so that it is joined to the one before it.
_JOINED = ("number", "string", "regex", "name")


@dataclass(frozen=True)
class Rule:
    """A pattern (None for every line; "BEGIN", "END" or a tree or two) and what is done."""

    pattern: Any
    action: tuple[Tree, ...] | None


@dataclass(frozen=True)
class Function:
    """A function: its parameters and what it does."""

    parameters: tuple[str, ...]
    body: tuple[Tree, ...]


@dataclass
class Program:
    """Rules and functions."""

    rules: list[Rule] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)


class Parser:
    """Reads a program.

    Args:
        text: The program.

    Raises:
        AwkSyntaxError: It is none.
    """

    def __init__(self, text: str) -> None:
        self._tokens = tokens_of(text)
        self._at = 0
        self._plain = False  # in `print a > b` the sign is no comparison

    def program(self) -> Program:
        """The whole program."""
        program = Program()
        self._skip()
        while self._token.kind != "end":
            if self._take("function", "func"):
                name = self._next().text
                self._expect("(")
                parameters = []
                while not self._take(")"):
                    parameters.append(self._next().text)
                    self._take(",")
                self._newlines()
                program.functions[name] = Function(tuple(parameters), self._block())
            else:
                program.rules.append(self._rule())
            self._skip()
        return program

    def _rule(self) -> Rule:
        pattern: Any = None
        if self._token.text in ("BEGIN", "END") and self._token.kind == "keyword":
            pattern = self._next().text
        elif not self._sees("{"):
            pattern = self._expression()
            if self._take(","):
                self._newlines()
                pattern = ("range", pattern, self._expression())
        action = self._block() if self._sees("{") else None
        if action is None and (pattern in ("BEGIN", "END") or not self._ends()):
            raise self._mistake()
        return Rule(pattern, action)

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def _sees(self, *wanted: str) -> bool:
        return self._token.kind in ("op", "keyword") and self._token.text in wanted

    def _take(self, *wanted: str) -> str:
        return self._next().text if self._sees(*wanted) else ""

    def _expect(self, wanted: str) -> None:
        if not self._take(wanted):
            raise self._mistake(")" if wanted == ")" else "")

    def _mistake(self, missing: str = "") -> AwkSyntaxError:
        token = self._token
        if token.kind == "end":
            return AwkSyntaxError("end", "", token.line + 1)
        if missing:
            return AwkSyntaxError("paren", token.text, token.line)
        if token.text == "}" and token.kind == "op":
            return AwkSyntaxError("brace", token.text, token.line)
        return AwkSyntaxError("token", token.text.replace("\n", "end of line"), token.line)

    def _skip(self) -> None:
        while self._take(";", "\n"):
            pass

    def _newlines(self) -> None:
        while self._take("\n"):
            pass

    def _ends(self) -> bool:
        return self._sees(";", "\n", "}") or self._token.kind == "end"

    def _block(self) -> tuple[Tree, ...]:
        self._expect("{")
        found = []
        self._skip()
        while not self._take("}"):
            found.append(self._statement())
            self._skip()
        return tuple(found)

    def _body(self) -> tuple[Tree, ...]:
        self._newlines()
        if self._sees("{"):
            return self._block()
        if self._take(";"):
            return ()
        return (self._statement(),)

    def _statement(self) -> Tree:
        if self._sees("{"):
            return ("block", self._block())
        word = self._take("if", "while", "for", "do")
        if word:
            return self._structure(word)
        found = self._simple()
        if not self._ends():
            raise self._mistake()
        self._take(";", "\n")
        return found

    def _structure(self, word: str) -> Tree:
        if word == "for":
            return self._for()
        if word == "do":
            body = self._body()
            self._skip()
            if not self._take("while"):
                raise self._mistake()
            return ("do", body, self._condition())
        test = self._condition()
        then = self._body()
        if word == "while":
            return ("while", test, then)
        mark = self._at
        self._skip()
        if self._take("else"):
            return ("if", test, then, self._body())
        self._at = mark
        return ("if", test, then, ())

    def _condition(self) -> Tree:
        self._expect("(")
        test = self._expression()
        self._expect(")")
        return test

    def _simple(self) -> Tree:
        if word := self._take("print", "printf"):
            return self._print(word)
        if word := self._take("next", "nextfile", "break", "continue"):
            return (word, None)
        if word := self._take("exit", "return"):
            return (word, None if self._ends() else self._expression())
        if self._take("delete"):
            name = self._next().text
            return ("delete", name, self._keys() if self._take("[") else None)
        return ("expression", self._expression())

    def _keys(self) -> tuple[Tree, ...]:
        keys = [self._expression()]
        while self._take(","):
            keys.append(self._expression())
        self._expect("]")
        return tuple(keys)

    def _for(self) -> Tree:
        self._expect("(")
        names = self._tokens[self._at : self._at + 4]
        if [names[1].text, names[-1].text] == ["in", ")"] and names[0].kind == "name":
            self._at += 4
            return ("each", names[0].text, names[2].text, self._body())
        start = None if self._sees(";") else self._simple()
        self._expect(";")
        self._newlines()
        test = None if self._sees(";") else self._expression()
        self._expect(";")
        self._newlines()
        step = None if self._sees(")") else self._simple()
        self._expect(")")
        return ("for", start, test, step, self._body())

    def _print(self, word: str) -> Tree:
        values: list[Tree] = []
        kept, self._plain = self._plain, True
        if not self._ends() and not self._sees(">", ">>", "|"):
            values.append(self._expression())
            while self._take(","):
                self._newlines()
                values.append(self._expression())
        if len(values) == 1 and values[0][0] == "list":
            values = list(values[0][1])
        sign, target = self._take(">", ">>", "|"), None
        if sign:
            target = self._joining() if sign == "|" else self._unary()
        self._plain = kept
        return (word, tuple(values), sign, target)

    def _expression(self) -> Tree:
        left = self._choice()
        if self._sees(*_ASSIGNING) and left[0] in ("variable", "element", "field"):
            operator = self._next().text.replace("**", "^")
            self._newlines()
            return ("assign", operator, left, self._expression())
        return left

    def _choice(self) -> Tree:
        test = self._either()
        if self._take("?"):
            self._newlines()
            first = self._expression()
            self._newlines()
            self._expect(":")
            self._newlines()
            return ("choice", test, first, self._expression())
        return test

    def _either(self) -> Tree:
        left = self._both()
        while self._take("||"):
            self._newlines()
            left = ("or", left, self._both())
        return left

    def _both(self) -> Tree:
        left = self._member()
        while self._take("&&"):
            self._newlines()
            left = ("and", left, self._member())
        return left

    def _member(self) -> Tree:
        left = self._match()
        while self._take("in"):
            left = ("in", left, self._next().text)
        return left

    def _match(self) -> Tree:
        left = self._comparison()
        while operator := self._take("~", "!~"):
            left = ("match", operator, left, self._comparison())
        return left

    def _comparison(self) -> Tree:
        left = self._joining()
        while True:
            if self._sees(*(_COMPARING[:-1] if self._plain else _COMPARING)):
                left = ("compare", self._next().text, left, self._joining())
            elif self._sees("|") and self._tokens[self._at + 1].text == "getline":
                self._at += 2
                left = ("getline", "|", left, self._target())
            else:
                return left

    def _target(self) -> Tree | None:
        """What `getline` reads into; None for the line itself."""
        if self._token.kind == "name" or self._sees("$"):
            return self._primary()
        return None

    def _joining(self) -> Tree:
        left = self._sum()
        while self._token.kind in _JOINED or self._sees("$", "(", "++", "--"):
            left = ("join", left, self._sum())
        return left

    def _sum(self) -> Tree:
        left = self._product()
        while operator := self._take("+", "-"):
            left = ("number", operator, left, self._product())
        return left

    def _product(self) -> Tree:
        left = self._unary()
        while operator := self._take("*", "/", "%"):
            left = ("number", operator, left, self._unary())
        return left

    def _unary(self) -> Tree:
        if operator := self._take("!", "-", "+"):
            return ("unary", operator, self._unary())
        left = self._postfix()
        if self._take("^", "**"):
            return ("number", "^", left, self._unary())
        return left

    def _postfix(self) -> Tree:
        if operator := self._take("++", "--"):
            return ("before", operator, self._postfix())
        left = self._primary()
        if left[0] in ("variable", "element", "field") and self._sees("++", "--"):
            return ("after", self._next().text, left)
        return left

    def _primary(self) -> Tree:
        token = self._token
        if token.kind == "number":
            return ("constant", number_of(self._next().text))
        if token.kind == "string":
            return ("constant", self._next().text)
        if token.kind == "regex":
            return ("regex", self._next().text)
        if self._take("$"):
            if operator := self._take("++", "--"):
                return ("field", ("before", operator, self._primary()))
            return (
                "field",
                ("unary", "-", self._primary()) if self._take("-") else self._primary(),
            )
        if self._take("("):
            return self._group()
        if self._take("getline"):
            into = self._target()
            if self._take("<"):
                return ("getline", "<", self._unary(), into)
            return ("getline", "", None, into)
        if token.kind == "name":
            return self._named(self._next())
        raise self._mistake()

    def _group(self) -> Tree:
        kept, self._plain = self._plain, False
        values = [self._expression()]
        while self._take(","):
            self._newlines()
            values.append(self._expression())
        self._expect(")")
        self._plain = kept
        return ("list", tuple(values)) if len(values) > 1 else ("group", values[0])

    def _named(self, token: Token) -> Tree:
        name = token.text
        if self._take("["):
            kept, self._plain = self._plain, False
            keys = self._keys()
            self._plain = kept
            return ("element", name, keys)
        known = name in BUILTINS
        if self._sees("(") and (known or token.touches):
            self._next()
            values = []
            kept, self._plain = self._plain, False
            self._newlines()
            while not self._take(")"):
                values.append(self._expression())
                if not self._take(",") and not self._sees(")"):
                    raise self._mistake(")")
                self._newlines()
            self._plain = kept
            return ("call", name, tuple(values))
        return ("call", name, ()) if name == "length" else ("variable", name)


BUILTINS = frozenset(
    (
        *("length", "substr", "index", "split", "sub", "gsub", "match", "sprintf", "tolower"),
        *("toupper", "system", "close", "fflush", "int", "sqrt", "exp", "log", "sin", "cos"),
        *("atan2", "rand", "srand", "systime", "strftime", "mktime", "gensub", "and", "or", "xor"),
        *("compl", "lshift", "rshift"),
    )
)
