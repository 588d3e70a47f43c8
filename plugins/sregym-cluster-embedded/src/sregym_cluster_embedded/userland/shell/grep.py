"""`grep`, `egrep` and `fgrep`."""

from __future__ import annotations

from sregym_regex import perl
from sregym_regex.budget import allocate, spend
from sregym_regex.globs import quoted
from sregym_regex.posix import PatternError, Searching, of_linear, translated

from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.text import inputs


def _grep(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "eABCmf", _GREP_LONG)
    name = words[0].rpartition("/")[2]
    patterns = [flags["e"]] if "e" in flags else operands[:1]
    if "e" in flags:
        patterns = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "-e"] or patterns
    files = operands if "e" in flags else operands[1:]
    if not patterns:
        return Output(2, "", "grep: no pattern\n" if session.busybox else _GREP_USAGE)
    if wrong := _bad_number(session, flags):
        return Output(2, "", f"grep: {wrong}\n")
    try:
        expressions = [_grep_pattern(name, text, flags) for text in patterns]
    except PatternError as error:
        return Output(2, "", _bad_pattern(session, patterns[0], str(error)))
    if ("r" in flags or "R" in flags) and not files:
        files = ["."]
    named, errors = _grep_inputs(session, files, stdin, recursive=bool({"r", "R"} & set(flags)))
    many = len(named) > 1 or "H" in flags or bool({"r", "R"} & set(flags))
    out, hits = "", 0
    for shown, content in named:
        allocate(len(out))
        lines = content.splitlines()
        spend(len(lines))
        found = [
            n
            for n, line in enumerate(lines)
            if any(e.search(line) for e in expressions) != ("v" in flags)
        ]
        if flags.get("m", "").isdecimal():
            found = found[: int(flags["m"])]
        hits += len(found)
        head = f"{shown}:" if many and "h" not in flags else ""
        if "c" in flags:
            out += f"{head}{len(found)}\n"
        elif "l" in flags or "L" in flags:
            out += f"{shown}\n" if bool(found) == ("l" in flags) else ""
        elif "o" in flags:
            out += "".join(
                f"{head}{f'{n + 1}:' if 'n' in flags else ''}{match.group()}\n"
                for n in found
                for e in expressions
                for match in e.finditer(lines[n])
                if match.group()
            )
        else:
            out += _grep_context(lines, found, head, flags)
    if "q" in flags:
        out = ""
    code = 0 if hits else 1
    return Output(2 if errors and code else code, out, "" if "s" in flags else errors)


_GREP_LONG = {
    "extended-regexp": "E", "fixed-strings": "F", "ignore-case": "i", "invert-match": "v",
    "recursive": "r", "count": "c", "line-number": "n", "only-matching": "o", "quiet": "q",
    "after-context": "A", "before-context": "B", "context": "C", "max-count": "m", "color": "~",
    "files-with-matches": "l", "word-regexp": "w", "perl-regexp": "P", "no-messages": "s",
}  # fmt: skip
_GREP_USAGE = (
    "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n"
)


def _bad_number(session: Session, flags: dict[str, str]) -> str:
    """What is wrong with an amount of lines."""
    for letter in "ABCm":
        value = flags.get(letter, "0")
        if value.isdecimal() or (letter == "m" and not session.busybox and value == "-1"):
            continue
        if session.busybox:
            return f"invalid number '{value}'"
        return "invalid max count" if letter == "m" else f"{value}: invalid context length argument"
    return ""


def _bad_pattern(session: Session, pattern: str, why: str) -> str:
    if session.busybox:
        return f"grep: bad regex '{pattern}'\n"
    return f"grep: {why}\n"


def _grep_pattern(name: str, text: str, flags: dict[str, str]) -> Searching:
    ignore = "i" in flags or "y" in flags
    if "F" in flags or name == "fgrep":
        form = "|".join(map(quoted, text.split("\n")))
    elif "P" in flags:
        form = text
    else:
        extended = "E" in flags or name == "egrep"
        form = "|".join(translated(part, extended=extended) for part in text.split("\n"))
    if "w" in flags:
        form = rf"\b(?:{form})\b"
    if "x" in flags:
        form = rf"^(?:{form})$"
    return (
        perl.compiled(form, ignore_case=ignore)
        if "P" in flags
        else of_linear(form, ignore_case=ignore)
    )


def _grep_inputs(
    session: Session, files: list[str], stdin: str, *, recursive: bool
) -> tuple[list[tuple[str, str]], str]:
    """(name, content) of what is searched, and what cannot be."""
    if not files:
        return [("(standard input)", stdin)], ""
    named: list[tuple[str, str]] = []
    errors = ""
    pending = list(files)
    while pending:
        operand = pending.pop(0)
        if operand == "-":
            named.append(("(standard input)", stdin))
            continue
        path = session.path(operand)
        if recursive and session.files.is_folder(path):
            names = session.files.listing(path) or []
            pending[:0] = [f"{operand.rstrip('/')}/{name}" for name in names if name[:2] != ".."]
            continue
        if session.busybox and session.files.is_folder(path):
            continue
        texts, error = inputs(session, "grep", [operand], stdin)
        errors += error
        named.extend((operand, text) for text in texts)
    return named, errors


def _grep_context(lines: list[str], found: list[int], head: str, flags: dict[str, str]) -> str:
    before = int(flags.get("B") or flags.get("C") or 0)
    after = int(flags.get("A") or flags.get("C") or 0)
    last = -1
    out: list[str] = []
    hits = set(found)
    for hit in found:
        for n in range(max(0, hit - before, last + 1), min(len(lines), hit + after + 1)):
            spend()
            if last >= 0 and n > last + 1 and before + after:
                out.append("--\n")
            last = n
            mark = ":" if n in hits else "-"
            number = f"{n + 1}{mark}" if "n" in flags else ""
            out.append(f"{head[:-1] + mark if head else ''}{number}{lines[n]}\n")
    return "".join(out)


GREP_COMMANDS: dict[str, Command] = {"egrep": _grep, "fgrep": _grep, "grep": _grep}
