"""Finds texts of errors that no test compares; `tests/layout/untested_errors.txt` lists those known.

A text is what stands as a literal, with gaps where values go, in the arguments of what a statement
raises, or returns to be raised: a call of a name that is raised somewhere. It is tested when one string of the tests (a literal,
a string of a recording, a table) holds all its pieces in their order. Without arguments the list is
printed; `--write` writes it.
"""

from __future__ import annotations

import ast
import gzip
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workspace import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

KNOWN = ROOT / "tests" / "layout" / "untested_errors.txt"
HEAD = (
    "# Texts of errors that no test compares whole, each behind its module: write a test, take the\n"
    "# line away (`python tools/error_texts.py --write` does). None is ever added.\n"
)
# Between the pieces of a text stand values of at most so many letters.
_GAP = 400
_END = "\x01"
# The beginning of a statement that makes an error, and how many lines it may have.
_BEGUN = re.compile(r"\s*(raise|return) ((?:[a-z_]+\.)*\w+\(.*)")
_LONGEST = 12
_CAUSE = re.compile(r"\) from \w+$")
# What kubectl in process says of mistakes is compared with the binary, by the lines in its tests.
_COMPARED = (
    "kubectl",
    {"CommandError", "SeveralErrors", "usage_error", "flag_error", "while_doing"},
)


def untested() -> list[str]:
    """Each text that no test compares, behind the module in which it stands."""
    made = [(path, kind, call) for path in _modules() for kind, call in _made(path)]
    raised = {_name(call.func) for _, kind, call in made if kind == "raise"}
    corpus = _END.join(dict.fromkeys(text for text in _strings() if " " in text)) + _END
    found = set()
    for path, _, call in made:
        if _name(call.func) not in raised or _is_compared(path, call):
            continue
        for pieces in _texts(call):
            if not _stands_in(corpus, pieces):
                shown = "…".join(pieces).replace("\n", "\\n")
                found.add(f"{path.relative_to(ROOT)}: {shown}")
    return sorted(found)


def _modules() -> Iterator[Path]:
    for folder in sorted([*ROOT.glob("sregym_*/src"), *ROOT.glob("plugins/*/src")]):
        yield from sorted(folder.rglob("*.py"))


def _made(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """The calls that statements of a module raise or return."""
    lines = path.read_text("utf-8").splitlines()
    for at, line in enumerate(lines):
        begun = _BEGUN.match(line)
        if begun is None:
            continue
        # To parse a few lines takes a tenth of the time of all.
        for end in range(at + 1, at + _LONGEST):
            text = _CAUSE.sub(")", "\n".join([begun[2], *lines[at + 1 : end]]))
            try:
                (statement,) = ast.parse(text).body
            except SyntaxError:
                continue
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                yield begun[1], statement.value
            break


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_compared(path: Path, call: ast.Call) -> bool:
    room, names = _COMPARED
    return room in path.parts and _name(call.func) in names


def _texts(call: ast.Call) -> Iterator[list[str]]:
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        pieces = [piece for piece in _pieces(argument) if piece]
        if any(" " in piece.strip() for piece in pieces):
            yield pieces


def _pieces(node: ast.expr) -> list[str]:
    """The literal pieces of a text in their order."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _pieces(node.left) + _pieces(node.right)
    return []


def _stands_in(corpus: str, pieces: list[str]) -> bool:
    """Whether one string of the corpus holds the pieces in their order, not far from each other."""
    at = corpus.find(pieces[0])
    while at >= 0:
        end, here = corpus.find(_END, at), at
        for piece in pieces:
            found = corpus.find(piece, here, end)
            if found < 0 or found > here + (_GAP if here > at else 0):
                break
            here = found + len(piece)
        else:
            return True
        at = corpus.find(pieces[0], at + 1)
    return False


def _strings() -> Iterator[str]:
    """What tests hold: literals, recordings, tables."""
    folders = [ROOT / "tests", *ROOT.glob("sregym_*/tests"), *ROOT.glob("plugins/*/tests")]
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.suffix == ".py":
            yield from _literals(ast.parse(path.read_text("utf-8")))
        elif path.name.endswith(".jsonl.gz"):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                yield from _held(map(json.loads, lines))
        elif path.suffix == ".json":
            yield from _held([json.loads(path.read_text("utf-8"))])
        elif path.suffix in (".txt", ".yaml") and path != KNOWN:
            yield path.read_text("utf-8")


def _literals(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr | ast.BinOp):
            yield "\0".join(_pieces(node))


def _held(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | dict):
            yield from _held(value.values() if isinstance(value, dict) else value)


def known() -> list[str]:
    """The texts that the list names."""
    return [line for line in KNOWN.read_text("utf-8").splitlines() if line[:1] != "#"]


def main(arguments: list[str]) -> None:
    """Print the list, or write it."""
    text = HEAD + "".join(f"{line}\n" for line in untested())
    if arguments == ["--write"]:
        KNOWN.write_text(text, "utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
