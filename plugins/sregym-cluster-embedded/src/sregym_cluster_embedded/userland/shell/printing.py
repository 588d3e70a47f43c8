"""echo, printf and seq."""

from __future__ import annotations

import re
from collections import deque
from decimal import Decimal

from sregym_regex.budget import OutOfStepsError, allocate, spend

from sregym_cluster_embedded.userland.shell import arrays
from sregym_cluster_embedded.userland.shell.errno_messages import shell_name
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "e": "\x1b", "b": "\b",
            "f": "\f", "v": "\v"}  # fmt: skip
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|0[0-7]{0,3}|[1-7][0-7]{0,2}|[ntr\\aebfv])")
_SPEC = re.compile(r"%([-+ 0#]*)(\*|\d*)(?:\.(\*|\d*))?(?:hh|h|ll|l|L|z|j|t)?(.?)", re.DOTALL)
_WHOLE = 1 << 60


def escaped(text: str, *, hexadecimal: bool = True) -> str:
    """A text with its backslashes replaced; Debian's `sh` knows no hexadecimal ones."""

    def one(match: re.Match[str]) -> str:
        found = match[1]
        if found in _ESCAPES:
            return _ESCAPES[found]
        if found[0] == "x" and not hexadecimal:
            return match[0]
        return chr(int(found[1:], 16) if found[0] == "x" else int(found, 8) & 255)

    return _ESCAPE.sub(one, text)


def _echo(session: Session, words: list[str], _stdin: str) -> Output:
    rest, newline = words[1:], "\n"
    # The shell of Debian replaces escapes without being asked, and knows no -e.
    dash = session.flavour == "debian" and session.shell != "bash"
    escapes, letters = dash, "n" if dash else "neE"
    while rest and re.fullmatch(rf"-[{letters}]+", rest[0]):
        newline = "" if "n" in rest[0] else newline
        escapes = dash or "e" in rest[0] or (escapes and "E" not in rest[0])
        rest = rest[1:]
    text = " ".join(rest)
    if escapes:
        text, stop, _ = text.partition("\\c")
        text, newline = escaped(text, hexadecimal=not dash), "" if stop else newline
    return Output(0, text + newline)


class _StopPrinting(Exception):
    """The end of the format: `backslash c`, or a directive that is none; the text is the complaint."""


def _printf(session: Session, words: list[str], _stdin: str) -> Output:
    words = [words[0], *words[2:]] if words[1:2] == ["--"] else words
    if len(words) < 2:
        return Output(2, "", _usage(session))
    if session.dash and words[1].startswith("-") and len(words[1]) > 1:
        text = f"printf: Illegal option -{words[1][1]}"
        return Output(2, "", f"{shell_name(session)}: {text}\n")
    if session.shell == "bash" and words[1] == "-v" and len(words) > 3:
        kept = _Printed(session, words[3], words[4:]).result()
        if "[" in words[2]:
            arrays.set_element(session, words[2], kept.out)
        else:
            session.environment[words[2]] = kept.out
            session.unexported.add(words[2])
        return Output(kept.code, "", kept.err)
    printed = _Printed(session, words[1], words[2:])
    return printed.result()


def _usage(session: Session) -> str:
    if session.busybox:
        return f"{shell_name(session)}: usage: printf FORMAT [ARGUMENT...]\n"
    if session.shell == "bash":
        return "printf: usage: printf [-v var] format [arguments]\n"
    return f"{shell_name(session)}: printf: usage: printf format [arg ...]\n"


