"""Commands that read texts and write texts."""

from __future__ import annotations

import base64
import re

from sregym_cluster_embedded.userland.files.inode import FileError, IsFolderError
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.wording import complaint, shell_name


def inputs(session: Session, name: str, operands: list[str], stdin: str) -> tuple[list[str], str]:
    """The contents of the named files, or standard input; and what cannot be opened."""
    if not operands:
        return [stdin], ""
    texts, errors = [], ""
    for operand in operands:
        if operand == "-":
            texts.append(stdin)
            continue
        try:
            texts.append(session.files.open(session.path(operand)).text)
        except IsFolderError as error:
            head = "read error" if session.busybox and name in ("cat", "tail") else operand
            errors += f"{name}: {head}: {error.words}\n"
        except FileError as error:
            errors += complaint(session, name, "open", operand, error)
    return texts, errors


def _echo(_session: Session, words: list[str], _stdin: str) -> Output:
    rest, newline, escapes = words[1:], "\n", False
    while rest and re.fullmatch(r"-[neE]+", rest[0]):
        newline = "" if "n" in rest[0] else newline
        escapes = escapes or "e" in rest[0]
        rest = rest[1:]
    text = " ".join(rest)
    return Output(0, (_escaped(text) if escapes else text) + newline)


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "e": "\x1b", "b": "\b"}


def _escaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        found = match.group(1)
        if found in _ESCAPES:
            return _ESCAPES[found]
        return chr(int(found[1:], 16) if found[0] == "x" else int(found, 8) & 255)

    return re.sub(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,4}|[ntr\\aeb])", one, text)


def _printf(session: Session, words: list[str], _stdin: str) -> Output:
    words = [words[0], *words[2:]] if words[1:2] == ["--"] else words
    if len(words) < 2:
        return Output(1, "", "printf: usage: printf FORMAT [ARGUMENT...]\n")
    form, arguments = _escaped(words[1]), words[2:]
    out, errors = "", ""
    while True:
        rest = list(arguments)

        def fill(match: re.Match[str], rest: list[str] = rest) -> str:
            nonlocal errors
            if match.group(0) == "%%":
                return "%"
            value = rest.pop(0) if rest else ""
            shown, bad = _converted(match.group(0), value)
            errors += _no_number(session, value) if bad else ""
            return shown

        out += re.sub(r"%[-+ 0#]*\d*(?:\.\d+)?[sdibuxXofeEgGcq%]", fill, form)
        if not rest or len(rest) == len(arguments):
            return Output(1 if errors else 0, out, errors)
        arguments = rest


def _converted(spec: str, value: str) -> tuple[str, bool]:
    """A value in the form that `%5.2f` and the like ask for, and whether it is none."""
    kind = spec[-1]
    if kind in "diuxXo":
        found = re.fullmatch(r"\s*([-+]?(?:0[xX][0-9a-fA-F]+|\d+))", value)
        number = (
            int(value, 0) if found and value[:2].lower() == "0x" else int(value) if found else 0
        )
        return str(
            (spec[:-1] + ("d" if kind in "iu" else kind)) % number
        ), found is None and value != ""
    if kind in "feEgG":
        try:
            return str(spec % float(value or 0)), False
        except ValueError:
            return str(spec % 0.0), True
    if kind == "c":
        return value[:1], False
    return str((spec[:-1] + "s") % (_escaped(value) if kind == "b" else value)), False


def _no_number(session: Session, value: str) -> str:
    """What the shell's own printf says of an argument that is no number."""
    name = shell_name(session)
    if session.busybox:
        return f"{name}: invalid number '{value}'\n"
    what = "invalid number" if name.startswith("bash") else "expected numeric value"
    return f"{name}: printf: {value}: {what}\n"


