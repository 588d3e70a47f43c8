"""The part of Go's text/template that line_format and label_format are written in."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from sregym_regex.go_text import readable

from sregym_logql.go_values import shown
from sregym_logql.strings import is_meant, unquoted, well_escaped
from sregym_logql.template_arity import wrong_number
from sregym_logql.template_functions import FUNCTIONS, Moment
from sregym_logql.template_reading import TemplateError, parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_BARE = re.compile(r"[A-Za-z_]\w*")
_LABEL = re.compile(r"\.[A-Za-z_]\w*")
# What stands for itself, and what needs more than its arguments.
_OF_THE_LINE = ("__line__", "__timestamp__", "now")
_CONSTANTS = ("true", "false", "nil", *_OF_THE_LINE)


# What a template is made of: each is put together once, and then run on each line.
Evaluate: TypeAlias = "Callable[[_State, Any], Any]"
Command: TypeAlias = "Callable[[_State, Any, tuple[Any, ...]], Any]"
Write: TypeAlias = "Callable[[_State, Any], str]"


@lru_cache(maxsize=256)
def writer(template: str, now_ns: int = 0) -> Callable[[Mapping[str, str], str, int], str]:
    """What makes the text of a template from labels, line and time.

    Args:
        template: Its text.
        now_ns: What it takes for the present.

    It raises `TemplateError` where the template cannot be carried out.

    Raises:
        TemplateError: It cannot be read.
    """
    parts = parsed(readable(template))
    if len(parts) == 1 and _is_label(parts[0]):
        name = parts[0][0][1:]
        return lambda labels, _, __: labels.get(name, "")
    if all(isinstance(part, str) or _is_label(part) for part in parts):
        return _labels_between(parts)
    write = _texts(parts)
    return lambda labels, line, at_ns: write(_State(labels, line, at_ns, now_ns), labels)


def _labels_between(parts: Sequence[Any]) -> Callable[[Mapping[str, str], str, int], str]:
    """Labels between texts, as most templates are."""
    text = "".join(
        part.replace("%", "%%") if isinstance(part, str) else f"%({part[0][1:]})s" for part in parts
    )
    none = dict.fromkeys([part[0][1:] for part in parts if not isinstance(part, str)], "")

    def write(labels: Mapping[str, str], _: str, __: int) -> str:
        try:
            return text % labels
        except KeyError:
            return text % {**none, **labels}

    return write


def _is_label(part: Any) -> bool:
    return not isinstance(part, str) and len(part) == 1 and _LABEL.fullmatch(part[0]) is not None


def check_template(name: str, template: str) -> None:
    """Refuse a template that cannot be read.

    Args:
        name: What messages call it.
        template: Its text.

    Raises:
        TemplateError: In Go's words.
    """
    try:
        _check_words(parsed(readable(template)))
    except TemplateError as error:
        message = str(error).replace("template: line:", f"template: {name}:", 1)
        raise TemplateError(message) from None


def _check_words(parts: Sequence[Any]) -> None:
    for part in parts:
        if isinstance(part, str):
            continue
        block = bool(part) and isinstance(part[-1], list)
        for word in part[1] if block else part:
            if _BARE.fullmatch(word) and word not in FUNCTIONS and word not in _CONSTANTS:
                message = f'template: line:1: function "{word}" not defined'
                raise TemplateError(message)
            if word[0] == '"' and not (well_escaped(word[1:-1]) and is_meant(word[1:-1])):
                raise TemplateError("template: line:1: invalid syntax")
        if block:
            _check_words(part[2])
            _check_words(part[3])


class _State:
    """What a template is carried out on.

    Attributes:
        labels: Of the line.
        line: Itself.
        at_ns: Its time.
        now_ns: When the question was asked.
        variables: By name, `$` included.
    """

    __slots__ = ("at_ns", "labels", "line", "now_ns", "variables")

    def __init__(self, labels: Mapping[str, str], line: str, at_ns: int, now_ns: int) -> None:
        self.labels, self.line, self.at_ns, self.now_ns = labels, line, at_ns, now_ns
        self.variables: dict[str, Any] = {}


def _texts(parts: Sequence[Any]) -> Write:
    """Parts after each other."""
    writers = [_text(part) for part in parts]
    if len(writers) == 1:
        return writers[0]
    return lambda state, dot: "".join([write(state, dot) for write in writers])


def _text(part: Any) -> Write:
    if isinstance(part, str):
        return lambda _, __: part
    if part and isinstance(part[-1], list):
        return _block_text(part)
    if len(part) > 1 and part[0].startswith("$") and part[1] in (":=", "="):
        name, value_of = part[0], _pipeline(part[2:])

        def assign(state: _State, dot: Any) -> str:
            state.variables[name] = value_of(state, dot)
            return ""

        return assign
    evaluate = _pipeline(part)

    def write(state: _State, dot: Any) -> str:
        value = evaluate(state, dot)
        return value if type(value) is str else shown(value)

    return write


def _block_text(part: Any) -> Write:
    keyword, condition, body, other = part
    names: tuple[str, ...] = ()
    if ":=" in condition:
        at = condition.index(":=")
        names = tuple(word for word in condition[:at] if word != ",")
        condition = condition[at + 1 :]
    evaluate, then, otherwise = _pipeline(tuple(condition)), _texts(body), _texts(other)
    if keyword == "range":
        return lambda state, dot: (
            _over(evaluate(state, dot), names, then, state) or otherwise(state, dot)
        )

    def write(state: _State, dot: Any) -> str:
        value = evaluate(state, dot)
        if names:
            state.variables[names[0]] = value
        if not truth(value):
            return otherwise(state, dot)
        return then(state, value if keyword == "with" else dot)

    return write


def _over(value: Any, names: tuple[str, ...], body: Write, state: _State) -> str:
    pairs = sorted(value.items()) if isinstance(value, dict) else enumerate(value or ())
    written = []
    for key, item in pairs:
        # Of one name it is the item that is meant, of two the key comes first.
        state.variables.update(zip(names, (key, item) if len(names) > 1 else (item,), strict=False))
        written.append(body(state, item))
    return "".join(written)


def _pipeline(words: Sequence[str]) -> Evaluate:
    """Commands of which each gets the value of the one before as its last argument."""
    commands: list[Command] = []
    depth, start = 0, 0
    for position, word in enumerate([*words, "|"]):
        depth += _deeper(word)
        if word == "|" and depth == 0:
            commands.append(_command(words[start:position], piped=bool(commands)))
            start = position + 1
    if not commands:
        return lambda _, __: None
    first, *rest = commands
    if not rest:
        return lambda state, dot: first(state, dot, ())

    def evaluate(state: _State, dot: Any) -> Any:
        value = first(state, dot, ())
        for command in rest:
            value = command(state, dot, (value,))
        return value

    return evaluate


def _command(words: Sequence[str], *, piped: bool) -> Command:
    if not words:
        return _failing("template: line:1: missing value for command")
    name = words[0]
    arguments = _arguments(words[1:])
    if name in _OF_THE_LINE:
        evaluate = _operand(name)
        if len(words) > 1 or piped:
            wrong = wrong_number(name, len(arguments), int(piped))
            return _failing(_told(words[:1], wrong))
        return lambda state, dot, _: evaluate(state, dot)
    function = FUNCTIONS.get(name)
    if function is None:
        if not piped and len(words) == 1:
            single = _operand(name)
            return lambda state, dot, _: single(state, dot)
        if name == "(":
            inner = _arguments(words)[0]
            return lambda state, dot, _: inner(state, dot)
        if name[0] == "." and len(name) > 1:
            last = name.rpartition(".")[2]
            return _failing(_told(words[:1], f"{last} is not a method but has arguments"))
        return _failing(f'template: line:1: function "{name}" not defined')

    def call(state: _State, dot: Any, extra: tuple[Any, ...]) -> Any:
        wrong = wrong_number(name, len(arguments), len(extra))
        if wrong:
            raise TemplateError(_told(words[:1], wrong))
        given = [argument(state, dot) for argument in arguments]
        try:
            return function(*given, *extra)
        except (TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
            raise TemplateError(_told(words, f"error calling {name}: {error}")) from None

    return call


def _failing(message: str) -> Command:
    def fail(*_: Any) -> Any:
        raise TemplateError(message)

    return fail


def _told(words: Sequence[str], what: str) -> str:
    """What went wrong at a command, in Go's words."""
    command = " ".join(words).replace("( ", "(").replace(" )", ")")
    place = getattr(words[0], "place", "1:0")
    return f'template: line:{place}: executing "line" at <{command}>: {what}'


