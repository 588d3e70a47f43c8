"""Neighbours on a node that take processors, memory, disk, page cache or network.

Each runs in a control group made for it, beside the pods or inside one; undo empties the group.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from . import burning, facts, groups
from .backend import Backend
from .refusal import Refusal
from .scope import Scope
from .trial import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .backend import Note
    from .journal import Entry

_SEEN_S = 30.0
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_OOM_SCORE = -900
_SMALL = 0.02
_LINKS = Path("/dev/shm")  # noqa: S108 - links that only root can change
_SCRATCH = "/var/tmp"  # noqa: S108 - files without a name


class Pressure(Backend):
    """Processes in a group of their own.

    Attributes:
        whats: What it serves, `ask["what"]`.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"load"})
    whats: ClassVar[frozenset[str]]

    @classmethod
    def can(cls, ask: Mapping[str, Any]) -> bool:
        """Whether it can take this."""
        return ask["kind"] in cls.kinds and ask.get("what") in cls.whats

    def resource(self, ask: Mapping[str, Any]) -> str:
        """What is taken."""
        return f"load {ask['what']}"

    def preflight(self, ask: Mapping[str, Any]) -> str:
        """Make a group and remove it."""
        if not facts.is_root():
            return "control groups need root here; run as root, or allow sudo without a password"
        try:
            groups.emptied(groups.made("batch-trial", _inside(ask)))
            return self.lacks(ask)
        except Refusal as refusal:
            return str(refusal)

    def lacks(self, ask: Mapping[str, Any]) -> str:
        """What else is missing; empty for nothing."""
        if ask["what"] == "network" and ask.get("device") and not _card(ask).exists():
            return f"there is no network device {ask['device']!r}; `ip link` names those there are"
        return ""

    def inject(self, ask: Mapping[str, Any], note: Note) -> None:
        """Start the processes in their group."""
        # Children of those that end come here, where they are collected.
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        inside = _inside(ask)
        name = f"batch-{os.getpid()}"
        # Known before it is made: what is not there is removed without more ado.
        folders = groups.made(name, inside)
        note({"folders": [str(folder) for folder in folders]})
        if ask["what"] == "cpu":
            groups.limit_cpu(folders, float(ask["cores"]))
        for words, stdin in self.commands(ask):
            _start(words, stdin, folders, ask)
            _LINKS.joinpath(str(ask.get("as") or "batch")).unlink(missing_ok=True)

    def probe(self, ask: Mapping[str, Any], state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Look at what the kernel counts for these processes."""
        folders = [Path(folder) for folder in state["folders"]]
        look = _LOOKS[str(ask["what"])]
        before = look(folders, ask)
        seen = wait_for(
            lambda: _bears_name(folders, ask) and _enough(look(folders, ask) - before, ask), _SEEN_S
        )
        if not seen or not groups.members(folders):
            msg = f"started, but it takes no {ask['what']}, so it was undone"
            raise Refusal(msg)
        return {"processes": len(groups.members(folders)), "taken": look(folders, ask) - before}

    def dismiss(self, state: Mapping[str, Any]) -> None:
        """Empty the group, and collect who was there."""
        self.undo(state)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass

    def undo(self, state: Mapping[str, Any]) -> None:
        """Empty the group."""
        groups.emptied([Path(folder) for folder in state.get("folders", ())])

    def repair(self, entry: Entry) -> list[list[str]]:
        """End every process of that name."""
        return [["pkill", "-x", str(entry.ask["as"])]] if entry.ask.get("as") else []

    def stands(self, entry: Entry) -> bool:
        """Whether a process is left there."""
        return bool(groups.members([Path(folder) for folder in entry.state.get("folders", ())]))

    def commands(self, ask: Mapping[str, Any]) -> list[tuple[list[str], str]]:
        """What is started, each with its standard input."""
        raise NotImplementedError


class StressNg(Pressure):
    """The program stress-ng."""

    name: ClassVar[str] = "stress-ng"
    whats: ClassVar[frozenset[str]] = frozenset({"cpu", "memory", "disk"})

    def lacks(self, ask: Mapping[str, Any]) -> str:
        """The program."""
        if shutil.which("stress-ng") is None:
            return "the program stress-ng is not on this machine; install the package stress-ng"
        return super().lacks(ask)

    def commands(self, ask: Mapping[str, Any]) -> list[tuple[list[str], str]]:
        """One, which starts its own."""
        kinds = {
            "cpu": ["--cpu", str(ceil(float(ask.get("cores", 1))))],
            "memory": [
                "--vm",
                "1",
                "--vm-bytes",
                str(ask.get("bytes", 0)),
                "--vm-keep",
                "--vm-populate",
            ],
            "disk": ["--hdd", str(min(64, int(ask.get("queued", 1)))), "--hdd-bytes", "64m"],
        }
        more = {
            "disk": [
                "--hdd-opts",
                "direct,wr-rnd",
                "--temp-path",
                str(ask.get("folder") or _SCRATCH),
            ]
        }
        words = kinds[str(ask["what"])] + more.get(str(ask["what"]), [])
        return [
            ([_named("stress-ng", ask), "--keep-name", "--quiet", "--timeout", "0", *words], "")
        ]


class Burner(Pressure):
    """Processes of this program itself: nothing has to be installed."""

    name: ClassVar[str] = "processes"
    whats: ClassVar[frozenset[str]] = frozenset({"cpu", "memory", "disk", "cache", "network"})

    def commands(self, ask: Mapping[str, Any]) -> list[tuple[list[str], str]]:
        """One for each core, or one."""
        count = ceil(float(ask["cores"])) if ask["what"] == "cpu" else 1
        return [(burning.words(), json.dumps(ask))] * count


def _inside(ask: Mapping[str, Any]) -> Path | None:
    """The group of a pod, for a load that counts as the pod's own."""
    if not ask.get("inside"):
        return None
    scope = Scope(ask["inside"])
    for folder in scope.groups():
        return folder
    msg = f"there is no control group of {scope.told}; does the pod still run on this node?"
    raise Refusal(msg)


def _named(program: str, ask: Mapping[str, Any]) -> str:
    """A program under the name that `ps` is to show."""
    found = shutil.which(program) or program
    if not ask.get("as"):
        return found
    link = _LINKS / str(ask["as"])
    link.unlink(missing_ok=True)
    link.symlink_to(found)
    return str(link)


def _start(words: list[str], stdin: str, folders: list[Path], ask: Mapping[str, Any]) -> None:
    def enter() -> None:
        groups.join(folders)
        if ask["what"] == "memory":
            # It must not be killed in place of pods.
            with suppress(OSError):
                Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE), encoding="ascii")

    process = subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=enter,  # noqa: PLW1509 - there are no threads
        cwd="/",
        start_new_session=True,
    )
    assert process.stdin is not None
    with process.stdin as pipe:
        pipe.write(stdin.encode())


