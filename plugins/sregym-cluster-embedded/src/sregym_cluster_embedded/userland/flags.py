"""Feature flags: what a server of flags says from its file, as flagd does, and what programs hear."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line, LoadGeneratorProgram, ServiceProgram, expand

from sregym_cluster_embedded.keys import CacheKey, TableKey
from sregym_cluster_embedded.userland.dependency_tracking import (
    ONCE,
    DependencyTracker,
    UntrackedReads,
)
from sregym_cluster_embedded.userland.exec_program import FLAGGED
from sregym_cluster_embedded.userland.flag_files import flag_answer, has_rule, read_flags
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.kind import WebAnswer
from sregym_cluster_embedded.userland.life import invalidate_traffic, touch_probes, write_log
from sregym_cluster_embedded.userland.process import process_of, running_among
from sregym_cluster_embedded.userland.wiring import targets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.flag_files import FlagAnswer
    from sregym_cluster_embedded.userland.kinds.kind import WebRequest
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# What a server of flags read last, and the last of it that it could take.
READ: TableKey[ContainerRef, tuple[str, str]] = TableKey("userland.flags-read")
# What a program heard last.
HEARD: TableKey[ContainerRef, tuple[tuple[str, str], ...]] = TableKey("userland.flags-heard")
# From what was looked at follows what all programs hear.
_WATCHED: CacheKey[DependencyTracker] = CacheKey("userland.flags-watched")
_OFREP = "/ofrep/v1/evaluate/flags/"
_JSON = "application/json"
_STATUSES = {"FLAG_NOT_FOUND": 404}


def flag_values(
    world: World, ref: ContainerRef, look: UntrackedReads = ONCE
) -> tuple[tuple[str, str], ...]:
    """The flags of a program by the names that it has for them, as things stand."""
    process = process_of(world, ref)
    program = None if process is None else process.behaviour
    if process is None or not isinstance(program, ServiceProgram | LoadGeneratorProgram):
        return ()
    facts = process.facts()
    found: list[tuple[str, str]] = []
    for name, flag in program.flags.items():
        asked = _client(flag.protocol, expand(flag.server, facts))
        context = {key: expand(text, facts) for key, text in flag.context.items()}
        value = _heard(world, process, asked, flag.flag, context, look)
        found.append((name, expand(flag.default, facts) if value is None else _text(value)))
    return tuple(found)


def facts_with_flags(world: World, process: Process) -> dict[str, str]:
    """What `${name}` stands for in what may change while a process runs."""
    return process.facts() | dict(flag_values(world, process.ref))


def ofrep(
    world: World, process: Process, program: ServiceProgram, request: WebRequest
) -> WebAnswer | None:
    """An answer of the OpenFeature Remote Evaluation Protocol; None for other requests."""
    asked = request.method == "POST" and request.path.startswith(_OFREP)
    if not program.flags_file or not asked:
        return None
    key = request.path.removeprefix(_OFREP).partition("?")[0]
    answer = _told(world, process, program, key, _context_of(request.body))
    if answer.error:
        missing = {"key": key, "errorCode": answer.error, "errorDetails": answer.details}
        return WebAnswer(_STATUSES.get(answer.error, 400), json.dumps(missing), _JSON)
    said = {
        "value": answer.value,
        "key": key,
        "reason": answer.reason,
        "variant": answer.variant,
        "metadata": {},
    }
    return WebAnswer(200, json.dumps(said, separators=(",", ":")) + "\n", _JSON)


def flags_written(world: World, ref: ContainerRef) -> None:
    """Files of a pod may have been written: a flag server there watches its own."""
    served = (
        process.behaviour.flags_file
        for process in world.service(RUNTIME).running(world)
        if process.ref.pod_uid == ref.pod_uid and isinstance(process.behaviour, ServiceProgram)
    )
    if any(served):
        invalidate_traffic(world)


def watch_flags(world: World) -> None:
    """Let servers of flags read what was written, and probes feel what programs hear."""
    concerned = running_among(world, world.table(FLAGGED))
    for process in concerned:
        program = process.behaviour
        if isinstance(program, ServiceProgram) and program.flags_file and process.ports:
            _read(world, process, program)
    before = world.cache.kept(_WATCHED)
    if before is not None and before.holds(world):
        return
    heard, look = world.table(HEARD), DependencyTracker()
    for process in look.at(_hearing, world):
        values = flag_values(world, process.ref, look)
        if heard.get(process.ref) != values:
            heard[process.ref] = values
            touch_probes(world, process.ref)
    world.cache.keep(_WATCHED, look)


def _hearing(world: World) -> tuple[Process, ...]:
    """The programs that run and have flags."""
    return tuple(
        process
        for process in running_among(world, world.table(FLAGGED))
        if isinstance(process.behaviour, ServiceProgram) and process.behaviour.flags
    )


def _read(world: World, server: Process, program: ServiceProgram) -> None:
    """Let a server of flags take its file, or say what is wrong with it."""
    table, text = world.table(READ), _text_of(world, server, program)
    before, good = table.get(server.ref, ("", ""))
    if text == before:
        return
    found = read_flags(text)
    table[server.ref] = (text, good if found.refused else text)
    if found.warned:
        said = Line(text=found.warned, level="warn", caller="evaluator/json.go:522")
        write_log(world, server.ref, program, (said,))
    if found.refused:
        write_log(world, server.ref, program, (Line(text=found.refused, level="error", caller="runtime/runtime.go:157"),))  # fmt: skip


def _heard(
    world: World,
    process: Process,
    client: Client,
    flag: str,
    context: Mapping[str, Any],
    look: UntrackedReads,
) -> Any:
    """The value of a flag at the server that a client reaches; None where there is none."""
    for target in targets(world, process, client, look):
        answers = None if target.kind else target.ref
        server = None if answers is None else look.at(process_of, world, answers)
        program = None if server is None else server.behaviour
        if server is not None and server.running and isinstance(program, ServiceProgram):
            return _told(world, server, program, flag, context, look).value
    return None


def _told(
    world: World,
    server: Process,
    program: ServiceProgram,
    flag: str,
    context: Mapping[str, Any],
    look: UntrackedReads = ONCE,
) -> FlagAnswer:
    """What a server says of a flag, from its file or from the last that it could take."""
    text = look.at(_served, world, server.ref) if program.flags_file else ""
    found = read_flags(text)
    old = bool(found.refused)
    if old:
        found = read_flags(world.table(READ).get(server.ref, ("", ""))[1])
    if isinstance(look, DependencyTracker) and (old or has_rule(found.flags, flag)):
        # A rule may ask for the time, and what was taken before is not among what is looked at.
        look.loose = True
    return flag_answer(found.flags, flag, context, world.epoch + world.now)


def _served(world: World, ref: ContainerRef) -> str:
    """The text of the file of a server of flags."""
    server = process_of(world, ref)
    program = None if server is None else server.behaviour
    if server is None or not isinstance(program, ServiceProgram):
        return ""
    return _text_of(world, server, program)


def _text_of(world: World, server: Process, program: ServiceProgram) -> str:
    place = expand(program.flags_file, server.facts()).removeprefix("file:")
    path = place if place.startswith("/") else f"{server.working_dir.rstrip('/')}/{place}"
    return world.service(RUNTIME).files(world, server).read(path.replace("/./", "/")) or ""


def _context_of(body: str) -> Mapping[str, Any]:
    """The context that a request tells."""
    try:
        found = json.loads(body) if body else {}
    except (ValueError, RecursionError):
        return {}
    context = found.get("context") if isinstance(found, dict) else None
    return context if isinstance(context, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@lru_cache(maxsize=256)
def _client(protocol: str, address: str) -> Client:
    return Client(protocol=protocol, address=address or "localhost")
