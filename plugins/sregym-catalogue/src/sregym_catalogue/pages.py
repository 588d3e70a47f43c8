"""The pages: static files without anything from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

if TYPE_CHECKING:
    from pathlib import Path

    from sregym_catalogue.content import Content


def written(content: Content, folder: Path) -> list[Path]:
    """Write all pages; their paths, the index first.

    Raises:
        OSError: One cannot be written.
    """
    environment = Environment(
        loader=PackageLoader("sregym_catalogue", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    (folder / "problems").mkdir(parents=True, exist_ok=True)
    index = folder / "index.html"
    index.write_text(
        environment.get_template("index.html").render(content=content), encoding="utf-8"
    )
    single = environment.get_template("problem.html")
    made = [index]
    for entry in content.entries:
        page = folder / "problems" / f"{entry.id}.html"
        page.write_text(single.render(entry=entry), encoding="utf-8")
        made.append(page)
    return made
