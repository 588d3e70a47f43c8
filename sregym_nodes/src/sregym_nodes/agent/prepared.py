"""Disks of user space: a file or a partition that is mounted through one can go bad without a device mapper.

Nothing can be put below a file system in use here, so such a volume is prepared before; its bytes
stay where they are, and its release mounts the very same file or partition.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from . import facts, files
from .backend import Backend
from .fuse import Disk, save
from .mapper import error_of, read_block, seconds, unreadable
from .refusal import Refusal
from .trial import wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .backend import Note
    from .journal import Entry

_READY_S = 20.0
_TRIAL_BYTES = 1 << 20
_MEMORY = Path("/dev/shm")  # noqa: S108 - files that no other user may read
# A rule outlasts the look at its lease by so much.
_GRACE_S = 5.0


class PreparedDisk(Backend):
    """Bad, lying, slow and flaky blocks of a disk that this program serves."""

    name: ClassVar[str] = "fuse-disk"
    kinds: ClassVar[frozenset[str]] = frozenset({"disk"})

    def resource(self, ask: Mapping[str, Any]) -> str:
        """The device."""
        return f"disk {ask.get('device') or '(none)'}"

    def preflight(self, ask: Mapping[str, Any]) -> str:
        """Serve a disk made for that and read it; look whether the one that is meant is such a one."""
        if not facts.is_root():
            return "file systems of user space need root here; run as root, or allow sudo without a password"
        try:
            if ask.get("device"):
                folder = folder_of(str(ask["device"]))
                _fits(ask, folder)
            else:
                _tried()
        except Refusal as refusal:
            return str(refusal)
        return ""

    def inject(self, ask: Mapping[str, Any], note: Note) -> None:
        """Notify the program that serves it."""
        folder = folder_of(str(ask["device"]))
        note({"folder": str(folder), "device": str(ask["device"])})
        files.drop_pages(str(ask["device"]))
        save(folder / "rule", _rule(ask))
        files.drop_pages(str(ask["device"]))

    def probe(self, ask: Mapping[str, Any], state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read past the page cache."""
        seen = _SEEN[str(ask["mode"])](Path("/dev", state["device"]), ask, Path(state["folder"]))
        if not seen:
            msg = f"injected, but no effect is seen on {ask['device']}, so it was undone"
            raise Refusal(msg)
        return {"seen": seen}

    def undo(self, state: Mapping[str, Any]) -> None:
        """The disk is whole."""
        if state:
            Path(state["folder"], "rule").unlink(missing_ok=True)
            files.drop_pages(str(state["device"]))

    def repair(self, entry: Entry) -> list[list[str]]:
        """What is wrong with the disk is taken away."""
        return [["rm", "-f", f"{entry.state['folder']}/rule"]]

    def stands(self, entry: Entry) -> bool:
        """Whether anything is wrong with it: each bad block can be written anew."""
        wrong = _wrong(Path(entry.state["folder"])) if entry.state else {}
        return bool(wrong) and (entry.ask["mode"] != "bad" or bool(wrong.get("bad")))

    def attend(self, ask: Mapping[str, Any], timeout_s: float) -> bool:
        """Let what is wrong last as long as the change."""
        folder = folder_of(str(ask["device"]))
        wrong = _wrong(folder)
        if not wrong or (ask["mode"] == "bad" and not wrong.get("bad")):
            return False
        if wrong["until"] < facts.now() + timeout_s:
            save(folder / "rule", {**wrong, "until": facts.now() + timeout_s + _GRACE_S})
        signal.sigtimedwait((), min(timeout_s, 0.2))
        return True

    @property
    def needs_attention(self) -> bool:
        """The time in the rule goes on with the lease."""
        return True


