"""What the container runtime offers of the nodes below it: their files, processes, and a login."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.kubelet.runtime import ExecResult, host_ref
from sregym_cluster_embedded.userland.host import contention, services
from sregym_cluster_embedded.userland.host.files import HostFiles, host_files
from sregym_cluster_embedded.userland.host.node import host_process
from sregym_cluster_embedded.userland.host.processes import tasks_of_node
from sregym_cluster_embedded.userland.host.units import unit_of
from sregym_cluster_embedded.userland.jobs import next_pid
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.shell.backgrounds import Backgrounds
from sregym_cluster_embedded.userland.shell.launcher import run_command
from sregym_cluster_embedded.userland.shell.session import Session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.userland.files.credentials import Credentials
    from sregym_cluster_embedded.userland.files.tasks import Task
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

_BACKGROUNDS = Backgrounds()


class Hosts:
    """The nodes, as a part of `world.service(RUNTIME)`."""

    def host_files(self, world: World, node: str, rights: Credentials | None = None) -> HostFiles:
        """The files of a node, as root sees them or a process with these rights."""
        return host_files(world, node, rights)

    def tasks_of_node(self, world: World, node: str) -> list[Task]:
        """All processes of a node, those in containers included."""
        return tasks_of_node(world, node)

    def host_session(
        self,
        world: World,
        node: str,
        rights: Credentials | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Session:
        """A place on a node where commands can be run.

        Raises:
            LookupError: There is no such machine, or it has no power.
        """
        machine = machines.machine(world, node)
        if machine is None or not machine.powered:
            what = "is off" if machine is not None else "does not exist"
            message = f"nothing runs on machine {node!r}: it {what}"
            raise LookupError(message)
        runtime: Runtime = world.service(RUNTIME)
        process = host_process(world, node, environment)
        return Session(  # noqa: S604 - `shell` is the name of one
            world=world,
            runtime=runtime,
            process=process,
            image=process.known.image,
            files=self.host_files(world, node, rights),
            jobs=_BACKGROUNDS,
            environment=dict(process.environment),
            working_dir=process.working_dir,
            shell="bash",
        )

    def signal_service(self, session: Session, name: str, number: int) -> None:
        """Let a signal reach the main process of a service of the node."""
        world, node = session.world, session.process.config.node
        if contention.signalled(world, node, name, number):
            return
        files = self.host_files(world, node)
        unit = unit_of(files, name)
        if unit is not None:
            services.kill(world, node, unit, number)

    def exec_in(self, session: Session, argv: Sequence[str], stdin: str) -> ExecResult:
        """Run a command in a place, to its end."""
        return run_command(session, tuple(argv), stdin)

    def run_on_host(
        self,
        world: World,
        node: str,
        argv: Sequence[str],
        stdin: str = "",
        rights: Credentials | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> ExecResult:
        """Run a command on a node itself, to its end.

        Args:
            world: The cluster.
            node: Name of the node.
            argv: The command line; its first word is looked for in PATH. No shell is around it.
            stdin: What it reads.
            rights: Of its process; root's without restriction when none are given.
            environment: Its variables; those of a login of root when none are given.

        Returns:
            Exit code and output. A command that cannot be found has `error` set.

        Raises:
            LookupError: There is no such machine, or it has no power.
        """
        session = self.host_session(world, node, rights, environment)
        session.pid = next_pid(world, host_ref(node))
        return run_command(session, tuple(argv), stdin)


def run_on_host(
    world: World, node: str, argv: Sequence[str], stdin: str = "", rights: Credentials | None = None
) -> ExecResult:
    """Run a command as root on a node itself, to its end; see `Hosts.run_on_host`."""
    runtime: Hosts = world.service(RUNTIME)
    return runtime.run_on_host(world, node, argv, stdin, rights)
