"""Whether every link of built pages leads somewhere, and whether a page asks anything of the network."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

# What a browser fetches by itself when it shows a page.
_FETCHED = {
    ("script", "src"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
}
_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload"}  # fmt: skip


@dataclass
class Found:
    """What a check found.

    Attributes:
        pages: How many pages were read.
        links: How many links inside the site were followed, anchors included.
        external: Addresses outside, each once, sorted; they are not asked.
        broken: A sentence for each link that leads nowhere.
        fetched: A sentence for each page that would fetch something from outside.
    """

    pages: int = 0
    links: int = 0
    external: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)


class _Page(HTMLParser):
    """Anchors and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        for name in ("href", "src"):
            if name not in values:
                continue
            self.links.append(values[name])
            by_itself = tag == "link" and _RELATIONS & {*values.get("rel", "").split()}
            if by_itself or (tag, name) in _FETCHED:
                self.fetched.append(values[name])


def check(site: Path) -> Found:
    """Read all pages of a site.

    Args:
        site: Folder of the built site.
    """

    @cache
    def read(path: Path) -> _Page:
        page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
        return page

    found, external = Found(), set()
    for path in sorted(site.rglob("*.html")):
        name, page = path.relative_to(site).as_posix(), read(path)
        found.pages += 1
        found.fetched += [f"{name} fetches {link}" for link in page.fetched if _outside(link)]
        for link in page.links:
            if _outside(link):
                external.add(urldefrag(link).url)
            elif urlsplit(link).scheme not in ("mailto", "data", "javascript"):
                found.links += 1
                place, anchor = urldefrag(link)
                target = (path.parent / unquote(urlsplit(place).path)).resolve() if place else path
                if not target.is_file():
                    found.broken.append(f"{name} leads to {link}: no such file")
                elif (
                    anchor
                    # `#suite=hard` is no place in a page but what its script shows.
                    and "=" not in anchor
                    and target.suffix == ".html"
                    and unquote(anchor) not in read(target).anchors
                ):
                    found.broken.append(f"{name} leads to {link}: no such anchor")
    found.external = sorted(external)
    return found


def _outside(link: str) -> bool:
    return link.startswith("//") or urlsplit(link).scheme in ("http", "https")