class _Printed:
    """What a printf has written, and what it could not."""

    def __init__(self, session: Session, form: str, arguments: list[str]) -> None:
        self._session = session
        self._form = form
        self._rest = deque(arguments)
        self._out = self._err = ""

    def result(self) -> Output:
        """The format, again and again until no argument is left."""
        form, stop, _ = self._form.partition("\\c")
        try:
            while True:
                before = len(self._rest)
                at = 0
                for match in _SPEC.finditer(form):
                    self._out += self._plain(form[at : match.start()])
                    self._out += self._directive(match, form)
                    at = match.end()
                self._out += self._plain(form[at:])
                spend(4)
                allocate(len(self._out) >> 4)
                if stop or not self._rest or len(self._rest) == before:
                    break
        except _StopPrinting as error:
            self._err += str(error)
        failed = 2 if self._session.dash and "directive" in self._err else 1
        return Output(failed if self._err else 0, self._out, self._err)

    def _plain(self, text: str) -> str:
        return escaped(text, hexadecimal=not self._session.dash)

    def _next(self) -> str:
        return self._rest.popleft() if self._rest else ""

    def _directive(self, match: re.Match[str], form: str) -> str:
        flags, width, precision, kind = match.groups()
        if match[0] == "%%":
            return "%"
        if width == "*":
            width = self._next()
        if precision == "*":
            precision = self._next()
        allocate(_size(width) + _size(precision or ""))
        known = "sdibuxXofeEgGc" + ("q" if self._session.shell == "bash" else "")
        if not kind or kind not in known:
            raise _StopPrinting(self._invalid(match, form))
        spec = f"%{flags}{width}" + (f".{precision}" if precision is not None else "")
        value = self._next()
        if kind in "diuxXo":
            return self._number(spec, kind, value)
        if kind in "feEgG":
            try:
                return str((spec + kind) % float(value or 0))
            except ValueError:
                self._err += self._no_number(value)
                return str((spec + kind) % 0.0)
        if kind == "c":
            return f"%{flags}{width}s" % value[:1]
        if kind == "b":
            value, stop, _ = value.partition("\\c")
            text = f"%{flags}{width}s" % escaped(value)
            if stop:
                self._out += text
                raise _StopPrinting("")
            return text
        if kind == "q":
            value = re.sub(r"([^\w@%+=:,./-])", r"\\\1", value) or "''"
        return str((spec + "s") % value)

    def _number(self, spec: str, kind: str, value: str) -> str:
        number, bad = 0, False
        found = re.match(r"\s*([-+]?)(0[xX][0-9a-fA-F]+|0[0-7]*|\d+)", value)
        if value[:1] in "\"'" and len(value) > 1:
            number = ord(value[1])
        elif found is not None:
            base = 16 if found[2][:2].lower() == "0x" else 8 if found[2][0] == "0" else 10
            number = int(found[2], base) * (-1 if found[1] == "-" else 1)
            bad = found.end() != len(value)
        else:
            bad = value != ""
        if bad:
            self._err += self._no_number(value)
            number = 0 if self._session.busybox else number
        letter = "d" if kind in "iu" else kind
        if kind != "d" and kind != "i" and number < 0:
            number += 1 << 64
        return str((spec + letter) % number)

    def _no_number(self, value: str) -> str:
        """What the shell's own printf says of an argument that is no number."""
        name = shell_name(self._session)
        if self._session.busybox:
            return f"{name}: invalid number '{value}'\n"
        if self._session.shell == "bash":
            return f"{name}: printf: {value}: invalid number\n"
        partly = re.match(r"\s*[-+]?\d", value)
        what = "not completely converted" if partly else "expected numeric value"
        return f"{name}: printf: {value}: {what}\n"

    def _invalid(self, match: re.Match[str], form: str) -> str:
        name = shell_name(self._session)
        if self._session.busybox:
            rest = re.sub(r"^%[-+ 0#]*[\d*.]*(hh|h|ll|l|L|z|j|t)?", "%", form[match.start() :])
            return f"{name}: {rest}: invalid format\n"
        if self._session.shell == "bash":
            if not match[4]:
                return f"{name}: printf: `{match[0]}': missing format character\n"
            return f"{name}: printf: `{match[4]}': invalid format character\n"
        spec = re.match(r"%[-+ 0#]*[\d*.]*.?", form[match.start() :])
        return f"{name}: printf: {spec[0] if spec else ''}: invalid directive\n"


def _seq(session: Session, words: list[str], _stdin: str) -> Output:
    at = next((n for n, word in enumerate(words) if n and re.match(r"-?[\d.]", word)), len(words))
    flags, operands = options(words[:at], "sf", {"separator": "s", "equal-width": "w"})
    operands += words[at:]
    numbers = []
    for word in operands:
        if not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", word):
            if session.busybox:
                return Output(1, "", "")
            text = f"seq: invalid floating point argument: '{word}'\n"
            return Output(1, "", f"{text}Try 'seq --help' for more information.\n")
        numbers.append(Decimal(word))
    first = numbers[0] if len(numbers) > 1 else Decimal(1)
    step = numbers[1] if len(numbers) > 2 else Decimal(1)
    last = numbers[-1] if numbers else Decimal(0)
    if step == 0 and not session.busybox:
        text = f"seq: invalid Zero increment value: '{operands[1]}'\n"
        return Output(1, "", f"{text}Try 'seq --help' for more information.\n")
    shown = _sequence(first, step, last)
    if "w" in flags:
        width = max((len(text) for text in (*shown[:1], *shown[-1:])), default=0)
        shown = [text.zfill(width) for text in shown]
    if not shown:
        return Output()
    between = escaped(flags.get("s", "\n"))
    allocate(len(between) * len(shown))
    return Output(0, between.join(shown) + "\n")


def _sequence(first: Decimal, step: Decimal, last: Decimal) -> list[str]:
    """The numbers of `seq`, as they are written."""
    places = max(0, *(_places(number) for number in (first, step)))
    if not step:
        raise OutOfStepsError
    count = max(0, int((last - first) / step) + 1) if (last >= first) == (step > 0) else 0
    if not places and max(abs(first), abs(last)) < _WHOLE:
        spend(count >> 2)
        allocate(count * (50 + len(str(int(last)))))
        return [*map(str, range(int(first), int(first) + count * int(step), int(step)))]
    spend(count)
    allocate(count * (50 + places + len(str(int(last)))))
    return [f"{first + number * step:.{places}f}" for number in range(count)]


def _size(text: str) -> int:
    return int(text) if text.lstrip("-").isdecimal() else 0


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


PRINTING_COMMANDS: dict[str, Command] = {"echo": _echo, "printf": _printf, "seq": _seq}
