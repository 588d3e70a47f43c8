"""The container runtime: starts what images hold, and answers for what runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sregym_apps.model import Program

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.runtime import (
    ContainerConfig,
    ContainerRef,
    ExecResult,
    ExitState,
    ImagePull,
    Login,
    LogLine,
    ProbeResult,
)
from sregym_cluster_embedded.userland.allowances import ALLOWANCES
from sregym_cluster_embedded.userland.batch import WORK
from sregym_cluster_embedded.userland.catalogue import Catalogue, Known
from sregym_cluster_embedded.userland.computing import COMPUTING
from sregym_cluster_embedded.userland.creation import make_process
from sregym_cluster_embedded.userland.durable import durable_state
from sregym_cluster_embedded.userland.exec_program import (
    INSTANCES,
    become,
    consumers,
    load_generators,
)
from sregym_cluster_embedded.userland.executables import start_error
from sregym_cluster_embedded.userland.files.container import Container
from sregym_cluster_embedded.userland.files.view import LAYERS
from sregym_cluster_embedded.userland.filesystem import Files
from sregym_cluster_embedded.userland.flags import HEARD, READ, flags_written
from sregym_cluster_embedded.userland.host.hosts import Hosts
from sregym_cluster_embedded.userland.host.node import HostProcess
from sregym_cluster_embedded.userland.identified import Identified
from sregym_cluster_embedded.userland.jobs import EXECUTED, JOBS, next_pid
from sregym_cluster_embedded.userland.keys import TELEMETRY
from sregym_cluster_embedded.userland.kinds import Kind, Kinds, Refusal, hindered, with_in_tree
from sregym_cluster_embedded.userland.life import (
    finish,
    invalidate_traffic,
    load_changed,
    load_program,
    memory_bytes,
    resized,
    touch_probes,
    write_log,
)
from sregym_cluster_embedded.userland.probes import perform_probe
from sregym_cluster_embedded.userland.process import (
    Process,
    all_running,
    altered,
    attach_to_pod,
    change,
    listener_at,
    log_lines,
    process_of,
    processes,
    replace_mount,
    save,
)
from sregym_cluster_embedded.userland.queues import Brokers
from sregym_cluster_embedded.userland.runtime_calls import AWAITED
from sregym_cluster_embedded.userland.shell.backgrounds import Backgrounds
from sregym_cluster_embedded.userland.shell.commands import commands_of
from sregym_cluster_embedded.userland.shell.launcher import Session, run_command, run_script_file
from sregym_cluster_embedded.userland.signals import handle_signal
from sregym_cluster_embedded.userland.wiring import dns_changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_apps.model import (
        AnyProgram,
        Client,
        Line,
        LoadGeneratorProgram,
        ServiceModel,
        ServiceProgram,
    )
    from sregym_apps.simulation import Installed

    from sregym_cluster_embedded.world import World

_BACKGROUNDS = Backgrounds()

# From the creation of a process to its first act.
_FIRST_ACT_S = 0.025

P = TypeVar("P", bound=Program)


class Runtime(Hosts, Identified):
    """Implements `ContainerRuntime` for the programs of any number of service models.

    Args:
        models: The service models whose images and programs exist.
        extensions: Kinds of servers and commands that exist; what is installed unless given.

    Attributes:
        extensions: Those, and what comes with the embedded cluster.
        kinds: The behaviour of programs.
        brokers: What message brokers keep.
        commands: What containers can carry out, by name.
        consoles: Commands that are consoles of servers, with the prompt of each.
    """

    def __init__(self, models: Iterable[ServiceModel], extensions: Installed | None = None) -> None:
        self.extensions = with_in_tree(extensions)
        self.kinds = Kinds(self.extensions)
        self.brokers = Brokers(self)
        self.commands = commands_of(self.extensions)
        self.consoles = {
            name: command.prompt
            for name, command in self.extensions.commands.items()
            if command.prompt is not None
        }
        self.catalogue = Catalogue(models, self.extensions)
        of_kinds = [
            TableKey[ContainerRef, Any](table)
            for kind in self.kinds.every()
            for table in kind.tables
        ]
        self._tables: tuple[TableKey[ContainerRef, Any], ...] = (
            LAYERS,
            ALLOWANCES,
            EXECUTED,
            COMPUTING,
            JOBS,
            *INSTANCES,
            WORK,
            AWAITED,
            READ,
            HEARD,
            *of_kinds,
        )

    # The contract with the kubelet.

    def pull(
        self, world: World, node: str, image: str, logins: tuple[Login, ...] = ()
    ) -> ImagePull:
        """Ask the registry for an image; has no side effect."""
        return self.catalogue.pull(world, image, logins)

    def start(self, world: World, config: ContainerConfig) -> ExitState | None:
        """Start the container's process; None when it runs, else why it could not be created."""
        known = self.catalogue.find(config.image, config.ref.namespace)
        if known is None:
            return ExitState(128, "StartError", start_error(f'image "{config.image}": not found'))
        made = make_process(world, config, known)
        if isinstance(made, ExitState):
            return made
        process, path = made
        save(world, process)
        attach_to_pod(world, config.ref)
        program = known.image.binaries.get(path, "")
        load_program(world, self.become(world, process, program, process.argv))
        world.after(_FIRST_ACT_S, "userland.begin", config.ref)
        return None

    def terminate(self, world: World, ref: ContainerRef) -> float | None:
        """Send SIGTERM; seconds after which the process will have ended, None when it is ignored."""
        process = process_of(world, ref)
        if process is None or not process.running:
            return 0.0
        if process.stopped:  # what it has a handler for has to wait until it goes on
            return None
        program = self.program_of(process)
        if program is None:
            return handle_signal(world, self.session(world, process), "TERM")
        seconds = self.kind_of(process).goodbye(world, process, program)
        if seconds is not None:
            change(world, ref, leaving=(world.now + seconds, program.sigterm.code))
        return seconds

    def kill(self, world: World, ref: ContainerRef) -> ExitState | None:
        """End the process at once; how it had ended by itself after SIGTERM, if it had."""
        process = finish(world, ref)
        if process is None or process.leaving is None or process.leaving[0] > world.now:
            return None
        code = process.leaving[1]
        return ExitState(code, "Completed" if code == 0 else "Error")

    def probe(self, world: World, ref: ContainerRef, handler: dict[str, Any]) -> ProbeResult:
        """Perform a probe now."""
        return perform_probe(world, self, ref, handler)

    def exec(
        self, world: World, ref: ContainerRef, command: tuple[str, ...], stdin: str,
        *, looks: bool = False,
    ) -> ExecResult:  # fmt: skip
        """Run a command in the container to its end; one that only reads is not reported."""
        process = process_of(world, ref)
        if process is None or not process.running:
            return ExecResult(1, error="container not running")
        session = self.session(world, process)
        session.pid = next_pid(world, ref)
        result = run_command(session, command, stdin)
        if not looks:
            touch_probes(world, ref)
            flags_written(world, ref)
        return result

    def logs(
        self,
        world: World,
        ref: ContainerRef,
        tail_lines: int | None = None,
        since: float | None = None,
    ) -> list[LogLine]:
        """All lines of this life up to now, oldest first; so many of the last, or those since a second."""
        return log_lines(world, ref, tail_lines, since)

    def files_changed(
        self, world: World, ref: ContainerRef, path: str, files: dict[str, str]
    ) -> None:
        """What is mounted at a path has changed; programs have read it already."""
        if not replace_mount(world, ref, path, files):
            return
        dns_changed(world, ref)
        invalidate_traffic(world)
        touch_probes(world, ref)

    def user_of(self, world: World, image: str) -> str:
        """USER of an image; empty when it has none."""
        known = self.catalogue.find(image)
        return "" if known is None or known.image.user == "root" else known.image.user

    def image_files(self, world: World, image: str) -> dict[str, str]:
        """What stands in an image that is mounted as a volume."""
        known = self.catalogue.find(image)
        return {} if known is None else {path[1:]: text for path, text in known.files.items()}

    def read_file(self, world: World, ref: ContainerRef, path: str) -> str | None:
        """Content of a file of a container that has been started; None when there is none."""
        process = process_of(world, ref)
        return None if process is None else self.files(world, process).read(path)

    def forget(self, world: World, ref: ContainerRef) -> None:
        """Drop what is kept of a container that the kubelet has garbage-collected."""
        finish(world, ref)
        telemetry = world.service_or_none(TELEMETRY)
        if telemetry is not None:
            telemetry.forget(world, ref)
        processes(world).pop(ref, None)
        for table in self._tables:
            world.table(table).pop(ref, None)

    # What other layers ask.

    def listening(self, world: World, pod_uid: str, port: int) -> bool:
        """Whether a process of the pod listens on a TCP port."""
        return listener_at(world, pod_uid, port) is not None

    def program_of(self, process: Process) -> AnyProgram | None:
        """The program of the service model that a process is, or None for a tool."""
        return process.behaviour

    def program_as(self, process: Process, model: type[P]) -> P:
        """The program of a process that is known to be one of this model.

        Raises:
            LookupError: It runs something else.
        """
        program = process.behaviour
        if not isinstance(program, model):
            message = f"{process.ref} runs {process.argv[0]!r}, which is no program of a model"
            raise LookupError(message)  # noqa: TRY004 - what runs there was looked up
        return program

    def kind_of(self, process: Process) -> Kind:
        """The behaviour of a process that is a program."""
        program = process.behaviour
        return self.kinds.of((program or self.program_as(process, Program)).kind)

    def known(self, process: Process) -> Known:
        """The image that a process was started from."""
        if isinstance(process, HostProcess):
            return process.known
        known = self.catalogue.find(process.config.image, process.config.ref.namespace)
        if known is None:
            message = f"{process.ref} runs an image that no service model has"
            raise LookupError(message)
        return known

    def protocol_of(self, process: Process, listener: str) -> str:
        """What a process speaks on a listener."""
        program = self.program_of(process)
        return "tcp" if program is None else self.kind_of(process).protocol_of(program, listener)

    def dial(self, world: World, process: Process, client: Client, peer: str) -> Refusal | None:
        """Whether a server lets a client in; a tool that listens understands no client."""
        program = self.program_of(process)
        if program is None:
            return Refusal("reset", "")
        return self.kind_of(process).dial(world, process, program, client, peer)

    def command(
        self,
        world: World,
        process: Process,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Whether a server carries out a command."""
        kind = self.kind_of(process)
        return kind.command(
            world, process, process.behaviour, client, command, collection, dialled
        ) or hindered(world, process, kind, client, command, collection)

    def files(self, world: World, process: Process) -> Files:
        """The files that a process sees."""
        if isinstance(process, HostProcess):
            return self.host_files(world, process.config.node)
        return Files(Container(world, process.config, self.known(process)))

    def session(self, world: World, process: Process) -> Session:
        """A place in the container where commands can be run."""
        known = self.known(process)
        return Session(
            world=world,
            runtime=self,
            process=process,
            image=known.image,
            files=self.files(world, process),
            jobs=_BACKGROUNDS,
            environment=dict(process.environment),
            working_dir=process.working_dir,
        )

    def initialise_with(
        self, world: World, process: Process, path: str, console: Sequence[str]
    ) -> ExecResult:
        """Run an init script of a datastore: shell scripts are sourced, others fed to its console."""
        return run_script_file(self.session(world, process), path, console)

    def note(self, world: World, ref: ContainerRef, line: Line) -> None:
        """Let a program write a line in its own format."""
        process = process_of(world, ref)
        if process is not None and process.behaviour is not None:
            write_log(world, ref, process.behaviour, (line,))

    def memory_bytes(self, world: World, ref: ContainerRef) -> int:
        """Working set of a container now."""
        return memory_bytes(world, ref)

    def load_changed(
        self,
        world: World,
        ref: ContainerRef,
        requests_per_s: float,
        held_bytes: float = 0.0,
        wait_s: float = 0.0,
        leaks: float = 0.0,
    ) -> None:
        """Tell a process its load: what requests hold and leave behind, and how long they wait."""
        load_changed(world, ref, requests_per_s, held_bytes, wait_s, leaks)

    def running(self, world: World) -> list[Process]:
        """All processes that run, in order of their start."""
        return all_running(world)

    def load_generators(self, world: World) -> list[tuple[Process, LoadGeneratorProgram]]:
        """The load generators that run and have finished their start-up, in order of start."""
        return load_generators(world, self.program_of)

    def consumers(self, world: World) -> list[tuple[Process, ServiceProgram]]:
        """The programs that take records from message queues, once they serve."""
        return consumers(world)

    def durable_state(self, world: World) -> dict[str, str]:
        """What datastores keep beyond their pods, as canonical text by kind and storage."""
        return durable_state(world, self.kinds)

    def become(
        self, world: World, process: Process, program: str, argv: tuple[str, ...]
    ) -> Process:
        """Let a process be a program of the model: it reads its settings."""
        behaviour = self.known(process).programs.get(program) if program else None
        return become(world, altered(process, program=program, argv=argv), behaviour, self.files)

    def resize(
        self,
        world: World,
        ref: ContainerRef,
        memory_limit_bytes: int | None,
        cpu_limit_cores: float | None,
    ) -> None:
        """Other limits for a process that runs."""
        resized(world, ref, memory_limit_bytes, cpu_limit_cores)
