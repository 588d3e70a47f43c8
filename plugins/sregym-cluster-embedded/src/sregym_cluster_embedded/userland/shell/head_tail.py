"""head and tail: the first and the last lines of files."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from sregym_regex.budget import spend

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.errno_messages import complaint
from sregym_cluster_embedded.userland.shell.memory import exhaust
from sregym_cluster_embedded.userland.shell.options import options, tail_follows
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from collections.abc import Callable

_LONG = {"lines": "n", "bytes": "c", "quiet": "q", "silent": "q", "verbose": "v"}
# What has no end, and no line in it: whoever keeps the last one keeps it all.
_ENDLESS = ("/dev/zero",)
# What it takes to make a block of random bytes.
_BLOCK_STEPS = 4
# Devices of which `head -c` takes as much as it is told, and no more than so much.
_STREAMS, _MOST = ("/dev/zero", "/dev/urandom", "/dev/random"), 1 << 22
_TIMES = {"b": 512, "k": 1024, "K": 1024, "m": 1 << 20, "M": 1 << 20}


def _head(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = _taken(words)
    if (bad := _no_number(session, "head", flags)) is not None:
        return bad

    def chosen(text: str, _path: str) -> str:
        letter, number, _ = _wanted(flags)
        # `-n -2` stands for all but the last two.
        but = flags.get(letter, "").startswith("-")
        if letter == "c":
            return text[: max(0, len(text) - number) if but else number]
        lines = text.splitlines(keepends=True)
        return "".join(lines[: max(0, len(lines) - number)] if but else lines[:number])

    return _each(session, "head", flags, operands, stdin, chosen)


def _tail(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = _taken(words)
    if (bad := _no_number(session, "tail", flags)) is not None:
        return bad
    follows = tail_follows(words) and bool(operands)

    def chosen(text: str, path: str) -> str:
        start = _start(flags, text)
        if follows and path:
            known = session.followed.setdefault(path, start)
            # A file that has become shorter is read from its beginning.
            start = known if known <= len(text) else 0
        return text[start:]

    result = _each(session, "tail", flags, operands, stdin, chosen)
    if session.busybox and result.code and not result.out and not follows:
        return Output(1, "", f"{result.err}tail: no files\n")
    if follows and result.code and not session.followed:
        tail = "tail: no files\n" if session.busybox else "tail: no files remaining\n"
        return Output(1, result.out, result.err + tail)
    return result._replace(code=0) if follows else result


def _taken(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Options and operands; `-20` stands for `-n 20`."""
    # What stands behind -n or -c is no option of its own.
    plain = [
        word
        if words[n - 1 : n] in (["-n"], ["-c"])
        else re.sub(r"^-(\d+)([fF]?)$", r"-\2n\1", word)
        for n, word in enumerate(words)
    ]
    # Letters behind a number: `-n20f`, `-fn20`.
    plain = [re.sub(r"^-([nc])(\d+)([fF])$", r"-\3\1\2", word) for word in plain]
    return options(plain, "nc", _LONG)


def _no_number(session: Session, name: str, flags: dict[str, str]) -> Output | None:
    """What is said of a number of lines that is none."""
    letter = "c" if "c" in flags else "n"
    value = flags.get(letter, "10")
    signs = "-" if name == "head" and session.busybox else "+-"
    if re.fullmatch(rf"[{signs}]?\d+([bkKmMgGtTpPeE]B?|[kKmM]i?B)?", value):
        return None
    if session.busybox:
        return Output(1, "", f"{name}: invalid number '{value}'\n")
    what = "bytes" if letter == "c" else "lines"
    return Output(1, "", f"{name}: invalid number of {what}: '{value}'\n")


def _wanted(flags: dict[str, str]) -> tuple[str, int, bool]:
    """Lines or bytes, how many, and whether counted from the beginning."""
    letter = "c" if "c" in flags else "n"
    text = flags.get(letter, "10")
    found = re.fullmatch(r"([+-]?)(\d+)([bkKmM]?)", text)
    if found is None:
        return letter, 10, False
    return letter, int(found.group(2)) * _TIMES.get(found.group(3), 1), found.group(1) == "+"


def _streamed(session: Session, path: str, flags: dict[str, str]) -> str:
    """What a device gives: zeros, or bytes that cannot be guessed but that are the same every time."""
    letter, number, _ = _wanted(flags)
    size = min(number, _MOST) if letter == "c" else 0
    if path == "/dev/zero":
        return "\0" * size
    out, part = bytearray(), 0
    while len(out) < size:
        spend(_BLOCK_STEPS)
        share = session.world.seed.fraction("urandom", session.pid, session.world.now, part)
        out += sha256(repr(share).encode()).digest()
        part += 1
    return out[:size].decode(errors="surrogateescape")


def _start(flags: dict[str, str], text: str) -> int:
    """Where in a text its wanted end begins."""
    letter, number, counted = _wanted(flags)
    if letter == "c":
        return max(0, number - 1) if counted else max(0, len(text) - number)
    lines = text.splitlines(keepends=True)
    first = max(0, number - 1) if counted else max(0, len(lines) - number)
    return sum(map(len, lines[:first]))


def _each(
    session: Session,
    name: str,
    flags: dict[str, str],
    operands: list[str],
    stdin: str,
    chosen: Callable[[str, str], str],
) -> Output:
    """The chosen part of each file, below its name when there are several."""
    out, err = "", ""
    titled = (len(operands) > 1 or "v" in flags) and "q" not in flags
    for operand in operands or ["-"]:
        if operand == "-":
            text, path, shown = stdin, "", "standard input"
        else:
            path, shown = session.path(operand), operand
            if name == "tail" and path in _ENDLESS:
                exhaust(session)
            try:
                text = session.files.open(path).text
                if path in _STREAMS and name == "head":
                    text = _streamed(session, path, flags)
            except FileError as error:
                err += complaint(session, name, "open", operand, error)
                continue
        if titled:
            out += ("\n" if out else "") + f"==> {shown} <==\n"
        out += chosen(text, path)
    return Output(1 if err else 0, out, err)


ENDS_COMMANDS: dict[str, Command] = {"head": _head, "tail": _tail}