def _bears_name(folders: list[Path], ask: Mapping[str, Any]) -> bool:
    """Whether `ps` shows one under its name: an interpreter takes processor time before it has one."""
    name = str(ask.get("as") or "")[:15]
    return not name or any(facts.name_of(pid) == name for pid in groups.members(folders))


def _card(ask: Mapping[str, Any]) -> Path:
    return Path("/sys/class/net", str(ask["device"]))


def _cpu_seconds(folders: list[Path], _ask: Mapping[str, Any]) -> float:
    stats = [
        facts.read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
        for pid in groups.members(folders)
    ]
    ticks = sum(int(fields[11]) + int(fields[12]) for fields in stats if len(fields) > 12)
    return ticks / float(os.sysconf("SC_CLK_TCK"))


def _resident(folders: list[Path], _ask: Mapping[str, Any]) -> float:
    sizes = (facts.status(pid, "VmRSS").split() for pid in groups.members(folders))
    return float(sum(int(words[0]) * 1024 for words in sizes if words))


def _counted(field: str) -> Callable[[list[Path], Mapping[str, Any]], float]:
    def look(folders: list[Path], _ask: Mapping[str, Any]) -> float:
        texts = (facts.read(Path(f"/proc/{pid}/io")) for pid in groups.members(folders))
        lines = (line for text in texts for line in text.splitlines())
        return float(sum(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")))

    return look


def _sent(_folders: list[Path], ask: Mapping[str, Any]) -> float:
    return float(facts.read(_card(ask) / "statistics" / "tx_bytes") or 0)


_LOOKS: Mapping[str, Callable[[list[Path], Mapping[str, Any]], float]] = {
    "cpu": _cpu_seconds,
    "memory": _resident,
    "disk": _counted("write_bytes"),
    "cache": _counted("rchar"),
    "network": _sent,
}


def _enough(taken: float, ask: Mapping[str, Any]) -> bool:
    least = {"cpu": _SMALL, "memory": 0.9 * float(ask.get("bytes") or 0) - 32e6}
    return taken > max(0.0, least.get(str(ask["what"]), 2e6 if ask["what"] == "cache" else 1e5))
