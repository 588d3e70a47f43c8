"""Settings of a program, filled into what it sends to others: requests, commands, topics."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from sregym_apps.model import (
    AnyCall,
    AnyProgram,
    CacheAside,
    LoadGeneratorProgram,
    Parallel,
    ServiceProgram,
    expand,
    placeholders,
)

from sregym_cluster_embedded.api.identity_cache import Same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import BaseModel

    Values = tuple[tuple[str, str], ...]
    M = TypeVar("M", bound=BaseModel)

# In what an operation hands to its own caller these are facts of the call, whatever settings there are.
_OF_CALLS = frozenset(
    {"error", "host", "port", "ip", "dns", "url", "name", "lookup", "operation", "collection"}
)


def filled(program: AnyProgram, facts: Mapping[str, str]) -> AnyProgram:
    """The program with settings in its calls; names that are no settings are left as they stand.

    Args:
        program: As the service model has it.
        facts: The settings of a process and what is known of its pod.
    """
    names = _named(Same(program))
    if not names:
        return program
    return _filled(Same(program), tuple((name, facts[name]) for name in names if name in facts))


@lru_cache(maxsize=1024)
def _named(program: Same[AnyProgram]) -> tuple[str, ...]:
    """The names that stand as `${name}` in what a program asks for."""
    found: dict[str, None] = {}
    for text in _asked(program.value):
        found.update(dict.fromkeys(placeholders(text)))
    # Most calls hand on what they were told.
    found.pop("error", None)
    return tuple(found)


def _asked(program: AnyProgram) -> Iterator[str]:
    if isinstance(program, LoadGeneratorProgram):
        yield from (entry.request for entry in program.mix.values())
    elif isinstance(program, ServiceProgram):
        for operation in program.operations.values():
            yield from _texts(operation.calls)
        yield from () if program.tracing is None else program.tracing.spans


def _texts(calls: tuple[AnyCall, ...]) -> Iterator[str]:
    for call in calls:
        if isinstance(call, Parallel):
            yield from _texts(call.parallel)
            continue
        yield call.on_error.returns
        if isinstance(call, CacheAside):
            yield from _texts(call.miss)
        else:
            yield from (call.call, call.collection)


@lru_cache(maxsize=1024)
def _filled(program: Same[AnyProgram], values: Values) -> AnyProgram:
    """The program with these settings, which are mostly the same for all pods of a workload."""
    known, whole = dict(values), program.value
    if isinstance(whole, LoadGeneratorProgram):
        mix = {
            name: _with(entry, request=expand(entry.request, known))
            for name, entry in whole.mix.items()
        }
        return _with(whole, mix=mix)
    assert isinstance(whole, ServiceProgram)
    operations = {
        name: _with(operation, calls=tuple(_call(call, known) for call in operation.calls))
        for name, operation in whole.operations.items()
    }
    tracing = whole.tracing
    if tracing is not None:
        spans = {expand(name, known): text for name, text in tracing.spans.items()}
        tracing = _with(tracing, spans=spans)
    return _with(whole, operations=operations, tracing=tracing)


def _call(call: AnyCall, known: dict[str, str]) -> AnyCall:
    if isinstance(call, Parallel):
        return _with(call, parallel=tuple(_call(part, known) for part in call.parallel))
    settings = {name: value for name, value in known.items() if name not in _OF_CALLS}
    reaction = _with(call.on_error, returns=expand(call.on_error.returns, settings))
    if isinstance(call, CacheAside):
        miss = tuple(_call(part, known) for part in call.miss)
        return _with(call, on_error=reaction, miss=miss)
    client, _, operation = call.call.partition(".")
    return _with(
        call,
        call=f"{client}.{expand(operation, known)}",
        collection=expand(call.collection, known),
        on_error=reaction,
    )


def _with(part: M, **changes: Any) -> M:
    return part.model_copy(update=changes)
