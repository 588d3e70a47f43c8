"""Prints how many lines the core has, package by package: it is to stay thin.

python tools/core_size.py

The first column counts lines of files; the second those that hold code, without docstrings, comments
and blank lines. What may be in it and what not stands in ARCHITECTURE.md;
`tests/layout/test_core_size.py` holds it to the figure of the first that was reached.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator

from workspace import projects

ROOT_MODULES = "(root)"
# Tokens that are no code: a line that has no other holds none.
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def all_lines(text: str) -> int:
    """Lines of a file."""
    return len(text.splitlines())


def code_lines(text: str) -> int:
    """Lines of a module that hold code: no docstring, no comment alone, not blank.

    A string that goes over several lines and is no docstring counts with all of them.
    """
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found.difference(_docstring_lines(ast.parse(text))))


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    """Lines of the docstrings of a module, its classes and functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and ast.get_docstring(node) is not None:
                yield from range(first.lineno, (first.end_lineno or first.lineno) + 1)


def lines_by_package(lines: Callable[[str], int] = all_lines) -> Counter[str]:
    """Lines of Python by folder of the core; modules beside the folders are one entry.

    Args:
        lines: How many there are in the text of a file.
    """
    core = next(project for project in projects() if project.name == "sregym-core")
    found: Counter[str] = Counter()
    for path in core.source.rglob("*.py"):
        inner = path.relative_to(core.source).parts
        package = inner[0] if len(inner) > 1 else ROOT_MODULES
        found[package] += lines(path.read_text(encoding="utf-8"))
    return found


def main() -> int:
    found, code = lines_by_package(), lines_by_package(code_lines)
    print(f"{'lines':>7}  {'code':>7}  package")
    for package, lines in found.most_common():
        print(f"{lines:7,}  {code[package]:7,}  {package}")
    print(f"{found.total():7,}  {code.total():7,}  all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
