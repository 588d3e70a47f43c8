"""What stands in this repository: its project folders, and what each of them declares."""

from __future__ import annotations

import os
import sys
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Project:
    """One project folder: a distribution of its own with `pyproject.toml` and `src`."""

    folder: Path

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Its `pyproject.toml`."""
        return tomllib.loads((self.folder / "pyproject.toml").read_text(encoding="utf-8"))

    @property
    def name(self) -> str:
        """Name of the distribution."""
        return str(self.settings["project"]["name"])

    @property
    def module(self) -> str:
        """Name of its one import package."""
        return self.name.replace("-", "_")

    @property
    def source(self) -> Path:
        """Folder of that package."""
        return self.folder / "src" / self.module

    @property
    def is_plugin(self) -> bool:
        """Whether it stands under `plugins/`, and is no library."""
        return self.folder.parent.name == "plugins" and not self.is_library

    @property
    def is_library(self) -> bool:
        """Whether it knows nothing of SREGym: `library = true` in `[tool.sregym]`."""
        return bool(self._own.get("library", False))

    @property
    def test_group(self) -> list[str]:
        """What its tests need beyond what it declares itself: dependency group `test`."""
        return [str(line) for line in self.settings.get("dependency-groups", {}).get("test", [])]

    @property
    def stands_alone(self) -> bool:
        """Whether its requirements cannot be installed beside those of the others.

        Said by `alone = true` in `[tool.sregym]`. Such a folder is installed, tested and typed in
        an environment of its own, with the pins of the `constraints.txt` that lies in it.
        """
        return bool(self._own.get("alone", False))

    @property
    def is_on_request(self) -> bool:
        """Whether it is tested only when asked for: `on-request = true`, for heavy requirements."""
        return bool(self._own.get("on-request", False))

    @property
    def python(self) -> str:
        """The version of Python that what it is tested with needs; empty for any."""
        return str(self._own.get("python", ""))

    @property
    def pins(self) -> list[str]:
        """Files with the pins for its environment; none where the newest of everything is wanted."""
        shared = os.environ.get("UV_CONSTRAINT", "").split()
        return [str(self.folder / "constraints.txt")] if shared and self.stands_alone else shared

    @property
    def _own(self) -> dict[str, Any]:
        return dict(self.settings.get("tool", {}).get("sregym", {}))

    @property
    def relative(self) -> str:
        """Its folder as seen from the root."""
        return self.folder.relative_to(ROOT).as_posix()

    def module_files(self) -> list[Path]:
        """Files of all its importable modules, sorted."""
        return [
            path
            for path in sorted(self.source.rglob("*.py"))
            if all(
                (parent / "__init__.py").exists()
                for parent in path.parents
                if parent.is_relative_to(self.source)
            )  # else package data such as templates, not a module
        ]

    def modules(self) -> list[str]:
        """All its importable modules, `__main__` left out, sorted."""
        found = []
        for path in self.module_files():
            parts = path.relative_to(self.source.parent).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1]
            if parts[-1] != "__main__":
                found.append(".".join(parts))
        return found


def projects() -> list[Project]:
    """Core first, then toolkits, then plugins; each group sorted by name."""
    toolkits = sorted(ROOT.glob("sregym_*/pyproject.toml"), key=_core_first)
    plugins = sorted(ROOT.glob("plugins/*/pyproject.toml"))
    return [Project(path.parent) for path in [*toolkits, *plugins]]


def together() -> list[Project]:
    """Those that share an environment: all but those that stand alone."""
    return [project for project in projects() if not project.stands_alone]


def uv(*arguments: str) -> list[str]:
    """A uv command that acts on the environment of the running interpreter."""
    return [sys.executable, "-m", "uv", *arguments]


def _core_first(path: Path) -> tuple[bool, str]:
    return path.parent.name != "sregym_core", path.parent.name
