"""A cache that is emptied again and again, before stores that were made for what it keeps from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import (
    BATCH_KINDS,
    Check,
    Component,
    FailureMode,
    GroundTruth,
    ObjectRef,
    containers_of,
)
from sregym_injectors.added_object import AddedObjectFault
from sregym_injectors.component_fault import not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.templates import container_patch, repair_commands
from sregym_injectors.workloads import restart_rollout, roll_out
from typing_extensions import override

from sregym_injector_datastore.shells import redis
from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_MEMCACHED, _REDIS = 11211, 6379
_PLAIN_IMAGE = "busybox:1.36"


class CacheCold(AddedObjectFault):
    """Adds a loop that empties a cache, so that all that is looked for is asked of the stores behind."""

    name: ClassVar[str] = "cache-cold"
    title: ClassVar[str] = (
        "A cache is emptied again and again, and its stores cannot carry the misses"
    )
    layer: ClassVar[str] = "datastore"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW, FailureMode.RECURRING)
    mechanism: ClassVar[str] = "cache-flushed"
    phrases: ClassVar[tuple[str, ...]] = (
        "cache is flushed", "cache flush", "cache is emptied", "flush_all", "FLUSHALL", "cold cache",
        "cache is cold", "cache is invalidated again and again", "cache stampede", "thundering herd",
        "cache misses overload the store", "cache hit rate collapsed", "cache never warms up",
        "cache is cleared periodically", "dog-piling",
    )  # fmt: skip
    symptoms: ClassVar[tuple[str, ...]] = (
        "latency rises",
        "requests time out",
        "store is overloaded",
    )

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            every_s: Seconds between two times.
            store_cpu: CPU limit of the stores behind, as one has it whose cache is warm; empty: theirs.
            actor: Name of what empties it; empty: that of the component and `-refresh`.
        """

        restart_clients: bool | None = False
        every_s: float = Field(default=1.0, ge=0.5, le=60)
        store_cpu: str = Field(default="8m", pattern=r"^([0-9]+m?)?$")
        actor: str = Field(default="", pattern=r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$")

    @override
    def mismatch_reason(self, component: Component) -> str:
        if component.kind != "cache" or component.workload.kind in BATCH_KINDS:
            return "it is no cache"
        if not _port(component):
            return "it is neither a memcached nor a Redis: no command is known that empties it"
        if not component.service:
            return "no Service leads to it, so that nobody else reaches it"
        return "" if component.operations else "no request of users passes through it"

    @override
    def period_s(self, context: FaultContext) -> float:
        return float(context.parameters.every_s)

    @override
    def inject(self, context: FaultContext) -> None:
        edits, cpu = Edits(context), context.parameters.store_cpu
        for part in _sized(context):
            # The API refuses a request above the limit.
            resources = {"limits": {"cpu": cpu}, "requests": {"cpu": cpu}}
            roll_out(edits, part.workload, container_patch(part, {"resources": resources}))
        restart_rollout(edits, _calling_anew(context))
        super().inject(context)

    @override
    def added(self, context: FaultContext) -> KubeObject:
        component, ref = context.component, actor_of(context)
        image = component.image if _port(component) == _REDIS else _PLAIN_IMAGE
        entry: dict[str, Any] = {
            "name": "refresh",
            "image": image,
            "command": ["sh", "-c", _script(context)],
            "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
        }
        labels = {"app": ref.name}
        return {
            "apiVersion": ref.api_version,
            "kind": ref.kind,
            "metadata": {"name": ref.name, "namespace": ref.namespace, "labels": labels},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [entry]}},
            },
        }

    @override
    def describe(self, context: FaultContext) -> str:
        given = context.parameters
        flushed = f"empties {context.component.name} every {given.every_s:g} s"
        names = [part.name for part in _sized(context)]
        if not names:
            return flushed
        return f"{flushed}, while a CPU limit of {given.store_cpu} keeps {', '.join(names)} small"

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        truth = super().ground_truth(context)
        # Stores of their usual size would bear the misses.
        return truth.model_copy(
            update={"contributing": tuple(part.name for part in _sized(context))}
        )

    @override
    def restarted(self, context: FaultContext) -> Sequence[ObjectRef]:
        return ()

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        """Stores get their processors back, too: those that bear no misses fill no cache for long."""
        sized = _sized(context)
        repairs = [
            command
            for part in sized
            for command in repair_commands(context.application, part, _unlimited(context, part))
        ]
        calling = commands.restart_and_wait(_calling_anew(context))
        return (*super().reference_fix(context), *repairs, *calling)

    @override
    def present(self, context: FaultContext) -> Check:
        place = actor_of(context).namespace
        told = [
            f"{ObjectRef.of(live)} empties {context.component.name}"
            for live in context.cluster.list("apps/v1", "Deployment", place)
            if _empties(live, _host(context.component))
        ]
        return defect_check("nobody empties the cache", told)


