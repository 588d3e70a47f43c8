"""Signals that reach the main process of a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.process import processes

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session

_HUP, _INT, _TERM = 1, 2, 15


def send_to_main(session: Session, number: int) -> None:
    """Let a signal reach the main process; as PID 1 it ignores what it has no handler for."""
    world, process, runtime = session.world, session.process, session.runtime
    program = runtime.program_of(process)
    kind = runtime.kind_of(process) if program is not None else None
    if kind is not None and number == _HUP:
        kind.hang_up(world, process, program, session.pid)
    if number not in ((_TERM, _INT) if kind is None else kind.ends_on):
        return
    seconds = runtime.terminate(world, process.ref)
    if seconds is not None:
        leaving = processes(world)[process.ref].leaving
        code = leaving[1] if leaving is not None else 143
        world.after(seconds, "userland.exit", process.ref, code)
