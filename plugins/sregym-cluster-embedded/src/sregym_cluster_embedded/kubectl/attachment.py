"""Joining the main process of a container: what it writes from now on, and what it is told.

One that is on a socket takes its turns by `http.attach`; here is what both have in common, and
the whole of it for one whose input is complete.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.api.keys import LOGS
from sregym_cluster_embedded.kubectl.containers import (
    ContainerExitedError,
    ContainerNotRunningError,
    container_instance,
    running_container,
)
from sregym_cluster_embedded.kubelet.logs import SINCE_MOMENT
from sregym_cluster_embedded.userland.dialogue import unfinished
from sregym_cluster_embedded.userland.keys import INTERACTION
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.shell.input import is_shell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ExecResult
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# What a container has written before a client attached stands in its log only.
FROM_NOW_ON: Mapping[str, str] = MappingProxyType({"tailLines": "0"})
WINDOW_OPTIONS = ("tailLines", "sinceSeconds", "sinceTime", "limitBytes")


class Followed(NamedTuple):
    """What a log said while it was followed; `ended` is false when the limit has passed."""

    text: str
    ended: bool


class Attached(NamedTuple):
    """What came of an attachment; `ended` is false when its limit has passed."""

    stdout: str = ""
    stderr: str = ""
    ended: bool = True


class MainProcess:
    """The main process of a container, as one who types at it sees it.

    Attributes:
        script: Whether it is a shell, whose lines may take several to be complete.
        talks: Whether it answers line by line.
    """

    def __init__(self, world: World, process: Process) -> None:
        self._ref = process.ref
        self._spec = process.config.spec
        self.script = is_shell(process.argv)
        self.talks = self.script or world.service(INTERACTION).is_console(process.argv)

    def prompt(self, world: World) -> str:
        """What stands before a line on a terminal."""
        service = world.service(INTERACTION)
        prompt: str = service.prompt(world, self._ref, service.dialogue_of(world, self._ref))
        return prompt

    def reads(self, world: World) -> bool:
        """Whether a command that it runs reads what is typed."""
        service = world.service(INTERACTION)
        return bool(self.script and service.dialogue_of(world, self._ref).reads)

    def interrupt(self, world: World) -> None:
        """End the command that reads what is typed."""
        world.service(INTERACTION).interrupt(world, self._ref)

    def say(self, world: World, text: str, *, closed: bool = False) -> tuple[ExecResult, bool]:
        """Carry out complete lines; `closed`: the command that reads gets no more."""
        service = world.service(INTERACTION)
        result = (
            service.feed_reader(world, self._ref, text)
            if closed
            else self.feed(world, text, closed=False)
        )
        process = process_of(world, self._ref)
        return result, process is None or not process.running

    def feed(self, world: World, text: str, *, closed: bool) -> ExecResult:
        """Give input to the process."""
        process = process_of(world, self._ref)
        if process is None or not process.running:
            message = f'container not found ("{self._ref.name}")'
            raise ContainerNotRunningError(message)
        result: ExecResult = world.service(INTERACTION).feed(world, self._ref, text, closed)
        return result

    def close(self, world: World) -> None:
        """The client has left: with `stdinOnce` no client can attach again."""
        process = process_of(world, self._ref)
        if process is not None and process.running and self._spec.get("stdinOnce"):
            world.service(INTERACTION).feed(world, self._ref, "", True)


def main_process(world: World, namespace: str, pod: str, container: str) -> MainProcess | None:
    """The main process of a container when it reads what is typed at it."""
    service = world.service_or_none(INTERACTION)
    if service is None:
        return None
    try:
        ref = running_container(world, namespace, pod, container)
    except ContainerNotRunningError:
        return None
    process = process_of(world, ref)
    if process is None or not service.takes_input(world, ref):
        return None
    return MainProcess(world, process)


def demand_process(world: World, namespace: str, pod: str, container: str) -> None:
    """Refuse to join a process that has ended.

    Raises:
        ContainerExitedError: It has.
        ContainerNotRunningError: There is no such container, or it does not run.
    """
    process = process_of(world, running_container(world, namespace, pod, container))
    if process is not None and not process.running:
        raise ContainerExitedError


def attach(
    world: World, namespace: str, pod: str, container: str, stdin: str | None, limit_s: float
) -> Attached:
    """Attach with an input that is complete, and let time pass until the container ends.

    Args:
        world: The cluster.
        namespace: Of the pod.
        pod: Its name.
        container: Its container.
        stdin: The input; None when none is passed on.
        limit_s: After so many seconds it is given up.

    Raises:
        ContainerNotRunningError: There is no process to join.
        ContainerExitedError: It has ended.
    """
    demand_process(world, namespace, pod, container)
    main = None if stdin is None else main_process(world, namespace, pod, container)
    if main is None or stdin is None:
        found = followed(world, namespace, pod, container, FROM_NOW_ON, limit_s)
        return Attached(found.text) if found.ended else Attached(ended=False)
    if main.talks:
        return _talk(world, main, stdin)
    result = main.feed(world, stdin, closed=True)
    return Attached(result.stdout + result.stderr)


def _talk(world: World, main: MainProcess, stdin: str) -> Attached:
    """Say all complete lines, then the rest."""
    out: list[str] = []
    err: list[str] = []
    complete, newline, rest = stdin.rpartition("\n")
    whole = newline and not (main.script and unfinished(complete + newline))
    pieces = [complete + newline, rest] if whole else [stdin]
    try:
        for piece in pieces:
            if not piece.strip():
                continue
            began = world.now
            result, ended = main.say(world, piece)
            world.run_until(began + result.duration_s)
            out.append(result.stdout)
            err.append(result.stderr)
            if ended:
                break
        if main.reads(world):
            result, ended = main.say(world, "", closed=True)
            out.append(result.stdout)
            err.append(result.stderr)
    except ContainerNotRunningError:
        pass
    finally:
        main.close(world)
    return Attached("".join(out), "".join(err))


def followed(
    world: World,
    namespace: str,
    pod: str,
    container: str,
    options: Mapping[str, Any],
    limit_s: float,
) -> Followed:
    """What a log says until this life of its container ends, or until the limit."""
    growing = {name: value for name, value in options.items() if name not in WINDOW_OPTIONS}

    def read(chosen: Mapping[str, Any]) -> str:
        text: str = world.service(LOGS)(world, namespace, pod, container, chosen)
        return text

    life = container_instance(world, namespace, pod, container)
    text = read(options)
    # A long log is read once; then only what was added since. Lines of the very moment of a
    # reading may have been in it.
    since, sent = world.now, len(read({**growing, SINCE_MOMENT: world.now}))
    deadline = world.now + limit_s
    while life is not None and life[2]:
        upcoming = world.clock.next_at()
        if upcoming is None or upcoming > deadline:
            world.run_until(deadline)
            return Followed(text + read({**growing, SINCE_MOMENT: since})[sent:], ended=False)
        revision = world.store.revision
        world.step()
        if world.store.revision == revision:
            continue
        present = container_instance(world, namespace, pod, container)
        # The log of a container that was started again is another.
        if present in (life, (*life[:2], False)):
            text += read({**growing, SINCE_MOMENT: since})[sent:]
            since, sent = world.now, len(read({**growing, SINCE_MOMENT: world.now}))
        if present != life:
            break
    return Followed(text, ended=True)
