"""Task folders of this package on this machine, without containers.

    harbor run -p TASKS -a oracle -e sregym_harbor.local:LocalEnvironment

For trying tasks out and for tests: commands run as the user of Harbor, in a folder that stands for
the container's root. An agent that is not trusted belongs into containers.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

if TYPE_CHECKING:
    from collections.abc import Mapping

_FOLDERS = ("logs", "tests", "solution", "app", "installed-agent", "tmp")
# Absolute paths of the container in a command; not parts of longer ones.
_PATHS = re.compile(rf"(?<![\w./-])/(?={'|'.join(_FOLDERS)}\b)")


class LocalEnvironment(BaseEnvironment):
    """The containers of a task as processes: `main` is a shell, `incident` the sidecar."""

    _root: Path | None = None
    _sidecar: asyncio.subprocess.Process | None = None
    _url = ""

    @staticmethod
    def type() -> str:
        """Its name in results."""
        return "sregym-local"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        """None of those of containers, but the sidecar of the compose file runs."""
        return EnvironmentCapabilities()

    def _validate_definition(self) -> None:
        """Refuse what is no task of this package.

        Raises:
            FileNotFoundError: There is no compose file.
        """
        if not self._compose.exists():
            msg = f"{self._compose}: not there; LocalEnvironment runs tasks that `sregym-harbor export` wrote"
            raise FileNotFoundError(msg)

    async def start(self, force_build: bool) -> None:
        """Start the sidecar; it is ready when it has told its address.

        Raises:
            RuntimeError: It ended without; the error is its own.
        """
        self._root = Path(tempfile.mkdtemp(prefix="sregym-harbor-"))
        for name in (*_FOLDERS, "bin", "logs/agent", "logs/verifier", "logs/artifacts"):
            (self._root / name).mkdir(parents=True, exist_ok=True)
        for name in ("incident", "kubectl", "submit"):
            target = self._root / "bin" / name
            target.write_bytes((self.environment_dir / "incident.py").read_bytes())
            target.chmod(0o755)
        self._sidecar = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "sregym_harbor.sidecar"),
            env={**os.environ, **self._variables()},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert self._sidecar.stdout is not None
        assert self._sidecar.stderr is not None
        self._url = (await self._sidecar.stdout.readline()).decode().strip()
        if not self._url:
            said = (await self._sidecar.stderr.read()).decode().strip()
            msg = f"the incident did not start: {said}"
            raise RuntimeError(msg)

    async def stop(self, delete: bool) -> None:
        """End the sidecar; with `delete`, remove the folder."""
        if self._sidecar is not None and self._sidecar.returncode is None:
            self._sidecar.terminate()
            await self._sidecar.communicate()
        if delete and self._root is not None:
            shutil.rmtree(self._root, ignore_errors=True)

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run a command of `main`; the user is always that of Harbor.

        Raises:
            TimeoutError: It took longer than it may.
        """
        root = self._place("/")
        path = f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        told = {"PATH": path, "HARBOR_ROOT": str(root), "INCIDENT_URL": self._url}
        process = await asyncio.create_subprocess_exec(
            *("bash", "-c", _PATHS.sub(f"{root}/", command)),
            cwd=self._place(cwd or "/app"),
            env={**os.environ, **(self._merge_env(env) or {}), **told},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(), timeout_sec)
        except TimeoutError:
            process.kill()
            await process.communicate()
            raise
        return ExecResult(
            stdout=out.decode(errors="replace"),
            stderr=err.decode(errors="replace"),
            return_code=process.returncode or 0,
        )

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a file into `main`."""
        target = self._place(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source_path, target)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy a folder into `main`."""
        shutil.copytree(source_dir, self._place(target_dir), dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file out of `main`."""
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self._place(source_path), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy a folder out of `main`."""
        shutil.copytree(self._place(source_dir), target_dir, dirs_exist_ok=True)

    @property
    def _compose(self) -> Path:
        return Path(self.environment_dir) / "docker-compose.yaml"

    def _variables(self) -> Mapping[str, str]:
        services: dict[str, Any] = yaml.safe_load(self._compose.read_text("utf-8"))["services"]
        said = services["incident"]["environment"]
        return {**said, "INCIDENT_HOST": "127.0.0.1", "INCIDENT_PORT": "0"}

    def _place(self, path: str) -> Path:
        assert self._root is not None, "the environment was not started"
        return self._root / path.lstrip("/")
