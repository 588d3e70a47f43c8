"""Pages that are made for the site alone: the Python interfaces, the packages, the catalogue."""

from __future__ import annotations

from pathlib import Path

from sregym_catalogue.content import Content
from workspace import projects

from docs_site.interfaces import Interfaces


def generated(repository: Path, catalogue: Content) -> dict[str, str]:
    """Page -> text."""
    architecture = (repository / "ARCHITECTURE.md").read_text(encoding="utf-8")
    interfaces = Interfaces(architecture, [str(one.folder / "src") for one in projects()])
    return {
        "docs/reference/python.md": interfaces.index(),
        **{f"docs/reference/python/{name}.md": interfaces.page(name) for name in interfaces.names},
        "docs/reference/catalogue.md": _catalogue(catalogue),
        "docs/reference/packages.md": _packages(),
    }


def _packages() -> str:
    rows = "".join(
        f"| [{one.name}](../../{one.relative}/README.md) | {one.settings['project']['description']} |\n"
        for one in sorted(projects(), key=lambda one: one.name)
    )
    return f"# Packages\n\nEvery distribution of this repository, with its README.\n\n| distribution | is |\n|---|---|\n{rows}"


def _catalogue(content: Content) -> str:
    rows = "".join(
        f"| `{one.id}` | {one.application} | {one.layer} | {', '.join(one.suites)} |\n"
        for one in content.entries
    )
    faults = "".join(
        f"| `{row.fault}` | {row.layer} | {row.pairs} | {sum(cell.problems for cell in row.cells)} |\n"
        for row in content.rows
    )
    return (
        '# Catalogue\n\nProblems and faults of this repository. <a href="../../catalogue/index.html">The'
        " catalogue's own pages</a> filter and sort them, show which fault fits which application, and have a page"
        " for each problem with what an agent is told.\n\n"
        f"## Problems\n\n| problem | application | layer | suites |\n|---|---|---|---|\n{rows}\n"
        "## Faults\n\n`sregym faults` says more, `sregym faults pairs` lists what each fits.\n\n"
        f"| fault | layer | targets that it fits | problems with it |\n|---|---|---:|---:|\n{faults}"
    )
