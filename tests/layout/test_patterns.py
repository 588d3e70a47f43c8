"""Python's expressions are for patterns of ours: whatever comes from outside is matched by `sregym_regex`.

Python matches by trial and error, without a limit. A pattern that is put together at run time
stands in `own_patterns.txt` with the reason why nobody outside can write it; the list only becomes
shorter.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from workspace import projects

# The simulation, the servers that extend it, and the libraries that read what comes from outside.
SOURCES = tuple(
    project.source
    for project in projects()
    if project.is_library
    or project.name == "sregym-cluster-embedded"
    or project.name.startswith("sregym-server-")
)
PATTERNS = (
    "compile",
    "search",
    "match",
    "fullmatch",
    "split",
    "findall",
    "finditer",
    "sub",
    "subn",
)
EXCUSED = Path(__file__).with_name("own_patterns.txt")


def is_ours(node: ast.expr) -> bool:
    """Whether a pattern stands in the source: a text, a constant, or made of these."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return node.id.isupper()
    if isinstance(node, ast.Attribute):
        return node.attr == "pattern" and is_ours(node.value)
    if isinstance(node, ast.Call):  # `re.escape`: what it gives stands for itself
        return isinstance(node.func, ast.Attribute) and node.func.attr == "escape"
    if isinstance(node, ast.JoinedStr):
        parts = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        return all(is_ours(part.value) for part in parts)
    return isinstance(node, ast.BinOp) and is_ours(node.left) and is_ours(node.right)


def put_together(source: str) -> set[str]:
    """Functions that give Python's `re` a pattern which does not stand in the source."""
    found = set()

    def look(node: ast.AST, inside: str) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{inside}.{node.name}".removeprefix(".")
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in PATTERNS
            and not (node.args and is_ours(node.args[0]))
        ):
            found.add(inside or "module")
        if isinstance(node, ast.Import) and {"fnmatch", "glob", "regex"} & {
            alias.name for alias in node.names
        }:
            found.add("import")
        if isinstance(node, ast.ImportFrom) and node.module in ("fnmatch", "glob", "regex"):
            found.add("import")
        for child in ast.iter_child_nodes(node):
            look(child, inside)

    look(ast.parse(source), "")
    return found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import re\nre.search('a', x)", set()),
        ("import re\n_A = 'a'\n_B = re.compile(rf'{_A}+' + _A)", set()),
        ("import re\ndef f(p):\n    return re.search(p, 'x')", {"f"}),
        ("import re\nclass A:\n    def f(self, p):\n        re.compile(f'{p}+')", {"A.f"}),
        ("import fnmatch", {"import"}),
        ("from fnmatch import fnmatchcase", {"import"}),
    ],
)
def test_patterns_that_are_put_together_are_found(source: str, found: set[str]) -> None:
    assert put_together(source) == found


def test_no_pattern_from_outside_reaches_python() -> None:
    lines = EXCUSED.read_text(encoding="utf-8").splitlines()
    excused = dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))
    found = {
        f"{file.relative_to(source.parent)} {place}"
        for source in SOURCES
        for file in sorted(source.rglob("*.py"))
        for place in put_together(file.read_text(encoding="utf-8"))
    }
    assert sorted(found - excused.keys()) == []
    assert sorted(excused.keys() - found) == [], "the list only becomes shorter"
    assert [place for place, reason in excused.items() if len(reason) < 10] == []
