"""Control groups made for a change, which its undo empties and removes."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from . import facts
from .refusal import Refusal
from .trial import wait_for

if TYPE_CHECKING:
    from pathlib import Path

_CONTROLLERS = ("cpu", "memory", "blkio", "pids", "freezer")
_EMPTY_S = 10.0
_PERIOD = 100_000


def made(name: str, inside: Path | None = None) -> list[Path]:
    """The folders of a group: one, or one in each hierarchy of the old kind.

    Args:
        name: Of the group.
        inside: The folder of the group in which it is to be; None for beside all others.

    Raises:
        Refusal: There are no control groups, or none can be made.
    """
    version = facts.cgroup_version()
    if version == 0:
        msg = f"no control groups are mounted at {facts.CGROUPS}; what is started could not be ended as a whole"
        raise Refusal(msg)
    if version == 2:
        folders = [(inside or facts.CGROUPS) / name]
    else:
        roots = [facts.CGROUPS / one for one in _CONTROLLERS if (facts.CGROUPS / one).is_dir()]
        below = inside.relative_to(facts.CGROUPS).parts[1:] if inside else ()
        folders = [root.joinpath(*below, name) for root in roots]
    try:
        for folder in folders:
            folder.mkdir(exist_ok=True)
    except OSError as error:
        msg = f"the control group {error.filename} cannot be made: {error.strerror}; is it writable here?"
        raise Refusal(msg) from error
    return folders


def join(folders: list[Path]) -> None:
    """Put this process there, and with it all that it starts."""
    for folder in folders:
        (folder / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")


def limit_cpu(folders: list[Path], cores: float) -> bool:
    """Let the group use so many cores at most; False where no controller can."""
    quota = int(cores * _PERIOD)
    for folder in folders:
        with suppress(OSError):
            if (folder / "cpu.max").exists():
                (folder / "cpu.max").write_text(f"{quota} {_PERIOD}", encoding="ascii")
                return True
            if (folder / "cpu.cfs_quota_us").exists():
                (folder / "cpu.cfs_period_us").write_text(str(_PERIOD), encoding="ascii")
                (folder / "cpu.cfs_quota_us").write_text(str(quota), encoding="ascii")
                return True
    return False


def members(folders: list[Path]) -> set[int]:
    """Who is there, zombies not counted."""
    words = [word for folder in folders for word in facts.read(folder / "cgroup.procs").split()]
    return {int(word) for word in words if facts.started(int(word))}


def emptied(folders: list[Path]) -> None:
    """End all that is there, and remove the group; nothing happens when it is gone.

    Raises:
        Refusal: A process does not end.
    """
    there = [folder for folder in folders if folder.is_dir()]
    if not wait_for(lambda: _killed(there), _EMPTY_S):
        msg = (
            f"processes {sorted(members(there))} of {there[0]} do not end; look what they wait for"
        )
        raise Refusal(msg)
    for folder in there:
        if not wait_for(lambda folder=folder: _removed(folder), _EMPTY_S):  # type: ignore[misc]
            msg = f"the control group {folder} cannot be removed; look who is in it"
            raise Refusal(msg)


def _killed(folders: list[Path]) -> bool:
    for folder in folders:
        with suppress(OSError):
            (folder / "cgroup.kill").write_text("1", encoding="ascii")
    left = members(folders)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return not left


def _removed(folder: Path) -> bool:
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()
