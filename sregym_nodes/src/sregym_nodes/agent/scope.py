"""Selects the processes that a change affects: of a control group, of pods, or some and their children."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LOGS = Path("/var/log/pods")
LINKS = Path("/var/log/containers")
_DEPTH = 6
# It holds the namespaces of a pod and does nothing.
_PAUSE = "pause"
# Runtimes that are about to become a container's process: they see the files of the machine still.
_RUNTIMES = ("runc", "crun", "youki", "containerd-shim", "conmon")


class Scope:
    """The processes that a change is about, also those that come later.

    Args:
        wanted: One of `pids` (processes; with their children), `cgroup` (a folder of a control group,
            or its path below the hierarchy), or `pods`: UIDs, with `later` (namespace and patterns of
            the names of pods that may come), and `container` (a name) where not all are meant.
    """

    def __init__(self, wanted: Mapping[str, Any]) -> None:
        self._wanted = wanted
        self._groups: dict[str, list[Path]] = {}

    @property
    def told(self) -> str:
        """In words, for errors."""
        if self._wanted.get("pids"):
            return "process " + ", ".join(map(str, self._wanted["pids"]))
        if self._wanted.get("cgroup"):
            return f"control group {self._wanted['cgroup']}"
        return "pods " + (", ".join(self._wanted.get("pods", ())) or "(none)")

    @property
    def key(self) -> str:
        """The same for two that mean the same."""
        return " ".join(f"{name}={self._wanted[name]}" for name in sorted(self._wanted))

    def pids(self) -> list[int]:
        """Those that are there now, without threads."""
        found = {pid for folder in self.groups() for pid in _members(folder)}
        found |= {pid for pid in _with_children(self._wanted.get("pids", ())) if facts.started(pid)}
        return sorted(pid for pid in found - {os.getpid()} if _is_meant(facts.name_of(pid)))

    def groups(self) -> list[Path]:
        """Folders of their control groups."""
        given = self._wanted.get("cgroup")
        if given:
            return [path for path in _hierarchies(str(given)) if path.is_dir()][:1]
        container = str(self._wanted.get("container") or "")
        return [
            group
            for uid in sorted({*self._wanted.get("pods", ()), *self._later()})
            for pod in self._of_pod(uid)
            for group in (_of_container(pod, container) if container else [pod])
        ]

    def _of_pod(self, uid: str) -> list[Path]:
        known = [path for path in self._groups.get(uid, ()) if path.is_dir()]
        if not known:
            known = list(_search(uid))[:1]
            self._groups[uid] = known
        return known

    def _later(self) -> set[str]:
        """UIDs of pods that have come since, from the folders of logs that the kubelet makes."""
        later = self._wanted.get("later") or {}
        names = [re.compile(pattern) for pattern in later.get("names", ())]
        found = set()
        for folder in LOGS.glob(f"{later.get('namespace', '')}_*_*") if names else ():
            _, name, uid = folder.name.split("_", 2)
            if any(pattern.fullmatch(name) for pattern in names):
                found.add(uid)
        return found


def _is_meant(name: str) -> bool:
    return name != _PAUSE and not name.startswith(_RUNTIMES)


def no_process_message(scope: Scope) -> str:
    """The message when no process is meant."""
    return f"no process is left in {scope.told}; does the container still run on this node?"


def _hierarchies(path: str) -> Iterator[Path]:
    if path.startswith(str(facts.CGROUPS)):
        yield Path(path)
        return
    inner = path.lstrip("/")
    roots = ("", "unified", "systemd", "pids", "cpu", "memory")
    yield from (facts.CGROUPS / root / inner for root in roots)


def _search(uid: str) -> Iterator[Path]:
    """Folders of the control group of a pod, as any of the drivers names it."""
    words = (f"pod{uid}", f"pod{uid.replace('-', '_')}")
    top = facts.CGROUPS if facts.cgroup_version() == 2 else facts.CGROUPS / "pids"
    base = len(top.parts)
    for folder, inner, _ in os.walk(top):
        here = Path(folder)
        yield from (here / name for name in inner if any(word in name for word in words))
        if len(here.parts) - base >= _DEPTH:
            inner.clear()


def _of_container(pod: Path, container: str) -> list[Path]:
    """Folders of the runs of one container, by the links to logs that the kubelet makes."""
    idents = {path.stem.rpartition("-")[2] for path in LINKS.glob(f"*_{container}-*.log")}
    return [path for path in facts.inside(pod) if any(ident in path.name for ident in idents)]


def _members(folder: Path) -> Iterator[int]:
    for inner, _, files in os.walk(folder):
        if "cgroup.procs" in files:
            # "0" is a process of another PID namespace.
            words = facts.read(Path(inner, "cgroup.procs")).split()
            yield from (int(word) for word in words if word != "0")


def _with_children(pids: Any) -> Iterator[int]:
    waiting = list(map(int, pids))
    while waiting:
        pid = waiting.pop()
        yield pid
        for task in facts.inside(Path(f"/proc/{pid}/task")):
            waiting.extend(map(int, facts.read(task / "children").split()))
