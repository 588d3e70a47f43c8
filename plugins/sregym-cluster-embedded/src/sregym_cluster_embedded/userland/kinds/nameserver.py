"""CoreDNS as a process: it reads its Corefile, opens the ports named there, and notices changes."""

from __future__ import annotations

from hashlib import sha512
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Line, NameServerProgram

from sregym_cluster_embedded.network import coredns
from sregym_cluster_embedded.network.corefile import CorefileError, Plugin, ServerBlock, read
from sregym_cluster_embedded.network.records import number
from sregym_cluster_embedded.network.resolver import resolver_of
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.files.machine import cpus
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.kind import Kind, WebAnswer
from sregym_cluster_embedded.userland.life import (
    end,
    invalidate_traffic,
    serve,
    take_memory,
    touch_probes,
    write_log,
)
from sregym_cluster_embedded.userland.process import Process, change, listener_at

if TYPE_CHECKING:
    from sregym_apps.model import AnyProgram

    from sregym_cluster_embedded.world import World

_HOLDING = ("health", "ready", "prometheus")
_PORTS = {"health": 8080, "ready": 8181, "prometheus": 9153}
_LOADED, _TRIED, _LOGGED = "corefile", "corefile tried", "corefile logged"
_LAST_PORT = 65535
_RELOAD_S, _JITTER_S = 30.0, 15.0
# The plugin `loop` sends itself a question with a name of its own and waits for it to come back.
_LOOP = "HINFO 4547991504243258144.3688648895315093531."