def _cat(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words)
    texts, errors = inputs(session, "cat", operands, stdin)
    text = "".join(texts)
    if session.blocked and not operands:
        session.blocked, session.endless = False, True
        session.slept_s += 3600.0
    if "n" in flags:
        text = "".join(f"{n:>6}\t{line}\n" for n, line in enumerate(text.splitlines(), start=1))
    return Output(1 if errors else 0, text, errors)


def _wc(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words)
    texts, errors = inputs(session, "wc", operands, stdin)
    wanted = [letter for letter in "lwc" if letter in flags] or list("lwc")
    out = ""
    for name, text in zip(operands or [""], texts, strict=False):
        sizes = {"l": text.count("\n"), "w": len(text.split()), "c": len(text.encode())}
        width = 1 if len(wanted) == 1 else 9
        shown = " ".join(f"{sizes[letter]:>{width}}" for letter in wanted)
        out += f"{shown} {name}".rstrip() + "\n"
    return Output(int(bool(errors)), out, errors)


def _sort(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "kto")
    texts, errors = inputs(session, "sort", operands, stdin)
    lines = "".join(texts).splitlines()
    places = [
        words[i + 1] if word == "-k" else word[2:]
        for i, word in enumerate(words)
        if word[:2] == "-k"
    ]

    def key(line: str) -> tuple[object, ...]:
        parts = line.split(flags["t"]) if "t" in flags else line.split()
        keys: list[object] = []
        for place in places or [""]:
            first, _, last = place.partition(",")
            number = re.match(r"\d+", first)
            end = re.match(r"\d+", last)
            chosen = line
            if number is not None:
                start = int(number.group()) - 1
                stop = int(end.group()) if end is not None else len(parts)
                chosen = (flags.get("t") or " ").join(parts[start:stop])
            letters = set(re.sub(r"[\d.,]", "", place)) or set(flags)
            keys.append(_sort_key(chosen, letters))
        return (*keys, line)

    lines.sort(key=key, reverse="r" in flags or any("r" in place for place in places))
    if "u" in flags:
        if places or "n" in flags:
            lines = list({key(line)[:-1]: line for line in reversed(lines)}.values())[::-1]
        else:
            lines = list(dict.fromkeys(lines))
    failed = 1 if session.busybox else 2
    return Output(failed if errors else 0, "".join(f"{line}\n" for line in lines), errors)


def _sort_key(text: str, letters: set[str]) -> tuple[float, str]:
    if {"n", "g", "h"} & letters:
        found = re.match(r"\s*(-?\d+(?:\.\d+)?)([KMGTP]?)", text)
        unit = (
            1024.0 ** ("KMGTP".find(found.group(2)) + 1)
            if found and "h" in letters and found.group(2)
            else 1.0
        )
        return (float(found.group(1)) * unit if found else 0.0), ""
    if "V" in letters:
        return 0.0, re.sub(r"\d+", lambda match: match.group().zfill(12), text)
    return 0.0, text.lower() if "f" in letters else text


def _uniq(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words)
    texts, errors = inputs(session, "uniq", operands, stdin)
    groups: list[tuple[str, int]] = []
    for line in "".join(texts).splitlines():
        if groups and groups[-1][0] == line:
            groups[-1] = (line, groups[-1][1] + 1)
        else:
            groups.append((line, 1))
    shown = (f"{n:>7} {line}\n" if "c" in flags else f"{line}\n" for line, n in groups)
    return Output(int(bool(errors)), "".join(shown), errors)


def _cut(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "dfc")
    texts, errors = inputs(session, "cut", operands, stdin)
    mark, numbers = flags.get("d", "\t"), _ranges(flags.get("f") or flags.get("c") or "1")
    out = ""
    for line in "".join(texts).splitlines():
        parts = list(line) if "c" in flags else line.split(mark)
        if "f" in flags and len(parts) == 1:
            out += line + "\n"
            continue
        chosen = [
            part for n, part in enumerate(parts, start=1) if any(a <= n <= b for a, b in numbers)
        ]
        out += ("" if "c" in flags else mark).join(chosen) + "\n"
    return Output(int(bool(errors)), out, errors)


