"""The folder of a served session: how `sregym submit` finds the episode it belongs to.

`session.json` holds the address and the token of the session's gateway and the pid that serves it.
"""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError
from sregym_core.sealing import replace_file

if TYPE_CHECKING:
    from sregym_core.settings import Settings

FILE = "session.json"
LOCK = "session.pid"


@dataclass(frozen=True)
class SessionAddress:
    """Where a session takes submissions.

    Attributes:
        gateway: Base URL of its HTTP gateway.
        token: Sent as a bearer token.
    """

    gateway: str
    token: str


def claim_folder(folder: Path) -> None:
    """Make a folder this process's own for a session.

    Raises:
        UsageError: It cannot be written, or a living process serves a session there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / LOCK).open("a+", encoding="utf-8") as lock:
            # Who looks and who writes is one at a time: several may begin in the same moment.
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.seek(0)
            holder = lock.read().strip()
            if holder.isdecimal() and int(holder) != os.getpid() and _alive(int(holder)):
                msg = f"folder {str(folder)!r} serves a session already (process {holder}); end it or choose another with --folder"
                raise UsageError(msg)
            lock.truncate(0)
            lock.write(f"{os.getpid()}\n")
        (folder / FILE).unlink(missing_ok=True)
        (folder / "journal.jsonl").unlink(missing_ok=True)
    except OSError as error:
        msg = f"folder {str(folder)!r} cannot be written: {error.strerror}; choose another with --folder"
        raise UsageError(msg) from error


def write_address(folder: Path, address: SessionAddress) -> None:
    """Let `sregym submit` find the session."""
    file = folder / FILE
    replace_file(file, (json.dumps(asdict(address), indent=2, sort_keys=True) + "\n").encode())
    file.chmod(0o600)


def find_address(settings: Settings) -> SessionAddress:
    """The session of `SREGYM_EPISODE`, else of the folder of KUBECONFIG, else of ./sregym-session.

    Raises:
        UsageError: There is none, or its file is damaged.
    """
    candidates = []
    if settings.episode:
        candidates.append(Path(settings.episode))
    if settings.kubeconfig:
        candidates.append(Path(settings.kubeconfig.split(os.pathsep)[0]).parent)
    candidates.append(Path("sregym-session"))
    for folder in candidates:
        file = folder / FILE
        if file.is_file():
            return _read(file)
    looked = ", ".join(repr(str(folder)) for folder in candidates)
    msg = f"no session found in {looked}; set SREGYM_EPISODE to the folder that `sregym up` named"
    raise UsageError(msg)


def _read(file: Path) -> SessionAddress:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return SessionAddress(gateway=str(content["gateway"]), token=str(content["token"]))
    except (ValueError, TypeError, KeyError) as error:
        msg = f"{str(file)!r} is damaged, so the session cannot be found by it; start `sregym up` again, or set SREGYM_EPISODE to another folder"
        raise UsageError(msg) from error


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
