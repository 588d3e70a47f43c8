"""Finds processes that read what was written: only their next start shows whether it is any good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.model import ROLLING_KINDS, ObjectRef, Severity, containers_of, pod_spec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from sregym_core.interfaces import Application
    from sregym_core.interfaces.cluster import KubeObject

    from sregym_oracles import Found

SETTINGS = ("ConfigMap", "Secret")
UNREAD = "secret-changed"
_STARTED = (*ROLLING_KINDS, "CronJob", "Job", "Pod")
# What refers to settings: (field, name in it, kind).
_VOLUMES = (("configMap", "name", "ConfigMap"), ("secret", "secretName", "Secret"))
_PROJECTED = (("configMap", "name", "ConfigMap"), ("secret", "name", "Secret"))
_WHOLE = (("configMapRef", "name", "ConfigMap"), ("secretRef", "name", "Secret"))
_KEYS = (("configMapKeyRef", "name", "ConfigMap"), ("secretKeyRef", "name", "Secret"))


def readers(
    application: Application, objects: Mapping[str, KubeObject], written: Collection[str]
) -> tuple[ObjectRef, ...]:
    """Workloads that read any of these settings and may restart at any time, sorted.

    Load generators are left out, and so are datastores that lose what they hold.

    Args:
        application: The application whose components say so.
        objects: All there are now, by `str(ObjectRef)`.
        written: ConfigMaps and Secrets by the same names.
    """
    if not written:
        return ()
    left_out = {
        str(ref)
        for part in application.components()
        if part.kind == "load" or (part.kind == "datastore" and not part.volumes)
        for ref in (part.workload, *part.workloads)
    }
    return tuple(
        ObjectRef.of(obj)
        for name, obj in sorted(objects.items())
        if obj["kind"] in ROLLING_KINDS
        and name not in left_out
        and not written_to(obj).isdisjoint(written)
    )


def unread(
    found: Iterable[Found], objects: Mapping[str, KubeObject], broken: Collection[str]
) -> Iterator[Found]:
    """Side effects, with what was written into Secrets that no start reads as harm.

    Of those that pods read the next start tells whether they are any good; of others nobody
    notices before they are needed: the key of a backup, the certificate of an Ingress.

    Args:
        found: Side effects of the agent.
        objects: All there are now, by `str(ObjectRef)`.
        broken: Secrets that a fault changed: to write them is a repair.
    """
    read = {name for obj in objects.values() if obj["kind"] in _STARTED for name in written_to(obj)}
    for one in found:
        where = one.difference.where
        if one.effect.kind == "config-changed" and one.difference.kind == "Secret" and where not in read | set(broken):  # fmt: skip
            update = {"kind": UNREAD, "severity": Severity.FAIL, "what": f"{one.effect.what}, which no start tries"}  # fmt: skip
            one = one._replace(effect=one.effect.model_copy(update=update))
        yield one


def written_to(workload: KubeObject) -> set[str]:
    """The settings that a workload's pods read, by `str(ObjectRef)`."""
    namespace = workload["metadata"].get("namespace", "")
    return {
        str(ObjectRef(api_version="v1", kind=kind, namespace=namespace, name=name))
        for kind, name in _read(workload)
    }


def _read(workload: KubeObject) -> Iterator[tuple[str, str]]:
    spec = pod_spec(workload)
    for volume in spec.get("volumes") or ():
        yield from _named(volume, _VOLUMES)
        for source in (volume.get("projected") or {}).get("sources") or ():
            yield from _named(source, _PROJECTED)
    for container in containers_of(workload):
        for source in container.get("envFrom") or ():
            yield from _named(source, _WHOLE)
        for entry in container.get("env") or ():
            yield from _named(entry.get("valueFrom") or {}, _KEYS)


def _named(
    source: Mapping[str, Any], fields: tuple[tuple[str, str, str], ...]
) -> Iterator[tuple[str, str]]:
    for field, key, kind in fields:
        name = (source.get(field) or {}).get(key)
        if name:
            yield kind, name
