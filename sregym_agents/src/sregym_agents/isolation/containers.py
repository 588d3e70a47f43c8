"""The command line of a container runtime, docker or podman, around an agent's process.

The container has no network: as behind bubblewrap, what listens inside at the session's addresses
leads out through sockets in the file system. Its image has to have a `python3`.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

from sregym_agents.isolation import supervise
from sregym_agents.isolation.bubblewrap import (
    HOME,
    SCRATCH_BYTES,
    SESSION,
    WORK,
    binary,
    harness_packages,
)
from sregym_agents.isolation.limits import USUAL, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_agents.isolation.relay import Route

RUNTIMES = ("docker", "podman")
IMAGE = "python:3.11-slim"
ANSWER_TIMEOUT_S = 30.0
_PATH = f"{SESSION}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Containers:
    """Containers for the commands of one session.

    Args:
        runtime: `docker` or `podman`.
        image: What is in them.
        scratch: A folder of the harness; containers see what they need of it.
        work: The agent's own folder.
        share: Further files and folders that it may read, at the same place.
        limits: What one of them may use.

    Raises:
        UsageError: The runtime is not installed, or does not answer.
    """

    def __init__(
        self,
        runtime: str,
        image: str,
        scratch: Path,
        work: Path,
        share: Sequence[Path] = (),
        limits: Limits = USUAL,
    ) -> None:
        found = shutil.which(runtime)
        if found is None:
            msg = f"isolation {runtime!r} needs the program {runtime}: install it, or choose isolation=bubblewrap"
            raise UsageError(msg)
        self._program = found
        self._runtime = runtime
        self._image = image
        self._scratch = scratch
        self._work = work
        self._share = share
        self._limits = limits
        self._names: list[str] = []
        self._ask()

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """What a process inside has besides what its image gives it."""
        return {"HOME": HOME, "PATH": _PATH, "LANG": "C.UTF-8", **given}

    def command(
        self,
        argv: Sequence[str],
        routes: Sequence[Route],
        files: Mapping[str, Path],
        variables: Mapping[str, str],
    ) -> list[str]:
        """The command line that runs `argv` inside.

        Args:
            argv: What to run.
            routes: Addresses that lead out through sockets in `scratch`.
            files: Files of the session by name, seen read only in `/session`.
            variables: The environment inside; the runtime's own environment must hold those that
                are not its own, as command lines can be read by everybody.
        """
        name = f"workstation-{secrets.token_hex(6)}"
        self._names.append(name)
        words = [self._program, "run", "--rm", "--init", "--name", name, "--network", "none"]
        words += ["--hostname", "workstation", "--read-only", "--user", "1000:1000"]
        if self._runtime == "podman":
            words += ["--userns", "keep-id:uid=1000,gid=1000"]
        words += ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
        words += ["--sysctl", "net.ipv4.ip_unprivileged_port_start=0"]
        words += [
            "--pids-limit",
            str(supervise.PROCESSES),
            "--memory",
            f"{self._limits.memory_mib}m",
        ]
        # More than there are, a runtime refuses.
        words += ["--cpus", str(min(self._limits.processors, os.cpu_count() or 1))]
        words += ["--ulimit", f"fsize={supervise.FILE_BYTES}", "--workdir", WORK]
        for place in ("/tmp", HOME):  # noqa: S108 - a place inside
            words += ["--tmpfs", f"{place}:rw,exec,mode=1777,size={SCRATCH_BYTES}"]
        words += self._mounts(routes, files)
        for variable, value in variables.items():
            own = variable in ("HOME", "PATH", "LANG")
            words += ["--env", f"{variable}={value}" if own else variable]
        listens = json.dumps([route.listen for route in routes])
        inside = ["python3", "-I", "-S", f"{SESSION}/enter.py", listens, f"{SESSION}/sockets"]
        return [*words, self._image, *inside, *argv]

    def end(self) -> None:
        """Remove every container that was started: the runtime's client may have ended before it."""
        for name in self._names:
            self._run("rm", "--force", name)
        self._names.clear()

    def _mounts(self, routes: Sequence[Route], files: Mapping[str, Path]) -> list[str]:
        names = [f"{route.listen[0]} {route.name}" for route in routes if route.name]
        (self._scratch / "hosts").write_text("\n".join(["127.0.0.1 localhost", *names, ""]))
        self._work.chmod(0o777)  # for any user inside; only the harness can enter the folder above
        kept = self._scratch / "files"
        kept.mkdir(exist_ok=True)
        shown: list[tuple[Path, str]] = [
            (Path(supervise.__file__).with_name("enter.py"), f"{SESSION}/enter.py"),
            (self._scratch / "hosts", "/etc/hosts"),
            (self._scratch / "sockets", f"{SESSION}/sockets"),
        ]
        for name, path in files.items():
            shutil.copyfile(path, kept / name)
            (kept / name).chmod(0o644)
            shown.append((kept / name, f"{SESSION}/{name}"))
        kubectl = binary("kubectl")
        if kubectl is not None:
            shown.append((kubectl, f"{SESSION}/bin/kubectl"))
        shown += [(path, str(path)) for path in self._share]
        words = ["--volume", f"{self._work}:{WORK}:rw"]
        for source, place in shown:
            words += ["--volume", f"{source}:{place}:ro"]
        for package in harness_packages(self._share):
            hidden = package.is_dir()
            words += ["--tmpfs", str(package)] if hidden else ["--volume", f"/dev/null:{package}:ro"]  # fmt: skip
        return words

    def _ask(self) -> None:
        """Find out whether a container engine answers the client."""
        done = self._run("version")
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            why = said[-1] if said else f"exit code {done.returncode}"
            msg = f"isolation {self._runtime!r} cannot be used: {why}"
            raise UsageError(msg)

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        argv = [self._program, *words]
        try:
            return subprocess.run(
                argv, capture_output=True, text=True, timeout=ANSWER_TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired:
            why = f"no answer within {ANSWER_TIMEOUT_S:g} s"
            return subprocess.CompletedProcess(argv, 124, "", why)
