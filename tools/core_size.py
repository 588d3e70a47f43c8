"""Prints how many lines the core has, package by package: it is to stay thin.

python tools/core_size.py

What may be in it and what not stands in ARCHITECTURE.md; `tests/layout/test_core_size.py` holds
it to the figure that was reached.
"""

from __future__ import annotations

import sys
from collections import Counter

from workspace import projects

ROOT_MODULES = "(root)"


def lines_by_package() -> Counter[str]:
    """Lines of Python by folder of the core; modules beside the folders are one entry."""
    core = next(project for project in projects() if project.name == "sregym-core")
    found: Counter[str] = Counter()
    for path in core.source.rglob("*.py"):
        inner = path.relative_to(core.source).parts
        package = inner[0] if len(inner) > 1 else ROOT_MODULES
        found[package] += len(path.read_text(encoding="utf-8").splitlines())
    return found


def main() -> int:
    found = lines_by_package()
    for package, lines in found.most_common():
        print(f"{lines:7,}  {package}")
    print(f"{found.total():7,}  all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
