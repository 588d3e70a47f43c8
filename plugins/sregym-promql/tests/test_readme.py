"""The README's examples happen word for word."""

from __future__ import annotations

import os
from pathlib import Path

from sregym_testing import run_page


def test_readme(tmp_path: Path) -> None:
    run_page(Path(__file__).parents[1] / "README.md", tmp_path, dict(os.environ))