def _ranges(text: str) -> list[tuple[int, int]]:
    found = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        found.append((int(first or 1), int(last or 10**9) if dash else int(first or 1)))
    return found


def _tr(session: Session, words: list[str], stdin: str) -> Output:
    flags, sets = options(words)
    if not sets:
        return Output(1, "", "tr: missing operand\n")
    if len(sets) == 1 and not {"d", "s"} & set(flags) and not session.busybox:
        text = (
            f"tr: missing operand after '{sets[0]}'\nTwo strings must be given when translating.\n"
        )
        return Output(1, "", f"{text}Try 'tr --help' for more information.\n")
    first = _characters(sets[0])
    if "d" in flags:
        return Output(0, "".join(char for char in stdin if char not in first))
    second = _characters(sets[1]) if len(sets) > 1 else first
    second = second + second[-1:] * (len(first) - len(second))
    return Output(0, stdin.translate(str.maketrans(first, second[: len(first)])))


def _characters(text: str) -> str:
    text = _escaped(text).replace("[:upper:]", "A-Z").replace("[:lower:]", "a-z")
    return re.sub(
        r"(.)-(.)",
        lambda m: "".join(map(chr, range(ord(m.group(1)), ord(m.group(2)) + 1))),
        text,
    )


def _base64(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "w")
    texts, errors = inputs(session, "base64", operands, stdin)
    data = "".join(texts)
    if "d" in flags:
        return _decoded(session, data, errors)
    shown = base64.b64encode(data.encode(errors="surrogateescape")).decode()
    width = int(flags["w"]) if flags.get("w", "").isdecimal() else 76
    lines = [shown[at : at + width] for at in range(0, len(shown), width)] if width else [shown]
    return Output(0, "\n".join(lines) + ("\n" if width else ""), errors)


def _decoded(session: Session, data: str, errors: str) -> Output:
    """What can be decoded is written, then the rest complained about."""
    kept = "".join(data.split())
    valid = re.match(r"[A-Za-z0-9+/]*", kept)
    core = valid.group() if valid is not None else ""
    padding = kept[len(core) :]
    good = re.fullmatch(r"=*", padding) and (len(core) + len(padding)) % 4 == 0
    if not good and session.busybox:
        core = core[: len(core) // 4 * 4]
    elif len(core) % 4 == 1:
        core = core[:-1]
    out = base64.b64decode(core + "=" * (-len(core) % 4)).decode(errors="surrogateescape")
    if good:
        return Output(1 if errors else 0, out, errors)
    word = "truncated input" if session.busybox else "invalid input"
    return Output(1, out, f"{errors}base64: {word}\n")


def _seq(session: Session, words: list[str], _stdin: str) -> Output:
    bad = [word for word in words[1:] if not re.fullmatch(r"-?[\d.]+|-\w.*", word)]
    if bad and session.busybox:
        return Output(1, "", f"seq: invalid number '{bad[0]}'\n")
    if bad:
        text = f"seq: invalid floating point argument: '{bad[0]}'\n"
        return Output(1, "", f"{text}Try 'seq --help' for more information.\n")
    numbers = [int(word) for word in words[1:] if word.lstrip("-").isdecimal()]
    first = numbers[0] if len(numbers) > 1 else 1
    step = numbers[1] if len(numbers) > 2 else 1
    last = numbers[-1] if numbers else 0
    listed = range(first, last + (1 if step > 0 else -1), step or 1)
    return Output(0, "".join(f"{number}\n" for number in listed[:10_000]))


TEXT_COMMANDS: dict[str, Command] = {
    "base64": _base64,
    "cat": _cat,
    "cut": _cut,
    "echo": _echo,
    "printf": _printf,
    "seq": _seq,
    "sort": _sort,
    "tr": _tr,
    "uniq": _uniq,
    "wc": _wc,
}