def _arguments(words: Sequence[str]) -> list[Evaluate]:
    found: list[Evaluate] = []
    position = 0
    while position < len(words):
        if words[position] == "(":
            depth, end = 1, position + 1
            while end < len(words) and depth:
                depth += _deeper(words[end])
                end += 1
            inner = _pipeline(words[position + 1 : end - 1])
            path = words[end - 1][1:]
            found.append(_field(inner, path[1:].split(".")) if path else inner)
            position = end
        else:
            found.append(_operand(words[position]))
            position += 1
    return found


def _deeper(word: str) -> int:
    return 1 if word == "(" else -1 if word[0] == ")" else 0


def _field(inner: Evaluate, keys: Sequence[str]) -> Evaluate:
    """What stands at a path behind parentheses."""
    path = _path(keys)
    return lambda state, dot: path(state, inner(state, dot))


def _operand(word: str) -> Evaluate:
    if word == "__line__":
        return lambda state, _: state.line
    if word == "__timestamp__":
        return lambda state, _: Moment(state.at_ns)
    if word == "now":
        return lambda state, _: Moment(state.now_ns)
    if word == ".":
        return lambda _, dot: dot
    constant = _constant(word)
    if constant is not None:
        (value,) = constant
        return lambda _, __: value
    if word[0] == "." and word.count(".") == 1:
        key = word[1:]
        return lambda _, dot: dot.get(key, "") if hasattr(dot, "get") else ""
    if word[0] == ".":
        return _path(word[1:].split("."))
    if word[0] == "$":
        return _variable(word)
    if word in FUNCTIONS:
        call = _command([word], piped=False)
        return lambda state, dot: call(state, dot, ())
    fail = _failing(f'template: line:1: function "{word}" not defined')
    return lambda state, dot: fail(state, dot, ())


def _constant(word: str) -> tuple[Any] | None:
    if word[0] in '"`':
        return (readable(unquoted(word)),)
    if re.fullmatch(r"[+-]?\d+", word):
        return (int(word),)
    if re.fullmatch(r"[+-]?(?:\d+\.\d*|\.\d+)", word):
        return (float(word),)
    return (word == "true",) if word in ("true", "false") else None


def _path(keys: Sequence[str]) -> Evaluate:
    def evaluate(_: _State, dot: Any) -> Any:
        value = dot
        for key in keys:
            value = value.get(key, "") if hasattr(value, "get") else ""
        return value

    return evaluate


def _variable(word: str) -> Evaluate:
    name, _, path = word.partition(".")

    def evaluate(state: _State, _: Any) -> Any:
        base: Any = state.labels if name == "$" else state.variables.get(name)
        return base.get(path, "") if path and hasattr(base, "get") else base

    return evaluate


def truth(value: Any) -> bool:
    """What `if` takes for true."""
    return bool(value)
