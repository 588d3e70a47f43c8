"""The command line of bubblewrap: what an agent's process sees, and nothing else."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_agents.isolation.relay import Route

HOME = "/home/agent"
SESSION = "/session"
WORK = "/work"
# Of /tmp, of the home and of /dev/shm, each.
SCRATCH_BYTES = 256 << 20
# Of the system, read only: programs and their libraries, certificates, names of users.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
_ETC = ("ssl", "ca-certificates", "alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime")  # fmt: skip
_PATH = f"{SESSION}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Bubblewrap:
    """A sandbox for one command.

    Args:
        scratch: A folder of the harness for sockets and the like; the agent sees what it needs of it.
        work: The agent's own folder, the only one besides /tmp and its home where it can write.
        share: Further files and folders that it may read, at the same place.

    Raises:
        UsageError: Bubblewrap is not installed.
    """

    def __init__(self, scratch: Path, work: Path, share: Sequence[Path] = ()) -> None:
        found = shutil.which("bwrap")
        if found is None:
            msg = "isolation 'bubblewrap' needs the program bwrap: apt-get install bubblewrap"
            raise UsageError(msg)
        self._program = found
        self._scratch = scratch
        self._work = work
        self._share = share

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """The whole environment inside."""
        return {"HOME": HOME, "PATH": _PATH, "LANG": "C.UTF-8", **given}

    def command(
        self, argv: Sequence[str], routes: Sequence[Route], files: Mapping[str, Path]
    ) -> list[str]:
        """The command line that runs `argv` inside.

        Args:
            argv: What to run.
            routes: Addresses that lead out through sockets in `scratch`.
            files: Files of the session by name, seen read only in `/session`.
        """
        names = [f"{route.listen[0]} {route.name}" for route in routes if route.name]
        (self._scratch / "hosts").write_text("\n".join(["127.0.0.1 localhost", *names, ""]))
        (self._scratch / "passwd").write_text(
            f"root:x:0:0::{HOME}:/bin/sh\nagent:x:1000:1000::{HOME}:/bin/sh\n"
        )
        shown: list[tuple[Path, str]] = [
            (Path(__file__).with_name("enter.py"), f"{SESSION}/enter.py"),
            (self._scratch / "hosts", "/etc/hosts"),
            (self._scratch / "passwd", "/etc/passwd"),
            *((path, f"{SESSION}/{name}") for name, path in files.items()),
        ]
        kubectl = binary("kubectl")
        if kubectl is not None:
            shown.append((kubectl, f"{SESSION}/bin/kubectl"))
        # Addresses of providers have low ports, for which it takes root: here a root whose only right
        # is this one, in a network that leads nowhere.
        low = any(route.listen[1] < 1024 for route in routes)
        user = "0" if low else "1000"
        words = [self._program, "--unshare-all", "--die-with-parent", "--new-session"]
        words += ["--uid", user, "--gid", user, "--hostname", "workstation", "--cap-drop", "ALL"]
        words += ["--cap-add", "CAP_NET_BIND_SERVICE"] if low else []
        words += ["--proc", "/proc", "--dev", "/dev"]
        # Its own places first: what is shown may lie below places of these names outside.
        for place in ("/tmp", HOME, "/dev/shm"):  # noqa: S108 - places inside
            words += ["--size", str(SCRATCH_BYTES), "--tmpfs", place]
        words += ["--bind", str(self._work), WORK, "--chdir", WORK]
        words += self._system()
        for path in self._share:
            words += ["--ro-bind", str(path), str(path)]
        # Last, so that nothing that is shared brings it back.
        for package in harness_packages([Path("/usr"), Path(sys.base_prefix), *self._share]):
            hidden = package.is_dir()
            words += ["--tmpfs", str(package)] if hidden else ["--ro-bind", "/dev/null", str(package)]  # fmt: skip
        words += ["--ro-bind", str(self._scratch / "sockets"), f"{SESSION}/sockets"]
        for source, place in shown:
            words += ["--ro-bind", str(source), place]
        words += [
            "--remount-ro",
            "/",
            "--remount-ro",
            "/dev",
        ]  # what is left to write to has a size
        listens = json.dumps([route.listen for route in routes])
        # Isolated and without site packages: the interpreter sees its own library alone.
        python = str(Path(sys.executable).resolve())
        return [
            *words,
            *("--", python, "-I", "-S", f"{SESSION}/enter.py", listens, f"{SESSION}/sockets"),
            *argv,
        ]

    def _system(self) -> list[str]:
        words: list[str] = []
        for place in map(Path, _SYSTEM):
            if place.is_symlink():
                words += ["--symlink", str(place.readlink()), str(place)]
            elif place.is_dir():
                words += ["--ro-bind", str(place), str(place)]
        for name in _ETC:
            words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
        if not sys.base_prefix.startswith("/usr"):
            words += ["--ro-bind", sys.base_prefix, sys.base_prefix]
        return words


def harness_packages(roots: Sequence[Path]) -> list[Path]:
    """What belongs to the harness in places that are shown: its packages, wherever they lie."""
    packages: list[Path] = []
    for root in dict.fromkeys(roots):
        places = [
            found
            for pattern in ("lib/python*/site-packages", "lib/python*/dist-packages", "local/lib/python*/*-packages")
            for found in sorted(root.glob(pattern))
        ]  # fmt: skip
        packages += [package for place in places for package in sorted(place.glob("*sregym*"))]
    return packages


def binary(name: str) -> Path | None:
    """A program that runs by itself: a script would need its interpreter's place."""
    found = shutil.which(name)
    if found is None:
        return None
    path = Path(found).resolve()
    with path.open("rb") as file:
        return path if file.read(4) == b"\x7fELF" else None
