"""The container runtime: starts what images hold, and answers for what runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from sregym_cluster_embedded.userland.becoming import (
    CONSUMERS,
    GENERATORS,
    become,
    consumers,
    load_generators,
)
from sregym_cluster_embedded.userland.catalogue import Catalogue, Known
from sregym_cluster_embedded.userland.creation import make_process
from sregym_cluster_embedded.userland.durable import durable_state
from sregym_cluster_embedded.userland.executables import start_error
from sregym_cluster_embedded.userland.files.container import Container
from sregym_cluster_embedded.userland.filesystem import Files
from sregym_cluster_embedded.userland.jobs import EXECUTED, JOBS, next_pid
from sregym_cluster_embedded.userland.kinds import KINDS, Kind, Refusal, hindered
from sregym_cluster_embedded.userland.life import (
    append,
    end,
    finish,
    load_changed,
    memory_bytes,
    out_of_memory,
    plan_oom,
    resized,
    say,
    touch_probes,
    wake_traffic,
)
from sregym_cluster_embedded.userland.probes import perform_probe
from sregym_cluster_embedded.userland.process import (
    Process,
    altered,
    attach_to_pod,
    change,
    listener_at,
    log_lines,
    process_of,
    processes,
    replace_mount,
    running_in,
    save,
)
from sregym_cluster_embedded.userland.shell.backgrounds import Backgrounds, go_on
from sregym_cluster_embedded.userland.shell.running import (
    Session,
    run_command,
    run_main_script,
    run_script_file,
)
from sregym_cluster_embedded.userland.signals import handle_signal
from sregym_cluster_embedded.userland.wiring import dns_changed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_apps.model import (
        AnyProgram,
        Client,
        Line,
        LoadGeneratorProgram,
        ServiceModel,
        ServiceProgram,
    )

    from sregym_cluster_embedded.world import World

_BACKGROUNDS = Backgrounds()

# From the creation of a process to its first act.
_FIRST_ACT_S = 0.025


class Runtime:
    """Implements `ContainerRuntime` for the programs of any number of service models.

    Args:
        models: The service models whose images and programs exist.
    """

    def __init__(self, models: Iterable[ServiceModel]) -> None:
        self.catalogue = Catalogue(models)

    # The contract with the kubelet.

    def pull(
        self, world: World, node: str, image: str, logins: tuple[Login, ...] = ()
    ) -> ImagePull:
        """Ask the registry for an image; has no side effect."""
        return self.catalogue.pull(world, image, logins)

    def start(self, world: World, config: ContainerConfig) -> ExitState | None:
        """Start the container's process; None when it runs, else why it could not be created."""
        known = self.catalogue.find(config.image)
        if known is None:
            return ExitState(128, "StartError", start_error(f'image "{config.image}": not found'))
        made = make_process(world, config, known)
        if isinstance(made, ExitState):
            return made
        process, path = made
        save(world, process)
        attach_to_pod(world, config.ref)
        self.become(world, process, known.image.binaries.get(path, ""), process.argv)
        world.after(_FIRST_ACT_S, "userland.begin", config.ref)
        return None

    def terminate(self, world: World, ref: ContainerRef) -> float | None:
        """Send SIGTERM; seconds after which the process will have ended, None when it is ignored."""
        process = process_of(world, ref)
        if process is None or not process.running:
            return 0.0
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
        self, world: World, ref: ContainerRef, command: tuple[str, ...], stdin: str
    ) -> ExecResult:
        """Run a command in the container to its end."""
        process = process_of(world, ref)
        if process is None or not process.running:
            return ExecResult(1, error="container not running")
        session = self.session(world, process)
        session.pid = next_pid(world, ref)
        result = run_command(session, command, stdin)
        touch_probes(world, ref)
        return result

    def logs(
        self,
        world: World,
        ref: ContainerRef,
        tail_lines: int | None = None,
        since: float | None = None,
    ) -> list[LogLine]:
        """All lines of this life up to now, oldest first; of late ones only, when asked so.

        Args:
            world: The cluster.
            ref: The life.
            tail_lines: Only so many of the last lines.
            since: Only lines written at or after this virtual second.
        """
        return log_lines(world, ref, tail_lines, since)

    def files_changed(
        self, world: World, ref: ContainerRef, path: str, files: dict[str, str]
    ) -> None:
        """What is mounted at a path has changed; programs have read it already."""
        if not replace_mount(world, ref, path, files):
            return
        dns_changed(world, ref)
        wake_traffic(world)
        touch_probes(world, ref)

    def user_of(self, world: World, image: str) -> str:
        """USER of an image; empty when it has none."""
        known = self.catalogue.find(image)
        return "" if known is None or known.image.user == "root" else known.image.user

    def image_files(self, world: World, image: str) -> dict[str, str]:
        """What stands in an image that is mounted as a volume."""
        known = self.catalogue.find(image)
        files = {} if known is None else known.files
        return {path.lstrip("/"): text for path, text in files.items()}

    def read_file(self, world: World, ref: ContainerRef, path: str) -> str | None:
        """Content of a file of a container that has been started; None when there is none."""
        process = process_of(world, ref)
        return None if process is None else self.files(world, process).read(path)

    def forget(self, world: World, ref: ContainerRef) -> None:
        """Drop what is kept of a container that the kubelet has garbage-collected."""
        finish(world, ref)
        telemetry = world.constitution.rooms.get("telemetry")
        if telemetry is not None:
            telemetry.forget(world, ref)
        processes(world).pop(ref, None)
        for table in ("userland.layers", EXECUTED, "userland.memcached", "userland.nginx", JOBS):
            world.table(table).pop(ref, None)
        world.table(GENERATORS).pop(ref, None)
        world.table(CONSUMERS).pop(ref, None)

    # What other rooms ask.

    def listening(self, world: World, pod_uid: str, port: int) -> bool:
        """Whether a process of the pod listens on a TCP port."""
        return listener_at(world, pod_uid, port) is not None

    def program_of(self, process: Process) -> AnyProgram | None:
        """The program of the service model that a process is, or None for a tool."""
        return process.behaviour

    def kind_of(self, process: Process) -> Kind:
        """The behaviour of a process that is a program."""
        program = self.program_of(process)
        if program is None:
            message = f"{process.ref} runs {process.argv[0]!r}, which is no program of a model"
            raise LookupError(message)
        return KINDS[program.kind]

    def known(self, process: Process) -> Known:
        """The image that a process was started from."""
        known = self.catalogue.find(process.config.image)
        if known is None:
            message = f"{process.ref} runs an image that no service model has"
            raise LookupError(message)
        return known

    def protocol_of(self, process: Process, listener: str) -> str:
        """What a process speaks on a listener."""
        program = self.program_of(process)
        return "tcp" if program is None else self.kind_of(process).protocol_of(program, listener)

    def dial(self, world: World, process: Process, client: Client, peer: str) -> Refusal | None:
        """Whether a server lets a client in."""
        program = self.program_of(process)
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
        return self._files(world, process.config, self.known(process))

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

    def initialise_with(self, world: World, process: Process, path: str) -> ExecResult:
        """Run an init script of a datastore: shell scripts are sourced, others fed to its shell."""
        return run_script_file(self.session(world, process), path)

    def note(self, world: World, ref: ContainerRef, line: Line) -> None:
        """Let a program write a line in its own format."""
        process = process_of(world, ref)
        program = None if process is None else self.program_of(process)
        if program is not None:
            say(world, ref, program, (line,))

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
    ) -> None:
        """Tell a process its load from now on, what waiting requests hold, and how long they wait."""
        load_changed(world, ref, requests_per_s, held_bytes, wait_s)

    def running(self, world: World) -> list[Process]:
        """All processes that run, in order of their start."""
        pods = world.table("userland.pods")
        return [process for uid in pods for process in running_in(world, uid)]

    def load_generators(self, world: World) -> list[tuple[Process, LoadGeneratorProgram]]:
        """The load generators that run and have finished their start-up, in order of start."""
        return load_generators(world, self.program_of)

    def consumers(self, world: World) -> list[tuple[Process, ServiceProgram]]:
        """The programs that take records from message queues, once they serve."""
        return consumers(world)

    def durable_state(self, world: World) -> dict[str, str]:
        """What datastores keep beyond their pods, as canonical text by kind and storage."""
        return durable_state(world)

    def become(
        self, world: World, process: Process, program: str, argv: tuple[str, ...]
    ) -> Process:
        """Let a process be a program of the model: it reads its settings."""
        behaviour = self.known(process).programs.get(program) if program else None
        return become(world, altered(process, program=program, argv=argv), behaviour, self.files)

    # Event handlers.

    def begin(self, world: World, ref: ContainerRef) -> None:
        """The first act of a process."""
        process = process_of(world, ref)
        if process is None or not process.running:
            return
        program = self.program_of(process)
        if program is None:
            self.resume(world, ref)
            return
        plan_oom(world, process, program.memory)
        self.kind_of(process).begin(world, process, program)

    def event(self, world: World, ref: ContainerRef, *arguments: Any) -> None:
        """Something that the kind of a program has planned."""
        process = process_of(world, ref)
        if process is not None and process.running and process.program:
            program = self.program_of(process)
            self.kind_of(process).event(world, process, program, *arguments)

    def resume(self, world: World, ref: ContainerRef) -> None:
        """Go on with a main process that is a script or a tool."""
        process = process_of(world, ref)
        if process is None or not process.running:
            return
        outcome = run_main_script(self.session(world, process))
        wakes_at = world.now + (outcome.wait_s or 0.0)
        change(world, ref, journal=outcome.journal, traps=outcome.traps, wakes_at=wakes_at)
        append(world, ref, outcome.lines)
        if outcome.becomes:
            path, argv = outcome.becomes
            program = self.known(process).image.binaries[path]
            self.become(world, processes(world)[ref], program, argv)
            self.begin(world, ref)
        elif outcome.exit_code is not None:
            end(world, ref, outcome.exit_code)
        elif outcome.wait_s is not None:
            world.after(outcome.wait_s, "userland.resume", ref)

    def job(self, world: World, ref: ContainerRef, pid: int) -> None:
        """Go on with a process in the background."""
        go_on(world, self, ref, pid)

    def exit(self, world: World, ref: ContainerRef, code: int) -> None:
        """A planned end."""
        end(world, ref, code)

    def resize(
        self,
        world: World,
        ref: ContainerRef,
        memory_limit_bytes: int | None,
        cpu_limit_cores: float | None,
    ) -> None:
        """Other limits for a process that runs."""
        resized(world, ref, memory_limit_bytes, cpu_limit_cores)

    def oom(self, world: World, ref: ContainerRef) -> None:
        """The moment at which memory may have run out."""
        process = process_of(world, ref)
        program = None if process is None else self.program_of(process)
        if program is not None:
            out_of_memory(world, ref, program.memory)

    def _files(self, world: World, config: ContainerConfig, known: Known) -> Files:
        return Files(Container(world, config, known))
