"""Import every module as if it were the first of its project, warnings being errors; print what fails.

Left out are folders that stand alone: what they import is not here.

A module that stands in no circle of imports comes out the same whoever imported what it needs, so these
are imported in this process, lowest first. The members of a circle are each imported in a process of
their own, forked from this one. Usage: python import_alone.py [FOLDER OF A PACKAGE]..., all without one.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from workspace import together

OTHERS = (
    "aiohttp",
    "argparse",
    "importlib_metadata",
    "kubernetes.client",
    "kubernetes.stream",
    "orjson",
    "pluggy",
    "pydantic",
    "pytest",
    "rich",
    "structlog",
    "yaml",
)


def main(packages: list[Path]) -> int:
    for name in OTHERS:
        importlib.import_module(name)
    assert not [name for name in sys.modules if name.startswith("sregym")]
    files = {name: file for package in packages for name, file in modules(package)}
    needed = {name: needs(name, file, files) for name, file in files.items()}
    warnings.simplefilter("error")
    failed: set[str] = set()
    for circle in circles(needed):
        below = {name for member in circle for name in needed[member]} - set(circle)
        # What needs something that failed fails too, and that is told already.
        if below & failed or not (len(circle) == 1 or each_alone(circle)) or not imported(circle):
            failed.update(circle)
    return 1 if failed else 0


def modules(package: Path) -> Iterator[tuple[str, Path]]:
    """Names and files of all importable modules of a package, `__main__` left out."""
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package.parent).with_suffix("").parts
        inside = (package.parent.joinpath(*parts[:n], "__init__.py") for n in range(1, len(parts)))
        if parts[-1] != "__main__" and all(init.exists() for init in inside):
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def needs(name: str, file: Path, known: Mapping[str, Path]) -> list[str]:
    """Which of the known modules are imported before this one is complete."""
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    found = dict.fromkeys(_with_parents(name))
    for statement in _at_import(ast.parse(file.read_bytes()).body):
        if isinstance(statement, ast.Import):
            wanted = [alias.name for alias in statement.names]
        else:
            above = package.split(".")[: len(package.split(".")) - statement.level + 1]
            start = ".".join(above) if statement.level else ""
            base = ".".join(filter(None, (start, statement.module)))
            wanted = [f"{base}.{alias.name}" for alias in statement.names]
        for word in wanted:
            found.update(dict.fromkeys(_with_parents(word)))
    return [other for other in found if other in known and other != name]


def _with_parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts) + 1)]


def _at_import(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports that happen when a module is imported: not those in functions and for types alone."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement
        elif isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            yield from _at_import(statement.orelse)
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            for field in ("body", "orelse", "finalbody"):
                yield from _at_import(getattr(statement, field, []))
            for handler in getattr(statement, "handlers", []):
                yield from _at_import(handler.body)


def circles(needed: Mapping[str, list[str]]) -> list[list[str]]:
    """Modules that need each other, most of them alone, each after those that it needs (Tarjan)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        waiting.append(name)
        for other in needed[name]:
            if other not in number:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in waiting:
                lowest[name] = min(lowest[name], number[other])
        if lowest[name] == number[name]:
            at = waiting.index(name)
            found.append(sorted(waiting[at:]))
            del waiting[at:]

    for name in sorted(needed):
        if name not in number:
            visit(name)
    return found


def each_alone(circle: list[str]) -> bool:
    """Import each member in a process of its own; whether all could be.

    Importing `room.part` imports `room` first. Where that loads `room.part` already, the two are the
    same act, so packages come first and what they load of their own is proved with them.
    """
    proved: set[str] = set()
    well = True
    for name in sorted(circle, key=lambda name: (name.count("."), name)):
        if name in proved:
            continue
        sys.stdout.flush()
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            if imported([name]):
                # A pipe holds 64 KiB: enough for the names, so nobody waits for a reader.
                os.write(writing, "\n".join(sorted({*sys.modules} & {*circle})).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as stream:
            loaded = stream.read().split("\n")
        os.waitpid(process, 0)
        well = well and name in loaded
        proved.update(other for other in loaded if other.startswith(f"{name}."))
    return well


def imported(names: list[str]) -> bool:
    """Import modules in this process; whether all could be."""
    for name in names:
        try:
            importlib.import_module(name)
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            print(f"{name} cannot be imported alone", flush=True)
            return False
    return True


if __name__ == "__main__":
    folders = [Path(word) for word in sys.argv[1:]]
    sys.path[:0] = [str(folder.parent) for folder in folders]
    sys.exit(main(folders or [project.source for project in together()]))
