"""What is allowed and yet worth a warning, in the API server's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import quantity
from sregym_cluster_embedded.api.validation.meta import STANDARD_FINALIZERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object

_OLD_LABELS = {
    "beta.kubernetes.io/arch": ("v1.14", "kubernetes.io/arch"),
    "beta.kubernetes.io/os": ("v1.14", "kubernetes.io/os"),
    "failure-domain.beta.kubernetes.io/region": ("v1.17", "topology.kubernetes.io/region"),
    "failure-domain.beta.kubernetes.io/zone": ("v1.17", "topology.kubernetes.io/zone"),
    "beta.kubernetes.io/instance-type": ("v1.17", "node.kubernetes.io/instance-type"),
}
_OLD_ANNOTATIONS = {
    "scheduler.alpha.kubernetes.io/critical-pod": ("v1.16", "priorityClassName"),
    "security.alpha.kubernetes.io/sysctls": ("v1.11", "sysctls"),
    "security.alpha.kubernetes.io/unsafe-sysctls": ("v1.11", "sysctls"),
    "seccomp.security.alpha.kubernetes.io/pod": ("v1.27", "seccompProfile"),
}
_WHOLE_BYTES = ("memory", "ephemeral-storage")
_TEMPLATES = {
    "deployments.apps": ("spec", "template"),
    "replicasets.apps": ("spec", "template"),
    "statefulsets.apps": ("spec", "template"),
    "daemonsets.apps": ("spec", "template"),
    "jobs.batch": ("spec", "template"),
    "replicationcontrollers": ("spec", "template"),
    "cronjobs.batch": ("spec", "jobTemplate", "spec", "template"),
    "podtemplates": ("template",),
}


def of(kind: Resource, obj: Object, old: Object | None) -> list[str]:
    """The warnings of a write, in order."""
    found: list[str] = []
    if kind.selectable is not None:
        found += _finalizers(obj, old)
    if kind.name == "pods" and old is None:
        found += _pod(obj, "", "spec")
    path = _TEMPLATES.get(kind.name)
    if path is not None:
        template = _at(obj, path)
        if old is None or template != _at(old, path):
            place = ".".join(path)
            found += _pod(template, f"{place}.", f"{place}.spec")
    check = _CHECKS.get(kind.name)
    return found if check is None else found + check(obj, old)


def _at(obj: Object, path: tuple[str, ...]) -> Object:
    value: Any = obj
    for name in path:
        value = (value or {}).get(name)
    return value or {}


def _finalizers(obj: Object, old: Object | None) -> list[str]:
    """Of custom resources: finalizers without a domain."""
    before = ((old or {}).get("metadata") or {}).get("finalizers") or ()
    found = []
    for name in obj["metadata"].get("finalizers") or ():
        if "/" in name or name in STANDARD_FINALIZERS or name in before:
            continue
        path = " including a path (/)" if "." in name else ""
        found.append(
            f'metadata.finalizers: "{name}": prefer a domain-qualified finalizer name{path} to avoid '
            "accidental conflicts with other finalizer writers"
        )
    return found


def _pod(obj: Object, head: str, path: str) -> list[str]:
    spec = obj.get("spec") or {}
    found = [
        f"{path}.nodeSelector[{label}]: {_outdated(label)}"
        for label in sorted(spec.get("nodeSelector") or {})
        if label in _OLD_LABELS
    ]
    for index, entry in enumerate(spec.get("topologySpreadConstraints") or ()):
        place, key = f"{path}.topologySpreadConstraints[{index}]", entry.get("topologyKey")
        if key in _OLD_LABELS:
            found.append(f"{place}.topologyKey: {key} is {_outdated(key)}")
        if entry.get("labelSelector") is None:
            text = "a null labelSelector results in matching no pod"
            found.append(f"{place}.labelSelector: {text}")
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    for name, (version, field) in _OLD_ANNOTATIONS.items():
        if name in annotations:
            text = f'non-functional in {version}+; use the "{field}" field instead'
            found.append(f"{head}metadata.annotations[{name}]: {text}")
    found += _repeated(spec.get("hostAliases") or (), "ip", f"{path}.hostAliases")
    secrets = spec.get("imagePullSecrets") or ()
    found += _repeated(secrets, "name", f"{path}.imagePullSecrets")
    found += [
        f'{path}.imagePullSecrets[{index}].name: invalid empty name ""'
        for index, secret in enumerate(secrets)
        if not secret.get("name")
    ]
    containers = [
        (container, f"{path}.{field}[{index}]")
        for field in ("initContainers", "containers")
        for index, container in enumerate(spec.get(field) or ())
    ]
    for container, place in containers:
        found += _container(container, place)
    found += _ports(containers)
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        text = "must be >= 0; negative values are invalid and will be treated as 1"
        found.append(f"{path}.terminationGracePeriodSeconds: {text}")
    return found


def _outdated(label: str) -> str:
    version, other = _OLD_LABELS[label]
    return f'deprecated since {version}; use "{other}" instead'


def _repeated(entries: Any, field: str, path: str) -> list[str]:
    values = [entry.get(field, "") for entry in entries]
    return [
        f'{path}[{index}].{field}: duplicate {field} "{value}"'
        for index, value in enumerate(values)
        if value in values[:index]
    ]


def _container(container: Object, path: str) -> list[str]:
    resources = container.get("resources") or {}
    found = [
        f"{path}.resources.{side}[{name}]: fractional byte value "
        f'"{quantity.canonical(resources[side][name])}" is invalid, must be an integer'
        for name in _WHOLE_BYTES
        for side in ("limits", "requests")
        if not quantity.is_whole(quantity.parse((resources.get(side) or {}).get(name, "0")))
    ]
    seen: set[str] = set()
    for index, variable in enumerate(container.get("env") or ()):
        name, value = variable.get("name", ""), variable.get("value", "")
        own = f"$({name})"
        if name in seen and (variable.get("valueFrom") or value == own or own not in value):
            text = f'hides previous definition of "{name}", which may be dropped when using apply'
            found.append(f"{path}.env[{index}]: {text}")
        seen.add(name)
    return found


def _ports(containers: list[tuple[Object, str]]) -> list[str]:
    """Ports that stand twice in a pod, in any two of its containers."""
    found: list[str] = []
    known: dict[tuple[Any, str], list[tuple[str, Object]]] = {}
    for container, path in containers:
        for index, port in enumerate(container.get("ports") or ()):
            place = f"{path}.ports[{index}]"
            others = known.setdefault((port.get("containerPort"), port.get("protocol", "TCP")), [])
            for other_place, other in others:
                both = [(p.get("hostIP", ""), p.get("hostPort", 0)) for p in (port, other)]
                if both[0] == both[1]:
                    found.append(f"{place}: duplicate port definition with {other_place}")
                elif 0 in (both[0][1], both[1][1]):
                    found.append(f"{place}: overlapping port definition with {other_place}")
            others.append((place, port))
    return found


def _service(obj: Object, old: Object | None) -> list[str]:
    if old is None and (obj.get("spec") or {}).get("externalIPs"):
        return ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
    return []


def _ingress(obj: Object, old: Object | None) -> list[str]:
    annotations = obj["metadata"].get("annotations") or {}
    if old is None and "kubernetes.io/ingress.class" in annotations:
        text = 'annotation "kubernetes.io/ingress.class" is deprecated, please use '
        return [f"{text}'spec.ingressClassName' instead"]
    return []


def _volume(obj: Object, _old: Object | None) -> list[str]:
    policy = (obj.get("spec") or {}).get("persistentVolumeReclaimPolicy")
    if policy != "Recycle":
        return []
    return [
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the "
        "recommended approach is to use dynamic provisioning."
    ]


_CHECKS: Mapping[str, Callable[[Object, Object | None], list[str]]] = {
    "services": _service,
    "ingresses.networking.k8s.io": _ingress,
    "persistentvolumes": _volume,
}
