"""A third party's application and operator, found as if they were installed."""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from sregym_apps.simulation.installed import installed

PACKAGE = Path(__file__).parent / "acme-sregym-parcels"
MODULE = "acme_sregym_parcels"


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Entries of sys.path under which its modules and its metadata are found."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    folder = tmp_path_factory.mktemp("metadata")
    metadata = folder / f"{MODULE}-{project['version']}.dist-info"
    metadata.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (metadata / "METADATA").write_text(head)
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {target}" for name, target in entries.items()), ""])
        for group, entries in project["entry-points"].items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(groups))
    entries = [str(PACKAGE / "src"), str(folder)]
    sys.path[:0] = entries
    importlib.invalidate_caches()
    installed.cache_clear()
    yield entries
    installed.cache_clear()
    for entry in entries:
        sys.path.remove(entry)
    for name in [name for name in sys.modules if name.partition(".")[0] == MODULE]:
        del sys.modules[name]
