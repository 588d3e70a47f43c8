"""The functions that awk brings."""

from __future__ import annotations

import calendar
import math
import re
import time
from typing import TYPE_CHECKING

from sregym_regex.budget import spend
from sregym_regex.posix import Match, Searching, compiled

from sregym_cluster_embedded.userland.shell.awk.order import Table
from sregym_cluster_embedded.userland.shell.awk.streams import parts
from sregym_cluster_embedded.userland.shell.awk.values import AwkError, Input, Value, number_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.awk.interpreter import Awk
    from sregym_cluster_embedded.userland.shell.awk.parsing import Tree

_MATHS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
}
_BITS: dict[str, Callable[[int, int], int]] = {
    "and": lambda left, right: left & right,
    "or": lambda left, right: left | right,
    "xor": lambda left, right: left ^ right,
    "lshift": lambda left, right: left << right,
    "rshift": lambda left, right: left >> right,
}
# Functions of BusyBox that mawk has not.
MISSING_IN_MAWK = ("gensub", "and", "or", "xor", "compl", "lshift", "rshift")


def call(awk: Awk, name: str, nodes: tuple[Tree, ...]) -> Value:
    """Carry out a function."""
    if name in ("sub", "gsub", "gensub"):
        return _replaced(awk, name, nodes)
    if name == "split":
        return _split(awk, nodes)
    if name == "length" and nodes and nodes[0][0] == "variable":
        array = awk.frames[-1].get(nodes[0][1]) if awk.frames else None
        array = awk.globals.get(nodes[0][1]) if array is None else array
        if isinstance(array, Table):
            return float(len(array))
    if name == "match":
        hit = compiled(awk.pattern(nodes[1]), extended=True).search(awk.text(awk.value(nodes[0])))
        awk.globals["RSTART"] = float(hit.start() + 1) if hit else 0.0
        awk.globals["RLENGTH"] = float(len(hit.group())) if hit else -1.0
        return awk.variable("RSTART")
    values = [awk.value(node) for node in nodes]
    if name in _MATHS or name == "atan2":
        return _calculated(awk, name, [number_of(value) for value in values])
    if name in _BITS:
        left, right = (int(number_of(value)) for value in values[:2])
        return float(_BITS[name](left, right) & 0xFFFFFFFF)
    return _plain(awk, name, values)


def _plain(awk: Awk, name: str, values: list[Value]) -> Value:
    first = awk.text(values[0]) if values else awk.text(awk.field(0))
    if name == "length":
        return float(len(first))
    if name == "substr":
        return _part(first, [number_of(value) for value in values[1:]])
    if name == "index":
        return float(first.find(awk.text(values[1])) + 1)
    if name in ("tolower", "toupper"):
        return _cased(first, upper=name == "toupper")
    if name == "sprintf":
        return awk.formatted(values)
    if name == "int":
        number = number_of(values[0]) if values else 0.0
        return float(math.trunc(number)) if math.isfinite(number) else number
    if name == "system":
        return float(awk.streams.system(first))
    if name == "close":
        return float(awk.streams.close(first))
    if name == "compl":
        return float(~int(number_of(values[0])) & 0xFFFFFFFF)
    if name in ("rand", "srand"):
        return _chance(awk, name, values)
    if name in ("systime", "strftime", "mktime"):
        return _time(awk, name, values)
    return 0.0


def _part(text: str, numbers: list[float]) -> str:
    start = max(1, round(numbers[0]))
    if len(numbers) < 2:
        return text[start - 1 :]
    length = round(numbers[1]) if math.isfinite(numbers[1]) else len(text)
    return text[start - 1 : max(start - 1, start - 1 + length)]


def _cased(text: str, *, upper: bool) -> str:
    """Letters of ASCII change, all others stay."""
    return re.sub(r"[A-Za-z]+", lambda m: m.group().upper() if upper else m.group().lower(), text)


