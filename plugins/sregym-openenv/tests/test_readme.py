"""The README's example happens word for word, with the server of the other terminal."""

from __future__ import annotations

import os
from pathlib import Path

from sregym_testing import run_page


def test_readme(tmp_path: Path, url: str) -> None:
    page = Path(__file__).parents[1] / "README.md"
    run_page(page, tmp_path, {**os.environ, "SREGYM_SERVER": url})
