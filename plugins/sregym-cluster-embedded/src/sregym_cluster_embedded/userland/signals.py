"""Signals to main processes that are scripts of the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.userland.life import append
from sregym_cluster_embedded.userland.process import change
from sregym_cluster_embedded.userland.shell.launcher import run_trap

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session
    from sregym_cluster_embedded.world import World


def handle_signal(world: World, session: Session, name: str) -> float | None:
    """Let a script's handler run; seconds until the script has ended, None when it goes on.

    The shell runs a handler when the command is over that it waits for.
    """
    process = session.process
    script = dict(process.traps).get(name, "")
    if not script or script == "-":
        return None
    output, ended = run_trap(session, script)
    delay_s = max(0.0, process.wakes_at - world.now)
    texts = (("stdout", output.out), ("stderr", output.err))
    lines = [
        LogLine(world.now + delay_s, stream, line)
        for stream, text in texts
        for line in text.splitlines()
    ]
    append(world, process.ref, lines)
    if not ended:
        return None
    change(world, process.ref, leaving=(world.now + delay_s, output.code))
    return delay_s
