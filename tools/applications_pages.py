"""Writes `docs/reference/applications.md` and a page for each installed application beside it.

python tools/applications_pages.py            write the pages
python tools/applications_pages.py --check    exit with 1 when they are out of date
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sregym_catalogue.applications import measures
from sregym_core.conductor import ComponentFactory
from sregym_core.conductor.targets import candidates
from sregym_core.model import Component, ComponentTarget
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.interfaces import Application, Fault

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
INDEX = REFERENCE / "applications.md"
FOLDER = REFERENCE / "applications"
WIDTH = 180
WRITTEN = "Written by `tools/applications_pages.py` from the applications themselves."
# How a kind of component is drawn: what stands around its name.
SHAPES = {"datastore": ("[(", ")]"), "cache": ("([", "])"), "queue": ("[/", "/]"), "load": ("((", "))")}  # fmt: skip
BOX = ("[", "]")
# What more parts than that call is told in words: arrows to it would hide all others.
MOST_ARROWS = 12
KEPT = ("datastore", "cache", "queue", "registry")
INDEX_HEAD = f"""\
# Applications

The applications of this repository; `sregym applications` lists those that are installed. Each page has a picture of who calls whom, what users do, what is kept where, and which families
of faults fit. {WRITTEN}

| application | distribution | workloads | Services | users' operations | kinds of servers |
|---|---|---:|---:|---:|---|
"""


def pages() -> dict[Path, str]:
    """All pages as they should be."""
    factory = ComponentFactory(Settings())
    faults = [factory.fault(name) for name in factory.registry.names("fault")]
    rows, found = [], {}
    for name in factory.registry.names("application"):
        application = factory.application(name)
        distribution = factory.registry.owner("application", name).distribution
        known = measures(application)
        cells = (
            f"[{name}](applications/{name}.md)",
            f"`{distribution}`",
            str(known["workloads"]),
            str(known["services"]),
            str(len(known["operations"])),
            ", ".join(known["server_kinds"]) or "none",
        )
        rows.append(f"| {' | '.join(cells)} |\n")
        found[FOLDER / f"{name}.md"] = page(application, distribution, known, faults)
    return {INDEX: INDEX_HEAD + "".join(rows), **found}


def page(
    application: Application, distribution: str, known: dict[str, Any], faults: Iterable[Fault]
) -> str:
    """One application."""
    parts = application.components()
    spaces = ", ".join(f"`{name}`" for name in application.namespaces)
    # What stands in angle brackets is no markup.
    about = " ".join(application.description.split()).replace("<", "&lt;")
    sections = [
        f"# {application.title}\n",
        f"`{application.name}` of `{distribution}`: {known['workloads']} workloads and {known['services']} Services in {spaces}. {WRITTEN}\n",
        "\n".join(textwrap.wrap(about, WIDTH, break_long_words=False, break_on_hyphens=False)),
        "\n## Who calls whom\n",
        "Boxes are programs, cylinders databases, rounded boxes caches, slanted ones queues, circles users.\n",
        picture(parts),
        *called_by_many(parts),
        "\n## What users do\n",
        *operations(parts),
        "\n## What is kept where\n",
        *stores(parts),
        "\n## Faults that fit\n",
        f"Families of faults, by layer, with what they hold on to here; `sregym faults pairs` lists each pair. `{application.name}` needs the kinds of servers: {', '.join(known['server_kinds']) or 'none'}.\n",
        *families(application, faults),
    ]
    return "\n".join(sections) + "\n"


def picture(parts: Iterable[Component]) -> str:
    """The topology as Mermaid draws it."""
    lines = ["```mermaid", "flowchart LR"]
    for part in parts:
        before, after = SHAPES.get(part.kind, BOX)
        lines.append(f"  {_id(part.name)}{before}{part.name}{after}")
    for part in parts:
        if len(part.callers) <= MOST_ARROWS:
            lines += [f"  {_id(caller)} --> {_id(part.name)}" for caller in part.callers]
    return "\n".join([*lines, "```"])


def called_by_many(parts: Iterable[Component]) -> list[str]:
    """Of the parts to which the picture has no arrows, by how many others each is called."""
    found = [part for part in parts if len(part.callers) > MOST_ARROWS]
    message = ", ".join(f"{part.name} by {len(part.callers)}" for part in found)
    return [f"\nWithout arrows, since so many parts call them: {message}."] if message else []


def _id(name: str) -> str:
    return f"n_{name.replace('-', '_')}"


def operations(parts: tuple[Component, ...]) -> list[str]:
    """Each thing that users do, and what it passes through."""
    names = sorted({operation for part in parts for operation in part.operations})
    rows = []
    for name in names:
        through = [part.name for part in parts if name in part.operations and part.kind != "load"]
        rows.append(f"| {name} | {len(through)} | {', '.join(through)} |")
    return ["| operation | parts | passes through |", "|---|---:|---|", *rows]


def stores(parts: Iterable[Component]) -> list[str]:
    """Databases, caches, queues and registries."""
    kept = [part for part in parts if part.kind in KEPT]
    if not kept:
        return ["Nothing is kept."]
    rows = []
    for part in kept:
        durable = ", ".join(f"`{volume.path}`" for volume in part.volumes) or "no"
        accounts = ", ".join(account.user for account in part.accounts) or "none told"
        users = ", ".join(part.callers) or "none"
        rows.append(f"| {part.name} | {part.kind} | `{part.image}` | {durable} | {accounts} | {users} |")  # fmt: skip
    head = "| part | kind | image | volume | accounts | used by |"
    return [head, "|---|---|---|---|---|---|", *rows]


def families(application: Application, faults: Iterable[Fault]) -> list[str]:
    """Layer of faults -> what of the application at least one of them fits."""
    found: dict[str, dict[str, None]] = {}
    for fault in faults:
        for target, chosen in candidates(application, fault.takes, fault.parts):
            if isinstance(target, ComponentTarget) and isinstance(chosen, Component):
                what = f"{chosen.kind} components"
            else:
                what = f"{next(iter(target.model_dump(exclude_defaults=True)), 'cluster')}s"
            known = found.setdefault(fault.layer, {})
            if what not in known and fault.fits(chosen):
                known[what] = None
    rows = [
        f"| {layer} | {', '.join(sorted(what)).replace('clusters', 'the cluster')} |"
        for layer, what in sorted(found.items())
        if what
    ]
    return ["| layer | fits |", "|---|---|", *rows] if rows else ["None that is installed."]


def main() -> int:
    """Write the pages, or compare them."""
    wanted = pages()
    present = [INDEX, *FOLDER.glob("*.md")] if INDEX.is_file() else [*FOLDER.glob("*.md")]
    there = {path: path.read_text(encoding="utf-8") for path in present}
    if "--check" in sys.argv:
        for path in sorted({*wanted, *there}):
            if wanted.get(path) != there.get(path):
                print(f"{path.name} is out of date; run: python tools/applications_pages.py")
                return 1
        return 0
    FOLDER.mkdir(exist_ok=True)
    for path in there.keys() - wanted.keys():
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
