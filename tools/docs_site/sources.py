"""What the site is made of: pages of the repository, and those that are made for it alone."""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path

from sregym_catalogue.content import Content, collected
from sregym_catalogue.pages import written as written_pages
from sregym_core.api import Workspace

from docs_site.diagrams import FOLDER as DIAGRAMS
from docs_site.diagrams import drawn
from docs_site.generated import generated
from docs_site.navigation import sections, toctree

PAGES = ("*.md", "docs/**/*.md", "sregym_*/README.md", "plugins/*/README.md")
# The catalogue's own pages, which filter and sort, lie beside those of Sphinx.
CATALOGUE = "_extra/catalogue"
HERE = Path(__file__).resolve().parent
_LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)#\s]+)([^)]*\))")
_FENCE = re.compile(r"(?ms)^(```.*?^```$)")


def written(repository: Path, folder: Path) -> list[str]:
    """Write the site's sources; what has not changed is not touched, so that builds are short.

    Args:
        repository: Root of the repository.
        folder: Where they are written; what else lies there is taken away.

    Returns:
        The pages, as seen from the root.

    Raises:
        ValueError: The navigation or a diagram is wrong.
    """
    catalogue = collected(Workspace(), {})
    pages = contents(repository, catalogue)
    files = {name: drawn(text, name, folder).encode() for name, text in pages.items()}
    files["conf.py"] = (HERE / "conf.py").read_bytes()
    files["_static/site.css"] = (HERE / "static" / "site.css").read_bytes()
    for name, text in pages.items():
        for link in _links(text):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
            # What pages link to besides: schemas, pictures, examples.
            if target not in files and (repository / target).is_file():
                files[target] = (repository / target).read_bytes()
    shutil.rmtree(folder / CATALOGUE, ignore_errors=True)
    written_pages(catalogue, folder / CATALOGUE)
    for name, content in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for path in sorted(folder.rglob("*"), reverse=True):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in files and name.partition("/")[0] not in (DIAGRAMS, "_extra"):  # fmt: skip
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    return sorted(pages)


def contents(repository: Path, catalogue: Content) -> dict[str, str]:
    """Every page of the site with its text, diagrams not drawn yet."""
    found = {
        path.relative_to(repository).as_posix(): path.read_text(encoding="utf-8")
        for pattern in PAGES
        for path in sorted(repository.glob(pattern))
    }
    extra = generated(repository, catalogue)
    parts = sections(found["docs/README.md"])
    for part in parts:
        further = tuple(name for name in extra if posixpath.dirname(name) == part.folder)
        found[f"{part.folder}/index.md"] = part.index(further)
    found |= extra
    for parent, listed in _behind(found).items():
        found[parent] += "\n" + toctree(listed, posixpath.dirname(parent))
    first = found.pop("README.md")
    found["index.md"] = (
        first + "\n" + toctree(tuple(f"{part.folder}/index.md" for part in parts), "")
    )
    project = ("docs/README.md", "CONTRIBUTING.md", "CHANGELOG.md")
    found["index.md"] += "\n" + toctree(project, "", ":caption: Project")
    return {name: _to_first(name, text) for name, text in found.items()}


def _behind(found: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Page -> pages that stand behind it, without a place of their own in `docs/README.md`."""
    folders = {
        "docs/reference/applications.md": "docs/reference/applications/",
        "docs/reference/python.md": "docs/reference/python/",
    }
    behind = {
        parent: tuple(name for name in found if name.startswith(folder))
        for parent, folder in folders.items()
    }
    readmes = tuple(n for n in found if n.endswith("/README.md") and n != "docs/README.md")
    return {**behind, "docs/reference/packages.md": readmes}


def _links(text: str) -> list[str]:
    return [match[2] for match in _LINK.finditer(_FENCE.sub("", text))]


def _to_first(name: str, text: str) -> str:
    """The README is the site's first page: links to it lead there."""

    def moved(link: re.Match[str]) -> str:
        folder = posixpath.dirname(name)
        if posixpath.normpath(posixpath.join(folder, link[2])) != "README.md":
            return link[0]
        return f"{link[1]}{posixpath.relpath('index.md', folder or '.')}{link[3]}"

    return "".join(
        part if part.startswith("```") else _LINK.sub(moved, part) for part in _FENCE.split(text)
    )
