"""Fresh environments: what a plugin needs to be proved installable and testable alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class FreshEnvironment:
    """A virtual environment with nothing in it, made with uv where that is installed.

    Attributes:
        folder: Where it is.
    """

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> FreshEnvironment:
        """Make one."""
        if find_spec("uv") is None:
            venv.create(folder, with_pip=True)
        else:
            python = str(getattr(sys, "_base_executable", sys.executable))
            _run([sys.executable, "-m", "uv", "venv", "--quiet", "--python", python, str(folder)])
        return cls(folder)

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.folder / "bin" / "python")

    def install(self, *arguments: str) -> None:
        """Install; arguments are those of `pip install`."""
        if find_spec("uv") is None:
            _run([self.python, "-m", "pip", "install", "--quiet", *arguments])
        else:
            uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet"]
            _run([*uv, "--python", self.python, *arguments])

    def remove(self, *names: str) -> None:
        """Uninstall distributions."""
        if find_spec("uv") is None:
            _run([self.python, "-m", "pip", "uninstall", "--quiet", "--yes", *names])
        else:
            uv = [sys.executable, "-m", "uv", "pip", "uninstall", "--quiet"]
            _run([*uv, "--python", self.python, *names])

    def run(self, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run its interpreter with these arguments; output and errors come back as one text."""
        return subprocess.run(
            [self.python, *arguments],
            cwd=folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def environment(self) -> dict[str, str]:
        """Variables for processes in it: its programs come first on the path."""
        kept = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
        path = f"{self.folder / 'bin'}{os.pathsep}{kept.get('PATH', os.defpath)}"
        return {**kept, "PATH": path, "VIRTUAL_ENV": str(self.folder)}


# Of the environment that runs the tests; a fresh one has its own.
_LEFT_OUT = (
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTEST_ADDOPTS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "VIRTUAL_ENV",
)


def install_arguments(name: str, extra: str = "") -> list[str]:
    """Arguments that install a distribution as it is installed here: its folder, or its version."""
    found = distribution(name)
    wanted = f"[{extra}]" if extra else ""
    direct = json.loads(found.read_text("direct_url.json") or "{}")
    if "dir_info" in direct:
        folder = unquote(urlsplit(direct["url"]).path)
        # Editable in any case: installers may reuse an old build of a folder otherwise.
        return ["--editable", f"{folder}{wanted}"]
    return [f"{name}{wanted}=={found.version}"]


def _run(command: list[str]) -> None:
    done = subprocess.run(
        command, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}"
