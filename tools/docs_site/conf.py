"""Sphinx's settings for the documentation site; `tools/build_site.py` copies this beside the pages."""

from __future__ import annotations

from typing import Any

project = "SREGym"
author = "SREGym maintainers"
project_copyright = "SREGym maintainers, Apache-2.0"

root_doc = "index"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "SREGym"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"]
html_copy_source = False
html_show_sphinx = False

# Options begin with two hyphens, also outside of code.
smartquotes = False

# Anchors of headings as GitHub makes them, so that links work in both places.
myst_heading_anchors = 6

suppress_warnings = [
    # JSON with an ellipsis in it; that blocks are well formed is a test of its own.
    "misc.highlighting_failure",
]


def _branch_of_the_page(
    _app: Any, _page: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Have the sidebar show the branch of the page, not all pages on each of them.

    That would be three fifths of the time that the site takes, and half of each page.
    """
    whole = context.get("toctree")
    if whole is not None:
        context["toctree"] = lambda **options: whole(**{**options, "collapse": True})


def setup(app: Any) -> None:
    """Before the theme's handler (priority 500), which renders the sidebar."""
    app.connect("html-page-context", _branch_of_the_page, priority=100)
