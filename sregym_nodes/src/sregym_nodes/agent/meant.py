"""The scope of a kernel program, written to its maps: control groups or processes, and files."""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from . import facts
from .places import THERE, Places
from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from .programs import Program
    from .scope import Scope

    Enter = Callable[[Program, int, int], None]

_STATE = struct.Struct("=QII")
_SLOTS = 64
_FIRST = bytes(4)


class TargetProcesses:
    """Those of one program.

    Args:
        program: The program that the maps belong to.
        scope: The scope of the processes that are meant.
        places: Which files.
        by_group: Whether the program compares control groups; else processes.
    """

    def __init__(self, program: Program, scope: Scope, places: Places, *, by_group: bool) -> None:
        self.scope = scope
        self.places = places
        self._program = program
        self._grouped = by_group
        # In the order of their slots.
        self._groups: list[Path] = []
        self._keys: dict[str, set[bytes]] = {}

    @staticmethod
    def by_group(scope: Scope) -> bool:
        """Whether the control groups are of the kind that the kernel can compare (version 2)."""
        folders = scope.groups()
        return bool(folders) and all((one / "cgroup.controllers").exists() for one in folders)

    @staticmethod
    def last(program: Program, seconds: float, groups: int = 0) -> None:
        """Let a program act for so long from now."""
        until = int((facts.now() + seconds) * 1e9)
        program.maps["state"].set(_FIRST, _STATE.pack(until, groups, 0))

    def until(self, seconds: float) -> None:
        """Let it act for so long from now."""
        self.last(self._program, seconds, len(self._groups))

    def refresh(self, enter: Enter) -> None:
        """Write which processes and files are meant now.

        Args:
            enter: Adds a control group: to the program, as that of a number, by a descriptor.

        Raises:
            Refusal: There are too many.
        """
        if self._grouped:
            for folder in self.scope.groups():
                self._enter(folder, enter)
        else:
            self._renew("pids", {struct.pack("=I", pid) for pid in self.scope.pids()})
        if not self.places.are_limited or not self.places.seen_anew(self.scope.pids()):
            return
        if "paths" in self._program.maps:
            self._renew("paths", self.places.paths())
        if "inodes" in self._program.maps:
            self._renew("inodes", self.places.inodes())

    def put(self, pid: int) -> bool:
        """Make a process one of the scope; False where no process can be put."""
        if not self._grouped:
            self._program.maps["pids"].set(struct.pack("=I", pid), THERE)
            return True
        for group in self._groups:
            for inner, _, _ in os.walk(group):
                members = Path(inner, "cgroup.procs")
                if facts.read(members).split():
                    with suppress(OSError):
                        members.write_text(str(pid), encoding="ascii")
                        return True
        return False

    def take(self, pid: int) -> None:
        """It is over with such a process."""
        if not self._grouped:
            self._program.maps["pids"].drop(struct.pack("=I", pid))

    def _enter(self, folder: Path, enter: Enter) -> None:
        if folder in self._groups:
            return
        number = len(self._groups)
        if number == _SLOTS:
            gone = [at for at, one in enumerate(self._groups) if not one.is_dir()]
            if not gone:
                msg = f"more than {_SLOTS} control groups are meant; name fewer pods"
                raise Refusal(msg)
            number = gone[0]
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            enter(self._program, number, fd)
        finally:
            os.close(fd)
        self._groups[number : number + 1] = [folder]

    def _renew(self, name: str, keys: set[bytes]) -> None:
        before, there = self._keys.get(name, set()), self._program.maps[name]
        for key in before - keys:
            there.drop(key)
        for key in keys - before:
            there.set(key, THERE)
        self._keys[name] = keys
