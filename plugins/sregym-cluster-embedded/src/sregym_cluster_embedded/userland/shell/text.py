"""Commands that read texts and write texts."""

from __future__ import annotations

import base64
import re

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.userland.files.inode import FileError, IsFolderError
from sregym_cluster_embedded.userland.shell.errno_messages import complaint
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session


def inputs(session: Session, name: str, operands: list[str], stdin: str) -> tuple[list[str], str]:
    """The contents of the named files, or standard input; and what cannot be opened."""
    if not operands:
        return [_paid(name, stdin)], ""
    texts, errors = [], ""
    for operand in operands:
        if operand == "-":
            texts.append(_paid(name, stdin))
            continue
        try:
            texts.append(_paid(name, session.files.open(session.path(operand)).text))
        except IsFolderError as error:
            head = "read error" if session.busybox and name in ("cat", "tail") else operand
            errors += f"{name}: {head}: {error.words}\n"
        except FileError as error:
            errors += complaint(session, name, "open", operand, error)
    return texts, errors


# What a line takes by itself, in steps and bytes.
_LINE_STEPS, _LINE_BYTES = 2, 60


def _paid(name: str, text: str) -> str:
    """A text that a command takes apart into lines, which takes time and memory."""
    if name != "cat":
        lines = text.count("\n")
        spend(_LINE_STEPS * lines)
        allocate(_LINE_BYTES * lines)
    return text


def _cat(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, long=_CAT)
    texts, errors = inputs(session, "cat", operands, stdin)
    text = "".join(texts)
    if session.blocked and not operands:
        session.blocked, session.endless = False, True
        session.slept_s += 3600.0
    letters = set(flags)
    if "A" in letters:
        letters |= set("vET")
    if {"e", "t"} & letters:
        letters |= {"v", *("E" if "e" in letters else ""), *("T" if "t" in letters else "")}
    if letters & set("nbvETs"):
        text = _shown(session, text, letters)
    return Output(1 if errors else 0, text, errors)


_CAT = {"number": "n", "number-nonblank": "b", "show-all": "A", "show-ends": "E", "show-tabs": "T"}


def _shown(session: Session, text: str, letters: set[str]) -> str:
    """Lines with numbers, and with marks for what cannot be seen."""
    out, number, blank = "", 0, False
    between = "  " if session.busybox and letters & set("vET") else "\t"
    for line in text.splitlines(keepends=True):
        body, end = (line[:-1], "\n") if line.endswith("\n") else (line, "")
        if "s" in letters and not body and blank and not session.busybox:
            continue
        blank = not body
        if "v" in letters:
            data = body.encode(errors="surrogateescape")
            body = "".join(_visible(byte, tabs="T" in letters) for byte in data)
        elif "T" in letters:
            body = body.replace("\t", "^I")
        if ("b" in letters and body) or ("n" in letters and "b" not in letters):
            number += 1
            body = f"{number:>6}{between}{body}"
        out += body + ("$" if "E" in letters and end else "") + end
    return out


def _visible(byte: int, *, tabs: bool) -> str:
    head = "M-" if byte > 127 else ""
    low = byte & 127
    if byte == 9:
        return "^I" if tabs else "\t"
    if low < 32 or low == 127:
        return f"{head}^{chr(low ^ 64)}"
    return head + chr(low)


_WC = {"lines": "l", "words": "w", "bytes": "c", "chars": "m", "max-line-length": "L"}


def _wc(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, long=_WC)
    wanted = [letter for letter in "lwmcL" if letter in flags] or list("lwc")
    rows: list[tuple[str, dict[str, int]]] = []
    errors = ""
    for operand in operands or [""]:
        texts, error = inputs(session, "wc", [operand] if operand else [], stdin)
        errors += error
        if texts or "Is a directory" in error:
            rows.append((operand, _sizes("".join(texts))))
    if len(operands) > 1:
        totals = {letter: sum(sizes[letter] for _, sizes in rows) for letter in "lwmc"}
        totals["L"] = max((sizes["L"] for _, sizes in rows), default=0)
        rows.append(("total", totals))
    width = 9 if session.busybox else _wc_width(operands, rows, wanted)
    out = ""
    for name, sizes in rows:
        if len(wanted) == 1 and len(operands) < 2:
            shown = str(sizes[wanted[0]])
        elif len(wanted) == 1:
            shown = f"{sizes[wanted[0]]:>{width}}"
        else:
            shown = " ".join(f"{sizes[letter]:>{width}}" for letter in wanted)
        out += (f"{shown} {name}" if name else shown) + "\n"
    return Output(int(bool(errors)), out, errors)


def _wc_width(
    operands: list[str], rows: list[tuple[str, dict[str, int]]], wanted: list[str]
) -> int:
    """GNU makes columns as wide as the sizes of the files are long; 7 where it cannot know them."""
    if not operands or "-" in operands:
        return 7 if len(wanted) > 1 or operands else 1
    return max(len(str(sizes["c"])) for _, sizes in rows) if rows else 1


def _sizes(text: str) -> dict[str, int]:
    data = text.encode(errors="surrogateescape")
    longest = max((len(line.expandtabs(8)) for line in text.split("\n")), default=0)
    return {
        "l": text.count("\n"),
        "w": len(text.split()),
        "c": len(data),
        "m": len(text),
        "L": longest,
    }


def _base64(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "w")
    texts, errors = inputs(session, "base64", operands, stdin)
    data = "".join(texts)
    if errors:
        return Output(1, "", errors)
    if "d" in flags:
        return _decoded(session, data, errors)
    shown = base64.b64encode(data.encode(errors="surrogateescape")).decode()
    width = int(flags["w"]) if flags.get("w", "").isdecimal() else 76
    lines = [shown[at : at + width] for at in range(0, len(shown), width)] if width else [shown]
    return Output(0, "\n".join(lines) + ("\n" if width else ""), errors)


def _decoded(session: Session, data: str, errors: str) -> Output:
    """What can be decoded is written, then the rest complained about."""
    if session.busybox:
        core, good = _groups(data)
    else:
        kept = "".join(data.split())
        valid = re.match(r"[A-Za-z0-9+/]*", kept)
        core = valid.group() if valid is not None else ""
        padding = kept[len(core) :]
        good = re.fullmatch(r"=*", padding) is not None and (len(core) + len(padding)) % 4 == 0
        core = core[:-1] if len(core) % 4 == 1 else core
        core += "=" * (-len(core) % 4)
    out = base64.b64decode(core).decode(errors="surrogateescape")
    if good:
        return Output(1 if errors else 0, out, errors)
    word = "truncated input" if session.busybox else "invalid input"
    return Output(1, out, f"{errors}base64: {word}\n")


def _groups(data: str) -> tuple[str, bool]:
    """The whole groups of four, as BusyBox collects them, and whether nothing is left.

    What is no letter of the code is left out, and so is padding that no group waits for.
    """
    done, group = "", ""
    for char in re.sub(r"[^A-Za-z0-9+/=]", "", data):
        if char == "=" and not group and not done.endswith("="):
            continue
        group += char
        if len(group) == 4:
            if len(group.rstrip("=")) < 2 or "=" in group.rstrip("="):
                return done, False
            done, group = done + group, ""
    return done, not group


TEXT_COMMANDS: dict[str, Command] = {"base64": _base64, "cat": _cat, "wc": _wc}