class NameServerKind(Kind):
    """Runs CoreDNS; what it answers, the network layer derives from the Corefile told there."""

    def begin(self, world: World, process: Process, program: NameServerProgram) -> None:
        """Read the Corefile and open its ports, or end with CoreDNS's own words."""
        text, error = _read(world, process)
        blocks: tuple[ServerBlock, ...] = ()
        if not error:
            try:
                blocks = read(text, process.settings["conf"])
            except CorefileError as refusal:
                error = str(refusal)
        beyond = next((port for port, _ in _ports(blocks) if port > _LAST_PORT), None)
        if beyond is not None:
            error = error or f"Listen: listen tcp: address {beyond}: invalid port"
        taken = next(
            (p for p, _ in _ports(blocks) if listener_at(world, process.ref.pod_uid, p)), None
        )
        if taken is not None and not error:
            error = f"Listen: listen tcp :{taken}: bind: address already in use"
        if error:
            write_log(world, process.ref, program, (Line(text=error, stream="stderr"),))
            end(world, process.ref, 1)
            return
        if not take_memory(world, process.ref):
            return
        cores = cpus(world.service(RUNTIME).files(world, process).container)
        write_log(world, process.ref, program, _greeting(program, blocks, text, cores))
        self._load(world, process, text, blocks)
        serve(world, process.ref)
        if _loops(world, process, blocks):
            world.after(0.1, "userland.event", process.ref, "loop")

    def event(
        self, world: World, process: Process, program: NameServerProgram, *arguments: Any
    ) -> None:
        """Go on with what was planned."""
        if arguments[0] == "loop":
            where = "(127.0.0.1:43213 -> :53)"
            see = "see https://coredns.io/plugins/loop#troubleshooting"
            text = f'[FATAL] plugin/loop: Loop {where} detected for zone ".", {see}.'
            write_log(world, process.ref, program, (Line(text=f'{text} Query: "{_LOOP}"'),))
            coredns.unload(world, process.ref.pod_uid)
            end(world, process.ref, 1)
        elif arguments[0] == "reload":
            self._reload(world, process, program)

    def files_changed(self, world: World, process: Process) -> None:
        """The Corefile may be another one: `reload` looks at it in turn."""
        blocks = coredns.loaded(world, process.ref.pod_uid)
        plugin = next((one for block in blocks for one in block.named("reload")), None)
        text, error = _read(world, process)
        if plugin is None or error or process.settings.get(_TRIED) == text:
            return
        period = _period(world, process, plugin)
        passed = (world.now - process.started_at) % period
        world.after(period - passed, "userland.event", process.ref, "reload")

    def protocol_of(self, program: NameServerProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return "http" if listener in _HOLDING else "tcp"

    def web(
        self, world: World, process: Process, program: NameServerProgram, method: str, path: str
    ) -> WebAnswer | None:
        """Answer of its health, readiness and metrics servers."""
        plain = "text/plain; charset=utf-8"
        bodies = {"/health": "OK", "/ready": "OK", "/metrics": ""}
        body = bodies.get(path.partition("?")[0])
        if body is None:
            return WebAnswer(404, "404 page not found\n", plain)
        return WebAnswer(200, body, plain)

    def goodbye(self, world: World, process: Process, program: AnyProgram) -> float | None:
        """Seconds until it has ended after SIGTERM: the plugin `health` may keep it for a while."""
        lines = [Line(text="[INFO] SIGTERM: Shutting down servers then terminating")]
        seconds, text = _lameduck(coredns.loaded(world, process.ref.pod_uid))
        if seconds:
            lines.append(Line(text=text))
        write_log(world, process.ref, program, lines)
        return seconds

    def _reload(self, world: World, process: Process, program: NameServerProgram) -> None:
        text, error = _read(world, process)
        if error or process.settings.get(_TRIED) == text:
            return
        path = process.settings["conf"]
        settings = {**process.settings, _TRIED: text}
        process = change(world, process.ref, settings=settings)
        old = coredns.loaded(world, process.ref.pod_uid)
        try:
            blocks = read(text, path)
        except CorefileError as refusal:
            said = str(refusal)
            if "Unexpected EOF" in said or "Syntax error" in said:
                lines = [f"[WARNING] plugin/reload: Corefile parse failed: {said}"]
            else:
                lines = [
                    "[INFO] Reloading",
                    f"[ERROR] Restart failed: {said}",
                    f"[ERROR] plugin/reload: Corefile changed but reload failed: {said}",
                ]
            write_log(world, process.ref, program, [Line(text=line) for line in lines])
            return
        lines = ["[INFO] Reloading"]
        seconds, leaving = _lameduck(old)
        lines.extend([leaving] if seconds else [])
        lines.extend([_running(text)] if _has(blocks, "reload") else [])
        lines.append("[INFO] Reloading complete")
        write_log(world, process.ref, program, [Line(text=line) for line in lines])
        self._load(world, process, text, blocks)
        touch_probes(world, process.ref)
        if _loops(world, process, blocks):
            world.after(0.1, "userland.event", process.ref, "loop")

    def _load(
        self, world: World, process: Process, text: str, blocks: tuple[ServerBlock, ...]
    ) -> None:
        logged = process.settings.get(_LOGGED, "") + f"{world.now!r} {','.join(_classes(blocks))};"
        settings = {**process.settings, _LOADED: text, _TRIED: text, _LOGGED: logged}
        change(world, process.ref, settings=settings, ports=_ports(blocks))
        coredns.load(world, process.ref.pod_uid, text)
        invalidate_traffic(world)


def logged_classes(process: Process) -> list[tuple[float, tuple[str, ...]]]:
    """From when on which classes of answers a CoreDNS wrote into its log, oldest first."""
    switches = []
    for part in process.settings.get(_LOGGED, "").split(";")[:-1]:
        at, _, classes = part.partition(" ")
        switches.append((float(at), tuple(name for name in classes.split(",") if name)))
    return switches


def _classes(blocks: tuple[ServerBlock, ...]) -> list[str]:
    """The classes of answers that the plugin `log` tells of; none without it."""
    found: list[str] = []
    for block in blocks:
        for plugin in block.named("log"):
            found.extend(plugin.option("class") or ("all",))
    return sorted(set(found))


def _read(world: World, process: Process) -> tuple[str, str]:
    """The text of the Corefile, or why it cannot be read."""
    path = process.settings["conf"]
    place = path if path.startswith("/") else f"{process.working_dir.rstrip('/')}/{path}"
    text = world.service(RUNTIME).files(world, process).read(place)
    if text is None:
        return "", f"loading Caddyfile via flag: open {path}: no such file or directory"
    return text, ""


def _ports(blocks: tuple[ServerBlock, ...]) -> tuple[tuple[int, str], ...]:
    """(port, listener) of all servers that a Corefile asks for."""
    found: dict[int, str] = {}
    for block in blocks:
        found.setdefault(block.port, "dns")
        for name in _HOLDING:
            for plugin in block.named(name):
                given = plugin.arguments[0].rpartition(":")[2] if plugin.arguments else ""
                port = number(given, _PORTS[name])
                found.setdefault(port, name)
    return tuple(found.items())


def _greeting(
    program: NameServerProgram, blocks: tuple[ServerBlock, ...], text: str, cores: int
) -> list[Line]:
    lines = [f"maxprocs: Leaving GOMAXPROCS={cores}: CPU quota undefined"]
    for block in blocks:
        lines.extend(f"{zone}.:{block.port}" for zone in block.zones)
    if _has(blocks, "reload"):
        lines.append(_running(text))
    return [Line(text=line) for line in (*lines, f"CoreDNS-{program.version}", program.build)]


def _running(text: str) -> str:
    digest = sha512(text.encode()).hexdigest()
    return f"[INFO] plugin/reload: Running configuration SHA512 = {digest}"


def _has(blocks: tuple[ServerBlock, ...], plugin: str) -> bool:
    return any(block.named(plugin) for block in blocks)


def _lameduck(blocks: tuple[ServerBlock, ...]) -> tuple[float, str]:
    """For how long it goes on after it was told to end, and what it says about that."""
    for block in blocks:
        for plugin in block.named("health"):
            given = (plugin.option("lameduck") or ("",))[0]
            if given:
                return _seconds(given, 0.0), (
                    f"[INFO] plugin/health: Going into lameduck mode for {given}"
                )
    return 0.0, ""


def _period(world: World, process: Process, plugin: Plugin) -> float:
    """The time between two looks of one process at its Corefile."""
    period = _seconds(plugin.arguments[0], _RELOAD_S) if plugin.arguments else _RELOAD_S
    given = plugin.arguments[1:]
    jitter = _seconds(given[0], _JITTER_S) if given else min(_JITTER_S, period / 2)
    return period + jitter * (2 * world.seed.fraction("reload", process.ref) - 1)


def _seconds(text: str, default: float) -> float:
    for unit, factor in (("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)):
        count = text.removesuffix(unit)
        if count != text and count.replace(".", "", 1).isdecimal():
            return float(count) * factor
    return default


def _loops(world: World, process: Process, blocks: tuple[ServerBlock, ...]) -> bool:
    """Whether `loop` would get its own question back: it forwards to itself."""
    ref = process.ref
    pod = world.store.get(Key("pods", ref.namespace, ref.pod))
    for block in blocks:
        if "" not in block.zones or not block.named("loop"):
            continue
        for plugin in block.named("forward"):
            for word in plugin.arguments[1:]:
                if word.startswith("/") and pod is not None:
                    servers = resolver_of(pod).servers
                else:
                    servers = (word.rpartition("://")[2].partition(":")[0],)
                if any(_is_own(world, process, server) for server in servers):
                    return True
    return False


def _is_own(world: World, process: Process, server: str) -> bool:
    if server.startswith("127.") or server == process.config.pod_ip:
        return True
    namespace = process.ref.namespace
    pod = world.store.get(Key("pods", namespace, process.ref.pod)) or {"metadata": {}}
    labels = pod["metadata"].get("labels") or {}
    return any(
        service["metadata"]["namespace"] == namespace
        and bool(selector := service["spec"].get("selector"))
        and selector.items() <= labels.items()
        for service in world.store.indexed("services", "address", server)
    )
