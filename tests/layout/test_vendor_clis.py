"""The page for users names the programs that are tested."""

from __future__ import annotations

import vendor_clis
from workspace import ROOT


def test_the_page_names_each_version() -> None:
    page = (ROOT / "docs" / "how-to" / "run-a-coding-agent.md").read_text(encoding="utf-8")
    rows = [line for line in page.split("\n") if line.startswith("| `")]
    for package, version in vendor_clis.VERSIONS.items():
        told = [row for row in rows if f"npm install --global {package}`" in row]
        assert len(told) == 1, package
        assert told[0].endswith(f"| {version} |")
