"""Changelog fragments are named for their type and begin with the package they are about."""

from __future__ import annotations

import re

from workspace import ROOT, projects

FRAGMENTS = sorted((ROOT / "changelog.d").iterdir())


def test_fragments_are_named_for_their_type() -> None:
    good = re.compile(r"[+\w-]+\.(added|changed|fixed|removed)\.md")
    assert [path.name for path in FRAGMENTS if not good.fullmatch(path.name)] == []


def test_fragments_begin_with_a_package() -> None:
    names = {"sregym", *(project.name for project in projects())}
    first = {path.name: path.read_text(encoding="utf-8").partition(":")[0] for path in FRAGMENTS}
    assert {name: package for name, package in first.items() if package not in names} == {}
