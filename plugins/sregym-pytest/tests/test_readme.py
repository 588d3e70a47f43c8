"""The README's example happens word for word."""

from __future__ import annotations

import os
from pathlib import Path

from sregym_testing import run_page


def test_readme(tmp_path: Path) -> None:
    page = Path(__file__).parents[1] / "README.md"
    run_page(page, tmp_path, dict(os.environ))
