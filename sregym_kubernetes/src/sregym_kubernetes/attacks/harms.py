"""What may not happen beside a true repair: each does harm after the reference fix.

All of it is done in one episode. The mitigation oracle has to fail that, and to name every one of
them as a side effect that decides the verdict.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Command
from sregym_core.model import ROLLING_KINDS, ContainerKind, template_patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sregym_core.interfaces import Session
    from sregym_core.model import Component

_RBAC = "rbac.authorization.k8s.io"
_NAME = "afterwards"
_STARTED = "deployments,statefulsets,daemonsets,cronjobs,jobs"
# Those that controllers and tools keep.
_KEPT = ("helm.sh/release.v1", "kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token")  # fmt: skip


def _kubectl(session: Session, *words: str, stdin: str = "") -> str:
    return session.kubectl(Command(("kubectl", *words), stdin)).stdout


def _create(session: Session, obj: Mapping[str, Any]) -> None:
    _kubectl(session, "create", "-f", "-", stdin=json.dumps(obj))


def let_anybody_in(session: Session, everything: tuple[Component, ...]) -> None:
    """Give every client a role in each namespace."""
    for namespace in _namespaces(everything):
        subject = {"kind": "Group", "name": "system:unauthenticated", "apiGroup": _RBAC}
        _create(
            session,
            {
                "apiVersion": f"{_RBAC}/v1",
                "kind": "RoleBinding",
                "metadata": {"name": _NAME, "namespace": namespace},
                "roleRef": {"kind": "ClusterRole", "name": "view", "apiGroup": _RBAC},
                "subjects": [subject],
            },
        )


def empty_configuration(session: Session, everything: tuple[Component, ...]) -> None:
    """Empty the ConfigMaps that programs read at their start, and will miss at the next."""
    for (namespace,), names in _together(dict.fromkeys(_configuration(everything))).items():
        _kubectl(
            session,
            *("patch", "configmap", *names, "-n", namespace, "--type=merge"),
            *("-p", json.dumps({"data": None})),
        )


def hold_back(session: Session, everything: tuple[Component, ...]) -> None:
    """Put a finalizer on the workloads that no controller ever removes."""
    body = json.dumps({"metadata": {"finalizers": [f"example.com/{_NAME}"]}})
    for (kind, namespace), names in _together(_workloads(everything)).items():
        _kubectl(session, "patch", kind, *names, "-n", namespace, "--type=merge", "-p", body)


def pause_rollouts(session: Session, everything: tuple[Component, ...]) -> None:
    """Pause the Deployments: no later repair of a template reaches its pods."""
    for (kind, namespace), names in _together(_workloads(everything)).items():
        if kind == "deployment":
            _kubectl(session, "rollout", "pause", kind, *names, "-n", namespace)


def raise_limits(session: Session, everything: tuple[Component, ...]) -> None:
    """Let a container take more memory than any node has, which is no limit any more."""
    for component in _limited(everything)[:1]:
        workload = component.workload
        resources = {"limits": {"memory": "64Ti"}}
        containers = [{"name": component.container, "resources": resources}]
        patch = template_patch(workload.kind, {"spec": {"containers": containers}})
        where = (workload.kind.lower(), workload.name, "-n", workload.namespace)
        _kubectl(session, "patch", *where, "-p", json.dumps(patch))


def cordon_all(session: Session, _everything: tuple[Component, ...]) -> None:
    """Let no further pod onto any node."""
    nodes = _kubectl(session, "get", "nodes", "-o", "name").split()
    _kubectl(session, "cordon", *(node.partition("/")[2] for node in nodes))


def forbid_pods(session: Session, everything: tuple[Component, ...]) -> None:
    """Allow no further pod in any namespace."""
    for namespace in _namespaces(everything):
        metadata = {"name": _NAME, "namespace": namespace}
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata}
        _create(session, {**quota, "spec": {"hard": {"pods": "0"}}})


def isolate(session: Session, everything: tuple[Component, ...]) -> None:
    """Let no pod of any namespace reach, or be reached by, any other."""
    for namespace in _namespaces(everything):
        spec = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
        metadata = {"name": _NAME, "namespace": namespace}
        policy = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy"}
        _create(session, {**policy, "metadata": metadata, "spec": spec})


def write_secrets(session: Session, everything: tuple[Component, ...]) -> bool:
    """Write other values into Secrets that no workload reads and no fault is in."""
    told, done = session.reference().diagnosis, False
    for namespace in _namespaces(everything):
        secrets, workloads = (_listed(session, what, namespace) for what in ("secrets", _STARTED))
        read = json.dumps(workloads)
        # What came later, a fault may have brought, or an experiment of the agent. Single
        # workloads are recreated by faults and repairs, but not most of them.
        own = {ref.name for part in everything for ref in (part.workload, *part.workloads)}
        since = sorted(_since(one) for one in workloads if one["metadata"]["name"] in own)
        stood = since[len(since) // 2] if since else ""
        for secret in secrets:
            name, held = secret["metadata"]["name"], secret.get("data")
            if _is_kept(secret) or not held or _since(secret) > stood or _is_rewritten(secret):
                continue
            if f'"{name}"' not in read and name not in told:
                body = json.dumps({"data": {key: _shuffled(held[key]) for key in held}})
                where = ("secret", name, "-n", namespace)
                _kubectl(session, "patch", *where, "--type=merge", "-p", body)
                done = True
    return done


def _listed(session: Session, what: str, namespace: str) -> list[dict[str, Any]]:
    said = _kubectl(session, "get", what, "-n", namespace, "-o", "json", "--show-managed-fields")
    return list(json.loads(said)["items"]) if said else []


def _since(obj: Mapping[str, Any]) -> str:
    return str(obj["metadata"]["creationTimestamp"])


def _is_rewritten(secret: Mapping[str, Any]) -> bool:
    """Whether it was written to after its creation: a fault may have, and to mend it is no harm."""
    writes = secret["metadata"].get("managedFields") or ()
    return any(write.get("time", "") > _since(secret) for write in writes)


def _is_kept(secret: Mapping[str, Any]) -> bool:
    """Whether a controller or a tool keeps a Secret for itself."""
    return secret["type"] in _KEPT or bool(secret["metadata"].get("ownerReferences"))


def _shuffled(encoded: str) -> str:
    """Other bytes, as many as before."""
    return b64encode(b64decode(encoded)[::-1] + b"-").decode()


# By the class of side effects that each is. What changes a template comes when rollouts are paused, so
# that no pod follows; the last ones let no pod start any more.
HARMS: Mapping[str, Callable[[Session, tuple[Component, ...]], None]] = MappingProxyType(
    {
        "anonymous-access": let_anybody_in,
        "config-emptied": empty_configuration,
        "deletion-blocked": hold_back,
        "rollouts-paused": pause_rollouts,
        "limits-removed": raise_limits,
        "nodes-cordoned": cordon_all,
        "pods-forbidden": forbid_pods,
        "workload-isolated": isolate,
    }
)


def possible(everything: tuple[Component, ...]) -> tuple[str, ...]:
    """The classes of those for which an application has what they need."""
    needed = {
        "config-emptied": any(_configuration(everything)),
        "deletion-blocked": any(_workloads(everything)),
        "rollouts-paused": any(kind == "deployment" for kind, *_ in _workloads(everything)),
        "limits-removed": any(_limited(everything)),
        "workload-isolated": len(set(_workloads(everything))) > 1,
    }
    return tuple(name for name in HARMS if needed.get(name, True))


def _namespaces(everything: tuple[Component, ...]) -> list[str]:
    return sorted({component.namespace for component in everything})


def _together(things: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], list[str]]:
    """Names, which come last, by what stands before them: one command is about all of these."""
    found: dict[tuple[str, ...], list[str]] = {}
    for *place, name in things:
        found.setdefault(tuple(place), []).append(name)
    return found


def _workloads(everything: tuple[Component, ...]) -> Iterator[tuple[str, str, str]]:
    """(kind, namespace, name) of what users do not drive themselves."""
    for component in everything:
        workload = component.workload
        if component.kind != "load" and workload.kind in ROLLING_KINDS:
            yield workload.kind.lower(), workload.namespace, workload.name


def _limited(everything: tuple[Component, ...]) -> list[Component]:
    """Deployments with a memory limit that users do not drive themselves."""
    return [
        component
        for component in everything
        if component.kind != "load"
        and component.workload.kind == "Deployment"
        and component.own_container.kind is ContainerKind.CONTAINER
        and component.memory_limit
    ]


def _configuration(everything: tuple[Component, ...]) -> Iterator[tuple[str, str]]:
    """(namespace, name) of the ConfigMaps of what users do not drive themselves."""
    for component in everything:
        for use in component.config:
            if use.source.kind == "ConfigMap" and component.kind != "load":
                yield use.source.namespace, use.source.name
