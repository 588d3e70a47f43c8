"""Commands that put texts in another order or beside each other: tac, rev, nl, paste, diff, xxd."""

from __future__ import annotations

import difflib
import re

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.text import inputs


def _lines(
    session: Session, words: list[str], stdin: str, valued: str = ""
) -> tuple[dict[str, str], list[str], str]:
    flags, operands = options(words, valued)
    texts, errors = inputs(session, words[0], operands, stdin)
    return flags, "".join(texts).splitlines(), errors


def _shown(lines: list[str], errors: str) -> Output:
    return Output(1 if errors else 0, "".join(f"{line}\n" for line in lines), errors)


def _tac(session: Session, words: list[str], stdin: str) -> Output:
    _, lines, errors = _lines(session, words, stdin)
    return _shown(lines[::-1], errors)


def _rev(session: Session, words: list[str], stdin: str) -> Output:
    _, lines, errors = _lines(session, words, stdin)
    return _shown([line[::-1] for line in lines], errors)


def _nl(session: Session, words: list[str], stdin: str) -> Output:
    flags, lines, errors = _lines(session, words, stdin, "bwsv")
    out, number = [], 0
    for line in lines:
        if line or flags.get("b") == "a":
            number += 1
            out.append(f"{number:>6}\t{line}")
        else:
            out.append("       ")
    return _shown(out, errors)


def _fold(session: Session, words: list[str], stdin: str) -> Output:
    flags, lines, errors = _lines(session, words, stdin, "w")
    width = int(flags["w"]) if flags.get("w", "").isdecimal() else 80
    out = [line[at : at + width] for line in lines for at in range(0, max(1, len(line)), width)]
    return _shown(out, errors)


def _shuf(session: Session, words: list[str], stdin: str) -> Output:
    flags, lines, errors = _lines(session, words, stdin, "nie")
    if "i" in flags:
        first, _, last = flags["i"].partition("-")
        count = max(int(last) - int(first) + 1, 0)
        spend(count)
        allocate(80 * count)
        lines = [str(number) for number in range(int(first), int(last) + 1)]
    spend(5 * len(lines))
    seed, now = session.world.seed, session.world.now
    order = sorted(range(len(lines)), key=lambda n: seed.fraction("shuf", n, now))
    count = int(flags["n"]) if flags.get("n", "").isdecimal() else len(lines)
    return _shown([lines[n] for n in order[:count]], errors)


def _strings(session: Session, words: list[str], stdin: str) -> Output:
    _, lines, errors = _lines(session, words, stdin, "n")
    found = ["".join(char for char in line if char.isprintable()) for line in lines]
    return _shown([line for line in found if len(line) >= 4], errors)


def _paste(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "d")
    texts, errors = inputs(session, "paste", operands, stdin)
    mark = flags.get("d", "\t").replace("\\n", "\n").replace("\\t", "\t")
    columns = [text.splitlines() for text in texts]
    if "s" in flags:
        return _shown([mark.join(column) for column in columns], errors)
    if operands.count("-") > 1:
        rows, step = columns[0], len(operands)
        return _shown([mark.join(rows[at : at + step]) for at in range(0, len(rows), step)], errors)
    most = max((len(column) for column in columns), default=0)
    rows = [
        mark.join(column[n] if n < len(column) else "" for column in columns) for n in range(most)
    ]
    return _shown(rows, errors)


def _comm(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words)
    texts, errors = inputs(session, "comm", operands, stdin)
    if len(texts) < 2:
        return Output(1, "", errors or "comm: missing operand\n")
    left, right = (text.splitlines() for text in texts[:2])
    kept = [number for number in "123" if number not in flags]
    out = []
    lefts, rights = set(left), set(right)
    for line in sorted({*left, *right}):
        where = "3" if line in lefts and line in rights else "1" if line in lefts else "2"
        if where in kept:
            out.append("\t" * kept.index(where) + line)
    return _shown(out, errors)


def _diff(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "U", {"recursive": "r", "brief": "q", "unified": "u"})
    if "r" in flags and len(operands) == 2:
        names = [session.files.listing(session.path(operand)) for operand in operands]
        if names[0] is not None and names[1] is not None:
            return _compared(session, words, operands, (names[0], names[1]))
    texts, errors = inputs(session, "diff", operands, stdin)
    if len(texts) < 2:
        return Output(2, "", errors or "diff: missing operand\n")
    left, right = (text.splitlines() for text in texts[:2])
    if left == right:
        return Output(0)
    # Every line may be held against every other one.
    spend((len(left) * len(right) >> 5) + len(left) + len(right))
    if "q" in flags:
        return Output(1, f"Files {operands[0]} and {operands[1]} differ\n")
    if "u" in flags or "U" in flags or session.busybox:
        rows = difflib.unified_diff(left, right, operands[0], operands[1], lineterm="")
        return _shown_as_different(list(rows))
    rows_found: list[str] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, left, right).get_opcodes():
        if kind == "equal":
            continue
        rows_found.append(f"{_span(a, b)}{kind[0] if kind != 'insert' else 'a'}{_span(c, d)}")
        rows_found += [f"< {line}" for line in left[a:b]]
        rows_found += ["---"] if kind == "replace" else []
        rows_found += [f"> {line}" for line in right[c:d]]
    return _shown_as_different(
        [row.replace("r", "c", 1) if row[:1].isdigit() else row for row in rows_found]
    )


def _compared(
    session: Session, words: list[str], places: list[str], names: tuple[list[str], list[str]]
) -> Output:
    """`diff -r` of two folders."""
    out, err, code = "", "", 0
    given = [word for word in words[1:] if word not in places]
    first, second = (place.rstrip("/") for place in places)
    for name in sorted({*names[0], *names[1]}):
        if name not in names[0] or name not in names[1]:
            out += f"Only in {first if name in names[0] else second}: {name}\n"
            code = max(code, 1)
            continue
        pair = [f"{first}/{name}", f"{second}/{name}"]
        result = _diff(session, ["diff", *given, *pair], "")
        folders = session.files.listing(session.path(pair[0])) is not None
        quiet = any("q" in word for word in given if not word.startswith("--"))
        if result.out and not folders and not quiet and not session.busybox:
            out += f"{' '.join(['diff', *given, *pair])}\n"
        out, err, code = out + result.out, err + result.err, max(code, result.code)
    return Output(code, out, err)


def _shown_as_different(rows: list[str]) -> Output:
    return Output(1, "".join(f"{row}\n" for row in rows))


def _span(first: int, last: int) -> str:
    if last <= first:
        return str(first)
    return str(first + 1) if last == first + 1 else f"{first + 1},{last}"


_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")


def _envsubst(session: Session, words: list[str], stdin: str) -> Output:
    """The input with variables of the environment filled in: all, or those that an argument names."""
    given = [word for word in words[1:] if not word.startswith("-")]
    names = {a or b for word in given for a, b in _VARIABLE.findall(word)} if given else None
    known = {
        name: value for name, value in session.environment.items() if name not in session.unexported
    }

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return known.get(name, "") if names is None or name in names else match[0]

    return Output(0, _VARIABLE.sub(value, stdin))


REARRANGING_COMMANDS: dict[str, Command] = {
    "comm": _comm,
    "diff": _diff,
    "envsubst": _envsubst,
    "fold": _fold,
    "nl": _nl,
    "paste": _paste,
    "rev": _rev,
    "shuf": _shuf,
    "strings": _strings,
    "tac": _tac,
}
