"""The README's example happens word for word, where Harbor can be installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from sregym_testing import run_page


def test_readme(tmp_path: Path) -> None:
    pytest.importorskip("harbor", reason="Harbor needs Python 3.12")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run_page(Path(__file__).parents[1] / "README.md", tmp_path, {**os.environ, "PATH": path})