def _calculated(awk: Awk, name: str, numbers: list[float]) -> float:
    if awk.session.flavour == "busybox" and name not in ("sqrt", "int"):
        raise AwkError("math")
    if name == "atan2":
        return math.atan2(*numbers[:2])
    try:
        return _MATHS[name](numbers[0] if numbers else 0.0)
    except OverflowError:
        return float("inf")
    except ValueError:
        return float("-inf") if name == "log" and not numbers[0] else -float("nan")


def _chance(awk: Awk, name: str, values: list[Value]) -> float:
    """A sequence that the seed alone decides."""
    before = number_of(awk.variable("\0seed"))
    if name == "srand":
        seed = number_of(values[0]) if values else float(int(awk.session.files.now))
        awk.globals["\0seed"], awk.globals["\0state"] = seed, seed
        return before
    state = (int(number_of(awk.variable("\0state"))) * 1103515245 + 12345) & 0x7FFFFFFF
    awk.globals["\0state"] = float(state)
    return state / 0x80000000


def _time(awk: Awk, name: str, values: list[Value]) -> Value:
    now = float(int(awk.session.files.now))
    if name == "systime":
        return now
    if name == "mktime":
        numbers = [int(word) for word in re.findall(r"-?\d+", awk.text(values[0]))]
        return float(calendar.timegm((*numbers[:6], 0, 0, 0))) if len(numbers) >= 6 else -1.0
    form = awk.text(values[0]) if values else "%c"
    at = number_of(values[1]) if len(values) > 1 else now
    return time.strftime(form, time.gmtime(at))


def _split(awk: Awk, nodes: tuple[Tree, ...]) -> float:
    text = awk.text(awk.value(nodes[0]))
    separator = awk.pattern(nodes[2]) if len(nodes) > 2 else awk.text(awk.variable("FS"))
    if len(nodes) > 2 and nodes[2][0] == "regex" and len(separator) == 1:
        separator = f"[{separator}]" if separator != " " else "[ ]"
    found = parts(text, separator)
    array = awk.array(nodes[1][1])
    array.clear()
    spend(len(found))
    for number, part in enumerate(found, start=1):
        array.put(str(number), Input(part))
    return float(len(found))


def _replaced(awk: Awk, name: str, nodes: tuple[Tree, ...]) -> Value:
    pattern = compiled(awk.pattern(nodes[0]), extended=True)
    new = awk.text(awk.value(nodes[1]))
    if name == "gensub":
        return _gensub(awk, pattern, new, nodes)
    target = nodes[2] if len(nodes) > 2 else ("field", ("constant", 0.0))

    def fresh(match: Match) -> str:
        return re.sub(
            r"\\\\|\\&|&",
            lambda m: match.group() if m.group() == "&" else m.group()[1:],
            new,
        )

    before, count = awk.text(awk.value(target)), 0

    def counted(match: Match) -> str:
        nonlocal count
        count += 1
        return fresh(match) if name == "gsub" or count == 1 else match.group()

    text = pattern.sub(counted, before, 1 if name == "sub" else 0)
    count = min(count, 1) if name == "sub" else count
    if count:
        awk.store(target, text)
    return float(count)


def _gensub(awk: Awk, pattern: Searching, new: str, nodes: tuple[Tree, ...]) -> str:
    which = awk.text(awk.value(nodes[2])) if len(nodes) > 2 else "g"
    text = awk.text(awk.value(nodes[3])) if len(nodes) > 3 else awk.text(awk.field(0))
    wanted = 0 if which[:1] in ("g", "G") else max(1, int(number_of(which)))
    seen = 0

    def fresh(match: Match) -> str:
        nonlocal seen
        seen += 1
        if wanted and seen != wanted:
            return match.group()

        def one(part: re.Match[str]) -> str:
            word = part.group()
            if word[1:].isdigit():
                number = int(word[1:])
                return match.group(number) or "" if number <= (pattern.groups or 0) else ""
            return word[1:] if len(word) > 1 else match.group()

        return re.sub(r"\\.|&", one, new)

    return pattern.sub(fresh, text)
