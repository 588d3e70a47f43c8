"""What `kubectl set env` takes from ConfigMaps and Secrets, and what it says of variables."""

from __future__ import annotations

import base64
import math
import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.pod_requests import milli, whole
from sregym_cluster_embedded.kubectl.errors import NotCovered

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_OTHER = re.compile(r"[^a-zA-Z0-9_]")
_KINDS = {"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}


def variables_of(session: Session, source: str) -> list[Object]:
    """The variables that `--from=configmap/NAME` stands for, one for each key, sorted."""
    word, slash, name = source.partition("/")
    kind = session.client.resource_type(word)
    if not slash or kind.kind not in _KINDS:
        raise NotCovered(f"--from={source}")
    obj = session.client.get(kind, session.namespace, name)
    wanted = session.arguments.all("keys")
    prefix = session.arguments.text("prefix")
    entries: list[Object] = []
    for key in sorted(obj.get("data") or {}):
        if wanted and key not in wanted:
            continue
        variable = _OTHER.sub("_", key).upper()
        if variable != key:
            session.warn(f"key {key} transferred to {variable}")
        reference = {"key": key, "name": name}
        entries.append({"name": prefix + variable, "valueFrom": {_KINDS[kind.kind]: reference}})
    return entries


def instead_of(there: Object, entry: Object) -> Object:
    """A patch that gives a variable its new source, and takes from it what it was before."""
    gone: Object = {"value": None} if "value" in there else {}
    before, wanted = there.get("valueFrom") or {}, entry["valueFrom"]
    sources: Object = {name: None for name in before if name not in wanted}
    for name, reference in wanted.items():
        old = before.get(name) or {}
        stale = {key: None for key in old if key not in reference}
        sources[name] = stale | {k: v for k, v in reference.items() if old.get(k) != v}
    return {"name": entry["name"], **gone, "valueFrom": sources}


def env_line(session: Session, found: Object, container: Object, entry: Object) -> str:
    """A variable as `--list` prints it; with its value under `--resolve`."""
    name, source = entry["name"], entry.get("valueFrom")
    if source is None:
        return f"{name}={entry.get('value', '')}"
    if session.arguments.on("resolve"):
        return f"{name}={_resolved(session, found, container, source)}"
    if "configMapKeyRef" in source:
        reference = source["configMapKeyRef"]
        return f"# {name} from configmap {reference.get('name', '')}, key {reference['key']}"
    if "secretKeyRef" in source:
        reference = source["secretKeyRef"]
        return f"# {name} from secret {reference.get('name', '')}, key {reference['key']}"
    if "fieldRef" in source:
        return f"# {name} from field path {source['fieldRef']['fieldPath']}"
    if "resourceFieldRef" in source:
        reference = source["resourceFieldRef"]
        holder = f"{reference['containerName']}/" if reference.get("containerName") else ""
        return f"# {name} from resource field {holder}{reference['resource']}"
    raise NotCovered("an unusual source of the environment")


def _resolved(session: Session, found: Object, container: Object, source: Object) -> str:
    for plural, field in (("configmaps", "configMapKeyRef"), ("secrets", "secretKeyRef")):
        if field not in source:
            continue
        reference = source[field]
        kind = session.client.resource_type(plural)
        path = kind.path(session.namespace, reference.get("name", ""))
        data = session.client.send("GET", path).get("data") or {}
        if reference["key"] not in data:
            raise NotCovered("a key that is not there")
        value: str = data[reference["key"]]
        return value if plural == "configmaps" else base64.b64decode(value).decode()
    metadata = found["metadata"]
    if "fieldRef" in source:
        path = source["fieldRef"]["fieldPath"]
        if path not in ("metadata.name", "metadata.namespace", "metadata.uid"):
            raise NotCovered(f"the field {path}")
        return str(metadata.get(path.removeprefix("metadata."), ""))
    return resource_value(container, source.get("resourceFieldRef") or {})


def resource_value(container: Object, reference: Object) -> str:
    """An amount of the container's, rounded up to the unit of the reference."""
    field, _, resource = reference.get("resource", "").partition(".")
    if resource not in ("cpu", "memory", "ephemeral-storage"):
        raise NotCovered("an unusual source of the environment")
    amount = (container.get("resources") or {}).get(field, {}).get(resource, 0)
    measured: Callable[[str | float], int] = milli if resource == "cpu" else whole
    unit = measured(reference.get("divisor", "0")) or measured(1)
    return str(math.ceil(measured(amount) / unit))
