"""Names in a service model that lead nowhere within it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sregym_lint import did_you_mean

from sregym_apps.model.base import HEADER, QUERY, placeholders, texts_of
from sregym_apps.model.service import AnyCall, CacheAside, Parallel, ServiceProgram
from sregym_apps.model.startup import (
    DialStep,
    ListenStep,
    QueryStep,
    RegisterStep,
    RequireStep,
    RunStep,
    SeedStep,
)
from sregym_apps.model.workload import LoadGeneratorProgram

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_apps.model.application import ServiceModel

Location: TypeAlias = tuple[str | int, ...]

# What may stand as `${name}` besides the settings of the program: facts of the moment.
FACTS = frozenset(
    {
        "error",
        "host",
        "port",
        "ip",
        "dns",
        "url",
        "setting",
        "key",
        "file",
        "n",
        "name",
        "operation",
    }
    | {"database", "collection", "command", "user", "pod", "namespace", "hostname", "pod_ip"}
    | {"node", "program", "image", "attempt", "lookup", "reason", "java", "client_ip", "status"}
)
# The same in the lines of a circuit breaker.
_OF_BREAKERS = ("from", "to")
_RANGE = re.compile(r"^\d+\.\.\d+$")


class Inconsistency(NamedTuple):
    """A name in a service model that leads nowhere.

    Attributes:
        location: Where it stands.
        text: What is wrong with it.
        name: The name.
    """

    location: Location
    text: str
    name: str = ""


# Where programs say what depends on the request.
_OF_REQUESTS = ("operations", "filters")


def inconsistencies(model: ServiceModel) -> Iterator[Inconsistency]:
    """Names that lead nowhere: where each stands, and what is wrong with it."""
    for index, image in enumerate(model.images):
        for path, program in image.binaries.items():
            if program not in model.programs:
                place: Location = ("images", index, "binaries", path)
                yield _unknown(place, "program", program, model.programs)
    for name, behaviour in model.programs.items():
        here: Location = ("programs", name)
        known = FACTS | set(behaviour.config)
        if isinstance(behaviour, ServiceProgram | LoadGeneratorProgram):
            known |= set(behaviour.flags)
        for inner, text in texts_of(behaviour):
            if inner[:1] == ("config",):
                continue
            for placeholder in placeholders(text):
                if placeholder.startswith((HEADER, QUERY)) and inner[0] in _OF_REQUESTS:
                    continue
                if placeholder in _OF_BREAKERS and "breaker" in inner:
                    continue
                if placeholder not in known and not _RANGE.match(placeholder):
                    yield _unknown((*here, *inner), "setting", placeholder, behaviour.config)
        if isinstance(behaviour, ServiceProgram):
            for inside in _of_service(behaviour):
                yield inside._replace(location=(*here, *inside.location))


def _of_service(program: ServiceProgram) -> Iterator[Inconsistency]:
    for name, client in program.clients.items():
        if client.registry is not None and client.registry not in program.clients:
            path: Location = ("clients", name, "registry")
            yield _unknown(path, "client", client.registry, program.clients)
    for index, step in enumerate(program.startup):
        here: Location = ("startup", index)
        if isinstance(step, RequireStep):
            for setting in step.require:
                if setting not in program.config:
                    yield _unknown((*here, "require"), "setting", setting, program.config)
        elif isinstance(step, ListenStep):
            if step.listen not in program.listeners:
                yield _unknown((*here, "listen"), "listener", step.listen, program.listeners)
        elif isinstance(step, RunStep):
            if step.run not in program.operations:
                yield _unknown((*here, "run"), "operation", step.run, program.operations)
        else:
            verb, client_name = _client_of(step)
            if client_name is not None and client_name not in program.clients:
                yield _unknown((*here, verb), "client", client_name, program.clients)
    required = {
        s for step in program.startup if isinstance(step, RequireStep) for s in step.require
    }
    for name, setting_ in program.config.items():
        if setting_.default is None and name not in required:
            text = (
                f"setting '{name}' has no default, and no 'require' step says what its absence does"
            )
            yield Inconsistency(("config", name), text)
    for name, consumer in program.consumers.items():
        here = ("consumers", name)
        if consumer.client not in program.clients:
            yield _unknown((*here, "client"), "client", consumer.client, program.clients)
        if consumer.operation not in program.operations:
            yield _unknown(
                (*here, "operation"), "operation", consumer.operation, program.operations
            )
    own = {consumer.operation for consumer in program.consumers.values()}
    own |= {step.run for step in program.startup if isinstance(step, RunStep)}
    for name, operation in program.operations.items():
        here = ("operations", name)
        # Where a consumer or step names no operation, this one may be meant: that is told there.
        # Programs that consume a topic get requests of others through the broker.
        meant = name in own or bool(program.consumers or own - set(program.operations))
        alone = not operation.listener and meant
        if operation.listener not in program.listeners and not alone:
            yield _unknown((*here, "listener"), "listener", operation.listener, program.listeners)
        yield from _of_calls(program, operation.calls, (*here, "calls"))
    yield from _of_tracing(program)


def _of_tracing(program: ServiceProgram) -> Iterator[Inconsistency]:
    if program.traces is not None and program.traces.query not in program.listeners:
        place = ("traces", "query")
        yield _unknown(place, "listener", program.traces.query, program.listeners)
    for name in {} if program.tracing is None else program.tracing.spans:
        here: Location = ("tracing", "spans", name)
        within, slash, call = name.partition("/")
        if "." in within:
            # The slash is one of an HTTP path.
            within, slash, call = "", "", name
        if slash and within not in program.operations:
            yield _unknown(here, "operation", within, program.operations)
        client, dot, _ = (call if slash else name).partition(".")
        if dot and client not in program.clients:
            yield _unknown(here, "client", client, program.clients)
        elif not dot and name not in program.operations:
            yield _unknown(here, "operation", name, program.operations)


def _client_of(step: object) -> tuple[str, str | None]:
    if isinstance(step, DialStep):
        return "dial", step.dial
    if isinstance(step, QueryStep):
        return "query", step.query.partition(".")[0]
    if isinstance(step, SeedStep):
        return "seed", step.seed.partition(".")[0]
    if isinstance(step, RegisterStep):
        return "register", step.register_at
    return "", None


def _of_calls(
    program: ServiceProgram, calls: tuple[AnyCall, ...], here: Location
) -> Iterator[Inconsistency]:
    for index, call in enumerate(calls):
        if isinstance(call, Parallel):
            yield from _of_calls(program, call.parallel, (*here, index, "parallel"))
            continue
        field = "cache" if isinstance(call, CacheAside) else "call"
        client = call.cache if isinstance(call, CacheAside) else call.call.partition(".")[0]
        if client not in program.clients:
            yield _unknown((*here, index, field), "client", client, program.clients)
        if isinstance(call, CacheAside):
            yield from _of_calls(program, call.miss, (*here, index, "miss"))


def _unknown(place: Location, noun: str, name: str, known: Iterable[str]) -> Inconsistency:
    names = sorted(known)
    text = f"there is no {noun} '{name}' (there are: {', '.join(names) or 'none'})"
    return Inconsistency(place, text + did_you_mean(name, names), name)
