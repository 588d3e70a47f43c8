"""Responses of programs of service models to single HTTP requests: of probes, commands, port-forward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import expand, is_on, route_of

from sregym_cluster_embedded.userland.flags import facts_with_flags, ofrep
from sregym_cluster_embedded.userland.keys import QUERYING, REQUEST_FLOW, RUNTIME
from sregym_cluster_embedded.userland.kinds.cgi import run_cgi
from sregym_cluster_embedded.userland.kinds.kind import WebAnswer
from sregym_cluster_embedded.userland.request_attributes import filtering_ms, request_attributes
from sregym_cluster_embedded.userland.throttling import throttled_duration_s

if TYPE_CHECKING:
    from sregym_apps.model import Operation, ServiceProgram, Variant

    from sregym_cluster_embedded.userland.kinds.kind import WebRequest
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World


def answer_to(
    world: World, process: Process, program: ServiceProgram, request: WebRequest
) -> WebAnswer:
    """The answer of a program: of what it collects, of its flags, its operations, its files."""
    bare = request.path.partition("?")[0]
    if program.traces is not None and bare.startswith("/api/"):
        told = _of_traces(world, process, request)
        if told is not None:
            return told
    if (told := ofrep(world, process, program, request)) is not None:
        return told
    name = route_of(program, request.method, request.path)
    if name is not None:
        return _of_operation(world, process, program.operations[name], name, request)
    for listener in program.listeners.values():
        if listener.protocol == "http" and listener.root is not None and request.method == "GET":
            files = world.service(RUNTIME).files(world, process)
            place = listener.root + (bare if bare != "/" else "/index.html")
            content = files.read(place)
            if content is not None and bare.startswith("/cgi-bin/"):
                return run_cgi(world, process, place, request.path.partition("?")[2])
            if content is not None:
                return WebAnswer(200, content, "text/html")
    return WebAnswer(404, "404 page not found\n", "text/plain; charset=utf-8")


def _of_operation(
    world: World, process: Process, operation: Operation, name: str, request: WebRequest
) -> WebAnswer:
    """The answer of an operation as it is at present, after what holds the request back."""
    answer, error, status = operation.answer, "", 0
    facts = process.facts()
    held: tuple[Variant, ...] = ()
    if operation.variants or operation.filters:
        facts = facts_with_flags(world, process) | dict.fromkeys(operation.heeds, "")
        facts |= request_attributes(operation, request.path, request.headers)
        held = tuple(one for one in operation.variants if is_on(expand(one.when, facts)))
    answer = next((one.answer for one in held if one.answer is not None), answer)
    uncertain = operation.calls or any(one.fails != "0" for one in held)
    if uncertain and world.service_or_none(REQUEST_FLOW) is not None:
        error, status = world.service(REQUEST_FLOW).answered(world, process.ref, name)
        answer = operation.failure if error else answer
    body = expand(answer.body, {**facts, "error": error})
    late_s = sum(_milliseconds(one, facts) for one in held) / 1000
    late_s += throttled_duration_s(process, filtering_ms(operation, facts) / 1000)
    return WebAnswer(status or answer.status, body, answer.content_type, late_s)


def _milliseconds(variant: Variant, facts: dict[str, str]) -> float:
    try:
        return max(0.0, float(expand(variant.latency_ms, facts)))
    except ValueError:
        return 0.0


def _of_traces(world: World, process: Process, request: WebRequest) -> WebAnswer | None:
    """What a collector of traces tells of them, in a cluster that has telemetry."""
    querying = world.service_or_none(QUERYING)
    found = (
        None if querying is None else querying.traces(world, process, request.method, request.path)
    )
    if found is None:
        return None
    return WebAnswer(found.status, found.body.decode(), found.content_type)