def actor_of(context: FaultContext) -> ObjectRef:
    """The Deployment that empties the cache."""
    component = context.component
    return ObjectRef(
        api_version="apps/v1",
        kind="Deployment",
        namespace=component.namespace,
        name=context.parameters.actor or f"{component.name}-refresh",
    )


def _sized(context: FaultContext) -> tuple[Component, ...]:
    """The stores that get a CPU limit for what a warm cache leaves; none where none is given."""
    if not context.parameters.store_cpu:
        return ()
    return tuple(stores_behind(context.application.components(), context.component))


def _calling_anew(context: FaultContext) -> tuple[ObjectRef, ...]:
    """Who restarts after stores have: connections of before would lead to those that are gone."""
    return tuple(
        part.workload
        for part in context.application.components()
        if _sized(context) and part.name in context.component.callers and not not_rolling(part)
    )


def _unlimited(context: FaultContext, part: Component) -> Command:
    """Gives a store the resources of its manifest."""
    manifest = manifest_of(context.application, part.workload)
    entries = containers_of(manifest)
    place = next(n for n, entry in enumerate(entries) if entry["name"] == part.container)
    path = f"/spec/template/spec/containers/{place}/resources"
    value = entries[place].get("resources") or {}
    return commands.patch(part.workload, [{"op": "add", "path": path, "value": value}], "json")


def stores_behind(parts: Iterable[Component], cache: Component) -> list[Component]:
    """The datastores that are asked by those who ask a cache first."""
    return [
        part
        for part in parts
        if part.kind == "datastore"
        and part.workload.kind not in BATCH_KINDS
        and set(part.callers) & set(cache.callers)
    ]


def _port(component: Component) -> int:
    declared = {port.container_port for port in component.ports}
    declared |= {port for entry in component.containers for port in entry.ports}
    if "memcached" in component.image:
        return _MEMCACHED
    return next((port for port in (_MEMCACHED, _REDIS) if port in declared), 0)


def _host(component: Component) -> str:
    return component.name if component.service is None else component.service.name


def _empties(workload: KubeObject, host: str) -> bool:
    """Whether a Deployment runs what empties a cache, whatever it is called."""
    said = " ".join(
        word
        for entry in containers_of(workload)
        for word in (*(entry.get("command") or ()), *(entry.get("args") or ()))
    )
    runs = workload["spec"].get("replicas", 1) > 0
    return runs and host in said and any(word in said for word in ("flush_all", "FLUSHALL"))


def _script(context: FaultContext) -> str:
    component, every = context.component, context.parameters.every_s
    host = _host(component)
    own = _port(component)
    port = next((port.port for port in component.ports), own)
    if own == _REDIS:
        flush = " ".join(redis(component, "-h", host, "-p", str(port), "FLUSHALL"))
    else:
        flush = f"printf 'flush_all\\r\\nquit\\r\\n' | nc -w 1 {host} {port}"
    return f"while true; do {flush} >/dev/null; sleep {every:g}; done"
