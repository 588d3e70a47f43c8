"""The documentation site: navigation, links, search and pictures, without a network.

`tox -e docs` builds it before (`SREGYM_SITE`); elsewhere it is built by the first test that asks.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from docs_site import diagrams, links, navigation, sources
from docs_site.interfaces import Interfaces
from sregym_testing.browser import browse, needs_browser

ROOT = Path(__file__).resolve().parents[2]
README = "# Documentation\n\n" + "".join(
    f"## {heading}\n\n- [One](reference/{heading.lower().replace(' ', '-')}.md)\n\n"
    for heading in navigation.SECTIONS
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the built site."""
    if "SREGYM_SITE" in os.environ:
        return Path(os.environ["SREGYM_SITE"]) / "html"
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, str(ROOT / "tools" / "build_site.py"), str(folder)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def test_every_page_of_the_repository_is_a_page_of_the_site(site: Path) -> None:
    pages = [page for pattern in sources.PAGES for page in ROOT.glob(pattern)]
    wanted = {page.relative_to(ROOT).with_suffix(".html").as_posix() for page in pages}
    built = {page.relative_to(site).as_posix() for page in site.rglob("*.html")}
    assert wanted - built == {"README.html"}
    assert "index.html" in built


def test_a_page_in_no_navigation_fails_the_build(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for folder in ("_static", "_extra"):
        (source / folder).mkdir(parents=True)
    (source / "conf.py").write_bytes((ROOT / "tools/docs_site/conf.py").read_bytes())
    (source / "_static/site.css").touch()
    (source / "index.md").write_text("# First\n\n" + navigation.toctree(("listed.md",), ""))
    for name in ("listed", "stray"):
        (source / f"{name}.md").write_text(f"# {name.capitalize()}\n")
    sphinx = ("-m", "sphinx", "--builder", "dummy", "--quiet", "--fail-on-warning")
    command = [sys.executable, *sphinx, str(source), str(tmp_path / "built")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "stray.md: WARNING: document isn't included in any toctree" in done.stderr


def test_sections_are_those_of_the_page_that_lists_all_others() -> None:
    first, *others = navigation.sections(README)
    assert (first.folder, first.title, first.pages) == (
        "docs/tutorial",
        "Tutorial",
        ("docs/reference/learn.md",),
    )
    assert [one.title for one in others] == ["How-to", "Reference", "Explanation"]
    assert first.index(("docs/tutorial/made.md",)) == (
        "# Tutorial\n\n- [One](../reference/learn.md)\n\n"
        "```{toctree}\n:hidden:\n\n../reference/learn.md\nmade.md\n```\n"
    )


def test_another_heading_is_refused() -> None:
    with pytest.raises(ValueError) as error:
        navigation.sections(README.replace("## Do\n", "## Try\n"))
    assert str(error.value) == (
        "docs/README.md has the headings ['Learn', 'Try', 'Look up', 'Understand']; "
        "the site is made of ['Learn', 'Do', 'Look up', 'Understand']"
    )


def test_a_diagram_that_cannot_be_drawn_is_told_with_its_page(tmp_path: Path) -> None:
    text = "```mermaid\nsequenceDiagram\n  a->>b: one; two three\n```\n"
    with pytest.raises(ValueError) as error:
        diagrams.drawn(text, "docs/page.md", tmp_path)
    assert str(error.value) == (
        "docs/page.md: its Mermaid diagram cannot be drawn: Diagram parse error (sequence): "
        "unexpected statement separator; expected central, signal type"
    )


def test_a_diagram_becomes_a_picture(tmp_path: Path) -> None:
    text = "Before.\n\n```mermaid\nflowchart LR\n  a[left] --> b[right]\n```\n\nBehind.\n"
    page = diagrams.drawn(text, "docs/page.md", tmp_path)
    (picture,) = tmp_path.glob("_diagrams/*.svg")
    block = f"```{{image}} /_diagrams/{picture.name}\n:alt: diagram\n:class: diagram\n```"
    assert page == f"Before.\n\n{block}\n\nBehind.\n"
    assert {"left", "right"} <= set(re.findall(r"\w+", picture.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("architecture", "told"),
    [
        (
            "Nothing is promised.",
            "ARCHITECTURE.md has no sentence 'Promises are carried by ...; everything else ...'",
        ),
        (
            "Promises are carried by `missing_here`; everything else is free.",
            "ARCHITECTURE.md promises missing_here, which is not there",
        ),
        (
            "Promises are carried by `small.gone`; everything else is free.",
            "ARCHITECTURE.md promises small.gone, which is not there",
        ),
    ],
)
def test_promises_that_cannot_be_found_are_told(
    architecture: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / "small.py").write_text('"""Small."""\n')
    with pytest.raises(ValueError) as error:
        Interfaces(architecture, [str(tmp_path)])
    assert str(error.value) == told


def test_a_module_is_told_by_its_docstrings(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(
        '"""Small."""\n\n__all__ = ["halve"]\n\n\ndef halve(value: float, *, twice: bool = False) -> float:\n'
        '    """Half of a value.\n\n    Args:\n        value: In metres.\n        twice: A quarter.\n\n'
        '    Raises:\n        ValueError: It is not finite.\n    """\n\n\ndef other() -> None:\n    """Left out."""\n'
    )
    interfaces = Interfaces("Promises are carried by `small`; everything else is free.", [str(tmp_path)])  # fmt: skip
    assert interfaces.names == ("small",)
    assert interfaces.page("small") == (
        "# small\n\nSmall.\n\n## `halve`\n\n"
        "```python\ndef halve(value: float, *, twice: bool = False) -> float\n```\n\n"
        "Half of a value.\n\n**Arguments**\n\n- `value`: In metres.\n- `twice`: A quarter.\n\n"
        "**Raises**\n\n- `ValueError`: It is not finite.\n"
    )


def test_links_that_lead_nowhere_and_requests_are_found(tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text('<h1 id="top">B</h1>')
    (tmp_path / "a.html").write_text(
        '<script src="https://cdn.example/x.js"></script><a href="b.html#top">1</a>'
        '<a href="b.html#suite=hard">0</a><a href="b.html#gone">2</a><a href="c.html">3</a><a href="https://example.org/#x">4</a>'
    )
    assert links.check(tmp_path) == links.Found(
        pages=2,
        links=4,
        external=["https://cdn.example/x.js", "https://example.org/"],
        broken=[
            "a.html leads to b.html#gone: no such anchor",
            "a.html leads to c.html: no such file",
        ],
        fetched=["a.html fetches https://cdn.example/x.js"],
    )


def _shown(tmp_path: Path, address: str) -> tuple[str, set[str]]:
    """A page after its scripts, and what it asked of the network; what the browser asks itself is left out."""
    log = tmp_path / "requests.json"
    options = ("--dump-dom", "--virtual-time-budget=10000", f"--log-net-log={log}")
    shown = browse(tmp_path / "profile", address, *options)
    events = json.loads(log.read_text(encoding="utf-8"))["events"]
    asked = [event["params"] for event in events if "initiator" in event.get("params", {})]
    return shown, {one["url"] for one in asked if one["initiator"] != "not an origin"}


@needs_browser
def test_search_works_from_a_folder_and_asks_nobody(site: Path, tmp_path: Path) -> None:
    shown, asked = _shown(tmp_path, f"{(site / 'search.html').as_uri()}?q=fingerprints")
    found = re.search(r'(?s)<ul[^>]* class="search".*?</ul>', shown)
    assert found is not None, shown
    assert "docs/how-to/write-a-fault.html" in found[0]
    assert asked == set()


@needs_browser
def test_a_request_of_a_page_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text('<img src="http://127.0.0.1:9/x.png">')
    _, asked = _shown(tmp_path, (tmp_path / "page.html").as_uri())
    assert asked == {"http://127.0.0.1:9/x.png"}
