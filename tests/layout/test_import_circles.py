"""No module imports, at run time, one that imports it: each can be read, tested and moved without the others."""

from __future__ import annotations

import grimp
import pytest
from workspace import Project, together


def circles(module: str) -> list[list[str]]:
    """Groups of modules of a package that import each other, by Tarjan's algorithm."""
    graph = grimp.build_graph(module, exclude_type_checking_imports=True, cache_dir=None)
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_modules: list[str] = []
    found = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        open_modules.append(name)
        for imported in sorted(graph.find_modules_directly_imported_by(name)):
            if imported not in number:
                visit(imported)
            if imported in open_modules:
                lowest[name] = min(lowest[name], lowest[imported])
        if lowest[name] == number[name]:
            start = open_modules.index(name)
            group = open_modules[start:]
            del open_modules[start:]
            if len(group) > 1:
                found.append(sorted(group))

    for name in sorted(graph.modules):
        if name not in number:
            visit(name)
    return found


@pytest.mark.parametrize("project", together(), ids=lambda project: project.name)
def test_no_modules_import_each_other(project: Project) -> None:
    assert circles(project.module) == []
