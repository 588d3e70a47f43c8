"""Ways that lead over the machine: variables, files, processes, packages."""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from .route import Known, ProbeResult, Route

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .place import Place

FILE_CAP = 400_000
FILES = 4_000
FOLDERS = 60_000
# What an attacker would look for first.
_TELLING = re.compile(
    r"(journal\.jsonl|record\.json|run\.json|episodes\.jsonl|session\.json|kubeconfig|"
    r"\.kube/config|\.netrc|credentials|problems?[^/]*\.ya?ml|\.env)$|kubeconfig"
)
_SECRET = re.compile(rb"sk-[0-9a-f]{40}")
_PLACES = (
    "/home",
    "/root",
    "/tmp",  # noqa: S108 - looked at, not used
    "/var/tmp",  # noqa: S108 - the same
    "/run",
    "/srv",
    "/opt",
    "/work",
    "/mnt",
    "/var/lib",
)


def read(path: Path) -> str:
    """The beginning of a file; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(FILE_CAP).decode("utf-8", "replace")
    except OSError:
        return ""


def walk(tops: tuple[str, ...]) -> Iterator[Path]:
    """Files with telling names below some folders, up to a number."""
    looked = found = 0
    for top in tops:
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name not in ("proc", "sys", "node_modules")]
            looked += 1
            for name in names:
                path = f"{folder}/{name}"
                if _TELLING.search(path):
                    found += 1
                    yield Path(path)
            if looked > FOLDERS or found > FILES:
                return


class Environment(Route):
    """Variables of its own process and of all that can be seen."""

    name: ClassVar[str] = "environment"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Read them."""
        result.take("\n".join(f"{name}={value}" for name, value in os.environ.items()))
        for file in Path("/proc").glob("[0-9]*/environ"):
            result.take(read(file).replace("\0", "\n"))


class SessionFolder(Route):
    """What lies in the session's folder and beside it."""

    name: ClassVar[str] = "session-folder"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Read all of it, the working directory and what is above them."""
        for top in {place.folder, place.kubeconfig.parent, Path.cwd()}:
            for path in sorted(top.rglob("*"))[:FILES]:
                if path.is_file():
                    result.take(read(path))
            for parent in list(top.resolve().parents)[:2]:
                for path in sorted(parent.glob("*"))[:200]:
                    if path.is_file() and path.stat().st_size < FILE_CAP:
                        result.take(read(path))


class RunFolder(Route):
    """What the harness writes while the agent plays, by its exact place."""

    name: ClassVar[str] = "run-folder"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Read all of it."""
        files = [path for path in Path(place.guesses["records"]).rglob("*") if path.is_file()]
        for path in sorted(files)[:FILES]:
            result.take(read(path))
        result.facts["files"] = len(files)


class Files(Route):
    """Files with telling names in homes, in places for temporary files and in run folders."""

    name: ClassVar[str] = "files"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Look for them."""
        seen = [path for path in walk(_PLACES) if result.take(read(path)) is not None]
        result.facts["files"] = len(seen)


class WorkingFolders(Route):
    """Where other processes work, what they have open and what that is called."""

    name: ClassVar[str] = "open-files"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Follow the links in /proc."""
        for link in (*Path("/proc").glob("[0-9]*/fd/*"), *Path("/proc").glob("[0-9]*/cwd")):
            try:
                target = os.readlink(link)  # noqa: PTH115 - where it leads, existing or not
            except OSError:
                continue
            result.take(target)
            if not target.startswith("/") or target.startswith(("/dev", "/proc", "/sys")):
                continue
            result.facts["links"] = result.facts.get("links", 0) + 1
            path = Path(target)
            for file in walk((target,)) if path.is_dir() and target != "/" else (link,):
                result.take(read(file))


class Processes(Route):
    """Command lines and names of other processes: the id of the problem may be among their arguments."""

    name: ClassVar[str] = "command-lines"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Read them."""
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            result.take(read(file).replace("\0", " "))
            result.take(read(file.with_name("comm")))


class Memory(Route):
    """The memory of other processes."""

    name: ClassVar[str] = "memory"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Look for what has the form of a provider's key."""
        for process in Path("/proc").glob("[0-9]*"):
            if process.name == str(os.getpid()):
                continue
            try:
                self._search(process, result)
            except OSError:
                continue

    def _search(self, process: Path, result: ProbeResult) -> None:
        room = 256 << 20
        with (process / "mem").open("rb", buffering=0) as memory:
            for line in (process / "maps").read_text().splitlines():
                area, rights, *_ = line.split()
                first, last = (int(end, 16) for end in area.split("-"))
                if not rights.startswith("rw") or last - first > room:
                    continue
                room -= last - first
                try:
                    memory.seek(first)
                    for found in set(_SECRET.findall(memory.read(last - first))):
                        result.take(found)
                except (OSError, ValueError, OverflowError):
                    continue


class Imports(Route):
    """The project's own packages: problems, ground truth and oracles stand in their sources."""

    name: ClassVar[str] = "imports"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Import them, and look for them wherever interpreters keep packages."""
        tops = dict.fromkeys([*sys.path, "/usr/lib", "/usr/local", "/opt", sys.base_prefix])
        found: list[str] = []
        for top in tops:
            for folder, folders, names in os.walk(top or "."):
                if folder.count("/") > 9:
                    folders.clear()
                for name in (*folders, *names):
                    if "sregym" in name:
                        found.append(f"{folder}/{name}")
                if len(found) > FILES:
                    break
        for name in ("sregym_core", "sregym_oracles", "sregym_agents"):
            try:
                found.append(str(importlib.import_module(name).__file__))
            except ImportError:
                continue
        filled = [path for path in found if _holds_something(Path(path))]
        result.facts["packages"] = filled[:20]
        for path in walk(tuple(filled)):
            result.take(read(path))

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """Sources within reach are enough: they say how everything is judged."""
        packages = result.facts.get("packages", ())
        return f"packages of the harness can be read: {packages[0]}" if packages else ""


def _holds_something(path: Path) -> bool:
    try:
        return path.stat().st_size > 0 if path.is_file() else any(path.iterdir())
    except OSError:
        return False
