"""Programs made of start-up steps, listeners and operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_apps.model import (
    AnyStep,
    Client,
    DialStep,
    ExitStep,
    GrowStep,
    Line,
    ListenStep,
    LogStep,
    QueryStep,
    ReadStep,
    RegisterStep,
    RequireStep,
    RunStep,
    SeedStep,
    ServiceProgram,
    WaitStep,
    expand,
    is_on,
)

from sregym_cluster_embedded.syscalls import strerror
from sregym_cluster_embedded.userland.batch import begin_work, end_work, progress
from sregym_cluster_embedded.userland.client_errors import error_text
from sregym_cluster_embedded.userland.connect_limits import attempted, bind_failure
from sregym_cluster_embedded.userland.dependency_tracking import ONCE, DependencyTracker
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.http_responses import answer_to
from sregym_cluster_embedded.userland.kinds.kind import Kind, WebAnswer, WebRequest
from sregym_cluster_embedded.userland.kinds.own_certificate import own_certificate
from sregym_cluster_embedded.userland.life import (
    base_memory,
    end,
    invalidate_traffic,
    open_port,
    serve,
    write_log,
)
from sregym_cluster_embedded.userland.process import Process, change, listener_at, process_of
from sregym_cluster_embedded.userland.registering import register
from sregym_cluster_embedded.userland.securing import handshake
from sregym_cluster_embedded.userland.server_selection import Search
from sregym_cluster_embedded.userland.settings import read_failure
from sregym_cluster_embedded.userland.throttling import throttled_duration_s
from sregym_cluster_embedded.userland.wiring import dependency_of, targets

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.network.certificates import Certificate
    from sregym_cluster_embedded.world import World

_FAST_S, _WRITING = 0.003, (LogStep, GrowStep)
_AWAY = ("dns", "refused", "timeout", "unreachable", "no_route", "no_port", "unavailable")


class Result(NamedTuple):
    """How a step went: error text or None, facts for its lines, and seconds until it is known."""

    error: str | None = None
    facts: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0


class ServiceKind(Kind):
    """Runs the start-up as events on the virtual clock, then serves."""

    def begin(self, world: World, process: Process, program: ServiceProgram) -> None:
        """Plan what the program does first."""
        self._go_on(world, process.ref, program)

    def event(
        self, world: World, process: Process, program: ServiceProgram, *arguments: Any
    ) -> None:
        """Go on with what was planned."""
        what, step, tries, *rest = arguments
        if (process.step, process.tries) != (step, tries):
            return
        if what == "perform":
            self._perform(world, process.ref, program, *rest)
        elif what == "working":
            self._work(world, process, program, *rest)
        elif what == "result":
            self._conclude(world, process.ref, program, Result(rest[0], rest[1]))

    def protocol_of(self, program: ServiceProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return program.listeners[listener].protocol

    def certificate(
        self, world: World, process: Process, listener: str, host: str
    ) -> Certificate | None:
        """One that the process has signed itself, on listeners that speak TLS."""
        return own_certificate(world, process, listener, host)

    def web(
        self, world: World, process: Process, program: ServiceProgram, method: str, path: str
    ) -> WebAnswer | None:
        """Answer an HTTP request."""
        return self.respond(world, process, program, WebRequest(method, path))

    def respond(
        self, world: World, process: Process, program: ServiceProgram, request: WebRequest
    ) -> WebAnswer | None:
        """Answer an HTTP request by its headers and its body, too."""
        method = "GET" if request.method == "HEAD" else request.method
        return answer_to(world, process, program, request._replace(method=method))

    def _go_on(self, world: World, ref: ContainerRef, program: ServiceProgram) -> None:
        while (process := process_of(world, ref)) is not None and process.running:
            if process.step >= len(program.startup):
                serve(world, ref)
                return
            plain = _plain_lines(program.startup, process.step)
            if plain:
                write_log(world, ref, program, plain)
                change(world, ref, step=process.step + len(plain), tries=0)
                continue
            step = program.startup[process.step]
            if step.when is not None and not is_on(_filled(process, step.when)):
                change(world, ref, step=process.step + 1)
                continue
            takes = _number(_filled(process, step.takes_s))
            if takes > 0:
                self._later(world, process, throttled_duration_s(process, takes), "perform")
                return
            if not self._perform(world, ref, program, go_on=False):
                return

    def _later(self, world: World, process: Process, delay_s: float, *what: Any) -> None:
        arguments = (process.step, process.tries, *what[1:])
        world.after(delay_s, "userland.event", process.ref, what[0], *arguments)

    def _perform(
        self,
        world: World,
        ref: ContainerRef,
        program: ServiceProgram,
        search: Search | None = None,
        *,
        go_on: bool = True,
    ) -> bool:
        """Do the present step; whether its result is known at once and the next may follow."""
        process = process_of(world, ref)
        if process is None:
            return False
        if search is not None and search.goes_on(world) and search.seen.holds(world):
            self._later(world, process, search.pause_s(world), "perform", search)
            return False
        step = program.startup[process.step]
        if isinstance(step, GrowStep):
            delay_s = _grow(world, process, program, step)
            if delay_s:
                self._later(world, change(world, ref, tries=process.tries + 1), delay_s, "perform")
                return False
            return self._conclude(world, ref, program, Result(), go_on=go_on)
        if isinstance(step, RunStep):
            self._work(world, process, program, world.now, begin_work(world, process, step))
            return False
        result = _do(world, process, program, step, world.now if search is None else search.began)
        if isinstance(result, Search):
            self._later(world, process, result.pause_s(world), "perform", result)
            return False
        if result.delay_s > 0:
            self._later(world, process, result.delay_s, "result", result.error, result.facts)
            return False
        return self._conclude(world, ref, program, result, go_on=go_on)

    def _work(
        self,
        world: World,
        process: Process,
        program: ServiceProgram,
        began: float,
        lasts_s: float,
    ) -> None:
        """Go on with work that began at a moment and lasts so long when nothing goes wrong."""
        step = program.startup[process.step]
        assert isinstance(step, RunStep)
        left_s = began + lasts_s - world.now
        error, look_s = progress(world, process.ref, step, began)
        if error or left_s <= 0:
            end_work(world, process.ref)
            self._conclude(world, process.ref, program, Result(error or None))
        else:
            self._later(world, process, min(left_s, look_s), "working", began, lasts_s)

    def _conclude(
        self,
        world: World,
        ref: ContainerRef,
        program: ServiceProgram,
        result: Result,
        *,
        go_on: bool = True,
    ) -> bool:
        process = process_of(world, ref)
        if process is None or not process.running:
            return False
        failure = program.startup[process.step].on_failure
        if result.error is not None:
            facts = {**dict(result.facts), "error": result.error}
            write_log(world, ref, program, failure.log, facts)
            spent = failure.attempts and process.tries + 1 >= failure.attempts
            if failure.then == "exit" or spent:
                write_log(world, ref, program, failure.last_log if spent else (), facts)
                end(world, ref, failure.code)
                return False
            if failure.then == "retry":
                pause = min(failure.every_s * failure.backoff**process.tries, failure.most_s)
                again = change(world, ref, tries=process.tries + 1)
                self._later(world, again, pause, "perform")
                return False
        change(world, ref, step=process.step + 1, tries=0)
        if go_on:
            self._go_on(world, ref, program)
        return True


def _do(
    world: World, process: Process, program: ServiceProgram, step: AnyStep, since: float
) -> Result | Search:
    """Do a step that began at `since`, or go on searching."""
    if isinstance(step, _WRITING):
        write_log(
            world, process.ref, program, (step.log if isinstance(step, LogStep) else step.grow,)
        )
        return Result()
    if isinstance(step, ReadStep):
        files = world.service(RUNTIME).files(world, process)
        path = step.read if step.read.startswith("/") else f"{process.working_dir}/{step.read}"
        error = read_failure(files, path.replace("//", "/"), step.read)
        return Result(error, (("file", step.read),))
    if isinstance(step, RequireStep):
        return _require(process, program, step)
    if isinstance(step, ListenStep):
        return _listen(world, process, program, step)
    if isinstance(step, WaitStep):
        return Result(delay_s=_number(expand(step.wait_s, process.facts())))
    if isinstance(step, ExitStep):
        end(world, process.ref, int(_number(expand(step.exit, process.facts()))))
        return Result()
    assert not isinstance(step, RunStep)  # it is work that goes on
    return _connect(world, process, program, step, since)


def _grow(world: World, process: Process, program: ServiceProgram, step: GrowStep) -> float:
    """Write how far the memory has grown; seconds until the next line, 0 after the last."""
    if process.tries:
        facts = {"n": str(process.tries * step.each_mib)}
        write_log(world, process.ref, program, (step.grow,), facts)
    total_mib = base_memory(process, program.memory) / 2**20
    if (process.tries + 1) * step.each_mib > total_mib:
        return 0.0
    return program.memory.ramp_s * step.each_mib / total_mib


def _require(process: Process, program: ServiceProgram, step: RequireStep) -> Result:
    for name in step.require:
        if name not in process.settings:
            setting = program.config[name]
            key = (setting.file and setting.key) or setting.env or setting.flag or name
            facts = (("setting", name), ("key", key), ("file", setting.file or ""))
            return Result(f"missing {key}", facts)
    return Result()


def _listen(world: World, process: Process, program: ServiceProgram, step: ListenStep) -> Result:
    text = expand(program.listeners[step.listen].port, process.facts())
    if not text.isdecimal():
        return Result(f"listen tcp: address {text}: invalid port", (("port", text),))
    if listener_at(world, process.ref.pod_uid, int(text)) is not None:
        error = f"listen tcp :{text}: bind: address already in use"
        return Result(error, (("port", text),))
    if name := bind_failure(world, process):
        return Result(f"listen tcp :{text}: bind: {strerror(name).lower()}", (("port", text),))
    open_port(world, process.ref, int(text), step.listen)
    return Result()


def _connect(
    world: World,
    process: Process,
    _program: ServiceProgram,
    step: DialStep | QueryStep | SeedStep | RegisterStep,
    since: float,
) -> Result | Search:
    name, command, collection = dependency_of(step)
    client = process.clients[name]
    searches = client.wire.awaits_server
    seen = DependencyTracker()
    target = targets(world, process, client, seen if searches else ONCE, command)[0]
    target = target if searches else attempted(world, process, target)
    timeout = getattr(step, "timeout_s", None) or client.timeout_s
    searches = searches and target.kind in _AWAY
    search = Search(since, since + timeout, seen)
    if searches and search.goes_on(world):
        return search
    facts = tuple({**target.facts, "user": client.user, "database": client.database}.items())
    if target.kind or target.ref is None:
        error = error_text(client, target.kind, dict(facts))
        waited = timeout if target.kind == "timeout" else _FAST_S
        return Result(error, facts, max(0.0, search.until - world.now) if searches else waited)
    runtime = world.service(RUNTIME)
    server = process_of(world, target.ref)
    if server is None:
        return Result(error_text(client, "refused", dict(facts)), facts, _FAST_S)
    refusal = handshake(world, process, server, client, target.listener, target.facts["host"])
    if refusal is not None:
        kind, peer = runtime.kind_of(server), process.config.pod_ip
        kind.refused(world, server, server.behaviour, refusal, peer)
    else:
        refusal = runtime.dial(world, server, client, process.config.pod_ip)
    if refusal is None and command:
        refusal = runtime.command(world, server, client, command, collection, True)
        if refusal is not None:
            kind, peer = runtime.kind_of(server), process.config.pod_ip
            kind.refused(world, server, server.behaviour, refusal, peer)
    if refusal is not None:
        error = error_text(client, refusal.kind, dict(facts), refusal.text)
        return Result(error, facts, _FAST_S)
    late_s = 0.0 if target.path is None else target.path.latency_ms / 1000
    if late_s > timeout:
        return Result(error_text(client, "timeout", dict(facts)), facts, timeout)
    _succeed(world, process, step, server, client, collection)
    return Result(delay_s=_FAST_S + late_s)


def _succeed(
    world: World,
    process: Process,
    step: DialStep | QueryStep | SeedStep | RegisterStep,
    server: Process,
    client: Client,
    collection: str,
) -> None:
    facts = process.facts()
    if isinstance(step, RegisterStep):
        name, port = expand(step.name, facts), expand(step.port, facts)
        register(world, server.ref, name, process.ref, int(_number(port)))
        invalidate_traffic(world)
        return
    if isinstance(step, SeedStep):
        kind = world.service(RUNTIME).kind_of(server)
        kind.seed(world, server, client, collection, step.documents, step.record)
        if step.total or step.indexes:
            total = max(step.total, step.documents)
            kind.enlarge(world, server, client, collection, total, step.indexes)
    name = dependency_of(step)[0]
    if name not in process.dialled:
        change(world, process.ref, dialled=(*process.dialled, name))


def _plain_lines(steps: tuple[AnyStep, ...], first: int) -> list[Line]:
    """The lines of the steps from one on that write and do nothing else, written in one go."""
    lines: list[Line] = []
    for step in steps[first:]:
        if not isinstance(step, LogStep) or step.when is not None or step.takes_s != "0":
            break
        lines.append(step.log)
    return lines


def _filled(process: Process, text: str) -> str:
    """A text with its `${names}` filled in; most have none."""
    return expand(text, process.facts()) if "${" in text else text


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
