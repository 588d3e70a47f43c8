"""Fragments of the changelog can be read: a release writes them into `CHANGELOG.md`."""

from __future__ import annotations

from release import fragments
from workspace import ROOT


def test_fragments_can_be_read() -> None:
    """Named for their type, and beginning with the package that they are about."""
    files = {path.name for path in (ROOT / "changelog.d").iterdir()} - {"README.md"}
    assert {fragment.path.name for fragment in fragments()} == files
