"""Memory that commands take: what their files hold in it, and the end of a container that has no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn
from weakref import ref

from sregym_cluster_embedded.userland.files.capacity import memory_bytes as bytes_in_files
from sregym_cluster_embedded.userland.life import end, memory_bytes
from sregym_cluster_embedded.userland.shell.control import Exit
from sregym_cluster_embedded.userland.shell.session import Output

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.shell.session import Session

_KILLED = 137
# What a command line may cost; what main processes and jobs may is in `userland.allowances`.
COMMAND_STEPS, MEMORY_BYTES = 800_000, 96 << 20


def charging(session: Session) -> Callable[[int], None]:
    """What is told of writes to memory; it does not keep the session, which keeps its files."""
    known = ref(session)

    def charge(added_bytes: int) -> None:
        own = known()
        limit = None if own is None else own.process.config.memory_limit_bytes
        if own is None or limit is None:
            return
        held = memory_bytes(own.world, own.process.ref) + bytes_in_files(own.files)
        if held + added_bytes > limit:
            exhaust(own)

    return charge


def exhaust(session: Session) -> NoReturn:
    """The kernel kills all of a container that needs more memory than it may have.

    Raises:
        Exit: Always: whatever runs ends at once.
    """
    session.killed = True
    end(session.world, session.process.ref, _KILLED, "OOMKilled")
    raise Exit(_KILLED, Output(_KILLED))
