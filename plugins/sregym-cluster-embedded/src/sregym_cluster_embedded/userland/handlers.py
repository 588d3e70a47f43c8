"""What the container runtime does at moments that were planned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.userland.executables import argument_error
from sregym_cluster_embedded.userland.jobs import count_computing
from sregym_cluster_embedded.userland.life import append, end, out_of_memory, plan_oom
from sregym_cluster_embedded.userland.process import change, process_of, processes
from sregym_cluster_embedded.userland.runtime_calls import cannot_start
from sregym_cluster_embedded.userland.shell.backgrounds import go_on
from sregym_cluster_embedded.userland.shell.launcher import run_main_script

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World


class Handlers:
    """Event handlers of the layer.

    Args:
        runtime: The container runtime.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def begin(self, world: World, ref: ContainerRef) -> None:
        """The first act of a process."""
        process = process_of(world, ref)
        if process is None or not process.running:
            return
        if refused := argument_error(process.argv, process.environment):
            append(world, ref, (LogLine(world.now, "stderr", refused),))
            end(world, ref, 1)
            return
        program = process.behaviour
        if program is None:
            self.resume(world, ref)
            return
        if cannot_start(world, process):
            return
        plan_oom(world, process, program.memory)
        self._runtime.kind_of(process).begin(world, process, program)

    def event(self, world: World, ref: ContainerRef, *arguments: Any) -> None:
        """Something that the kind of a program has planned."""
        process = process_of(world, ref)
        if process is not None and process.running and process.program:
            program = process.behaviour
            self._runtime.kind_of(process).event(world, process, program, *arguments)

    def resume(self, world: World, ref: ContainerRef) -> None:
        """Go on with a main process that is a script or a tool."""
        process = process_of(world, ref)
        if process is None or not process.running:
            return
        outcome = run_main_script(self._runtime.session(world, process))
        wakes_at = world.now + (outcome.wait_s or 0.0)
        change(
            world, ref, journal=outcome.journal, place=outcome.place, traps=outcome.traps,
            wakes_at=wakes_at, threads=outcome.threads,
        )  # fmt: skip
        count_computing(world, ref)
        append(world, ref, outcome.lines)
        if outcome.becomes:
            path, argv = outcome.becomes
            program = self._runtime.known(process).image.binaries[path]
            self._runtime.become(world, processes(world)[ref], program, argv)
            self.begin(world, ref)
        elif outcome.exit_code is not None:
            end(world, ref, outcome.exit_code)
        elif outcome.wait_s is not None:
            world.after(outcome.wait_s, "userland.resume", ref)

    def job(self, world: World, ref: ContainerRef, pid: int) -> None:
        """Go on with a process in the background."""
        go_on(world, self._runtime, ref, pid)

    def exit(self, world: World, ref: ContainerRef, code: int) -> None:
        """A planned end."""
        end(world, ref, code)

    def oom(self, world: World, ref: ContainerRef) -> None:
        """The moment at which memory may have run out."""
        process = process_of(world, ref)
        program = None if process is None else process.behaviour
        if program is not None:
            out_of_memory(world, ref, program.memory)