def prepare(base: Path, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Mount a file or a partition with a file system through a disk of user space.

    Args:
        base: Folder of this program.
        given: `file`: which; `at`: where to.
    """
    behind, at = Path(str(given["file"])), Path(str(given["at"]))
    if not behind.exists():
        msg = f"there is no {behind} to prepare a volume of"
        raise Refusal(msg)
    folder = base / "disks" / str(behind).strip("/").replace("/", "-")
    if _is_mounted(folder):
        msg = f"{behind} is prepared already; release it first"
        raise Refusal(msg)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / "disk").touch()
    device = ""
    try:
        _served(folder, behind)
        device = _run("losetup", "-f", "--show", str(folder / "disk")).strip()
        at.mkdir(parents=True, exist_ok=True)
        _run("mount", device, str(at))
    except Refusal:
        _ended(folder, device)
        raise
    told = {"device": Path(device).name, "at": str(at), "file": str(behind)}
    (folder / "told").write_text(json.dumps(told), encoding="utf-8")
    return told


def release(base: Path, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Unmount such a volume, and end the program that serves its disk; none is no error."""
    folder = base / "disks" / str(given["file"]).strip("/").replace("/", "-")
    told = json.loads(facts.read(folder / "told") or "{}")
    if not told:
        return {"released": False}
    if (folder / "rule").exists():
        msg = f"something is wrong with the disk of {given['file']} still; undo that first"
        raise Refusal(msg)
    _run("umount", told["at"])
    _ended(folder, f"/dev/{told['device']}")
    return {"released": True, **told}


def serve(behind: str, folder: str) -> None:
    """What the process of a disk does."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    here = Path(folder)
    disk = Disk(Path(behind), here / "rule")
    fd = disk.mount(here / "disk")
    disk.serve(fd)


def folder_of(device: str) -> Path:
    """Where the disk below a loop device is served.

    Raises:
        Refusal: Nothing of that kind is below it.
    """
    behind = facts.read(Path("/sys/block", device, "loop/backing_file")).strip()
    if not device.startswith("loop") or not behind.endswith("/disk") or "/disks/" not in behind:
        msg = f"device {device} is not one that was prepared (`prepare`), so nothing of it can go bad here"
        raise Refusal(msg)
    return Path(behind).parent


def _served(folder: Path, behind: Path) -> None:
    """Start the process, and wait until the kernel can ask it."""
    with (folder / "log").open("wb") as log:
        started = subprocess.Popen(
            [sys.executable, "-I", "-S", sys.argv[0], "disk", str(behind), str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
            cwd="/",
        )
    there = wait_for(lambda: _is_mounted(folder) or started.poll() is not None, _READY_S)
    if not there or started.poll() is not None:
        said = facts.read(folder / "log").strip().splitlines()[-1:] or ["it does not come up"]
        msg = f"a disk of user space cannot be served here: {said[0].rpartition('Refusal: ')[2]}"
        raise Refusal(msg)


def _ended(folder: Path, device: str) -> None:
    if device:
        _run("losetup", "-d", device)
        wait_for(lambda: not Path("/sys/block", Path(device).name, "loop").exists(), _READY_S)
    if _is_mounted(folder):
        _run("umount", str(folder / "disk"))
    for name in ("disk", "told", "log", "rule"):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
        folder.parent.rmdir()


def _is_mounted(folder: Path) -> bool:
    """Whether the kernel asks for the disk there; also where the server no longer answers."""
    try:
        return (folder / "disk").stat().st_dev != folder.stat().st_dev
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _tried() -> None:
    """A disk in memory for a moment."""
    folder = _MEMORY / f"seg-{os.getpid()}"
    folder.mkdir(mode=0o700)
    (folder / "disk").touch()
    behind = folder / "behind"
    behind.write_bytes(bytes(_TRIAL_BYTES))
    try:
        _served(folder, behind)
        save(folder / "rule", {"bad": [[1, 1]], "until": facts.now() + _READY_S})
        found = [error_of(folder / "disk", block) for block in (0, 1)]
        if found != [0, errno.EIO]:
            msg = "a disk of user space is served here, but its blocks do not go bad"
            raise Refusal(msg)
    finally:
        behind.unlink()
        _ended(folder, "")


def _fits(ask: Mapping[str, Any], folder: Path) -> None:
    size = (folder / "disk").stat().st_size // files.BLOCK
    for first, last in ask.get("blocks") or ():
        if not 0 <= first <= last < size:
            msg = f"device {ask['device']} has blocks 0 to {size - 1}, not {first} to {last}"
            raise Refusal(msg)


def _rule(ask: Mapping[str, Any]) -> dict[str, Any]:
    mode, until = str(ask["mode"]), facts.now() + 60.0
    if mode == "slow":
        return {"delay_ms": float(ask["delay_ms"]), "until": until}
    if mode == "flaky":
        up, down = seconds(float(ask["share"]))
        return {"up": up, "down": down, "since": facts.now(), "until": until}
    return {mode: [list(pair) for pair in ask["blocks"]], "until": until}


def _wrong(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(facts.read(folder / "rule") or "{}")
    return found


def _see_bad(path: Path, ask: Mapping[str, Any], _: Path) -> str:
    return unreadable(path, ask["blocks"])


def _see_lies(path: Path, ask: Mapping[str, Any], folder: Path) -> str:
    blocks = [block for first, last in ask["blocks"] for block in range(first, last + 1)]
    told = json.loads(facts.read(folder / "told"))
    true = Path(str(told["file"]))
    lies = sum(read_block(path, block) != _plain(true, block) for block in blocks)
    return f"{lies} blocks give other bytes, without an error" if lies == len(blocks) else ""


def _plain(path: Path, block: int) -> bytes:
    with path.open("rb") as file:
        return os.pread(file.fileno(), files.BLOCK, block * files.BLOCK)


def _see_late(path: Path, ask: Mapping[str, Any], _: Path) -> str:
    before = time.monotonic()
    read_block(path, 0)
    took_ms = (time.monotonic() - before) * 1000
    return f"a read takes {took_ms:.0f} ms" if took_ms >= 0.8 * float(ask["delay_ms"]) else ""


def _see_flaky(path: Path, ask: Mapping[str, Any], _: Path) -> str:
    period = sum(seconds(float(ask["share"]))) + 1.0
    failed = wait_for(lambda: error_of(path, 0) == errno.EIO, period)
    return f"reads fail within {period:g} s" if failed else ""


_SEEN = {"bad": _see_bad, "corrupt": _see_lies, "slow": _see_late, "flaky": _see_flaky}


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        message = " ".join((done.stderr or done.stdout).split())
        msg = f"{' '.join(words)} was refused: {message}"
        raise Refusal(msg)
    return done.stdout
