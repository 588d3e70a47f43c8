"""Requests of everyday life that leave nothing behind: things for a while, and what is refused.

Without them the only deletion of a day, and the only refused request, would be
those of a fault.
"""

from __future__ import annotations

from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Actor, ClusterError
from sregym_core.interfaces.actor import KUBECTL_AGENT
from sregym_core.model import ObjectRef
from sregym_kubernetes.changes.delivery import CREATED, EDIT, PATCH
from sregym_kubernetes.changes.people import as_chosen_person

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_core.interfaces import Application, Cluster
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

    from sregym_routine_kubernetes.moments import Moment

    Save = Callable[[ObjectRef, KubeObject | None], None]

# Things that are made and taken away within the time before the baseline, and after a fault.
PASSING, PASSING_AFTER = (3, 8), (1, 5)
# Requests that are refused in the same times.
REFUSED, REFUSED_AFTER = (4, 10), (0, 4)
# Things as old as the application whose purpose is forgotten.
LEFT = (2, 6)
_FOR_A_WHILE = ("canary", "debug", "tmp", "preview")
_OLD = ("legacy", "old", "v1", "migrated")
# Programs that try what they have no right to.
_ACCOUNTS = (
    ("ci:deployer", KUBECTL_AGENT),
    ("ci:runner", "Go-http-client/2.0"),
    ("monitoring:prometheus-adapter", "adapter/v0.12.0 (linux/amd64) kubernetes/93248f9"),
    ("tools:cost-reporter", "OpenAPI-Generator/31.0.0/python"),
    ("tools:reloader", "reloader/v1.2.0 (linux/amd64) kubernetes/$Format"),
)


def create_leftovers(cluster: Cluster, parts: Sequence[Component], seed: int) -> None:
    """Make some things beside an application that has just been deployed, for others to find."""
    chance = Random(f"left behind, seed {seed}")  # noqa: S311 - a game, no secret
    for part in _some(parts, LEFT, chance):
        obj = _thing(part, chance.choice(_OLD), chance)
        if cluster.get(ObjectRef.of(obj)) is None:  # the application has one, or it was drawn twice
            cluster.create(obj, as_chosen_person(cluster, CREATED, part.name))


def cleared(cluster: Cluster, application: Application, span: float, seed: int) -> Iterator[Moment]:
    """A person deletes what was left behind; yields when and how."""
    chance = Random(f"cleared, seed {seed}")  # noqa: S311 - a game, no secret
    declared = {str(ObjectRef.of(obj)) for obj in application.manifests()}
    names = {f"{_own_name(part)}-{word}" for part in application.components() for word in _OLD}
    for namespace in application.namespaces:
        for kind in _KINDS:
            for obj in cluster.list("v1", kind, namespace):
                ref = ObjectRef.of(obj)
                if ref.name in names and str(ref) not in declared:
                    yield round(chance.uniform(0.0, span), 3), _deletion(cluster, ref)


def requests(
    cluster: Cluster,
    parts: Sequence[Component],
    span: float,
    counts: tuple[tuple[int, int], tuple[int, int]],
    chance: Random,
    save: Save,
) -> Iterator[Moment]:
    """Requests within a time that leave nothing behind; yields when and how.

    Args:
        cluster: Where.
        parts: The parts whose objects they are about.
        span: Seconds.
        counts: Bounds of how many things pass, and of how many requests are refused.
        chance: From which all of it derives.
        save: Called with what is made, before it is made.
    """
    passing, refused = counts
    for part in _some(parts, passing, chance):
        obj = _passing(part, chance.choice(_FOR_A_WHILE), chance)
        first, last = sorted(round(chance.uniform(0.0, span), 3) for _ in range(2))
        yield first, _creation(cluster, obj, save)
        yield last, _deletion(cluster, ObjectRef.of(obj))
    for part in _some(parts, refused, chance):
        yield round(chance.uniform(0.0, span), 3), _refusal(cluster, part, chance)


def tried_out(cluster: Cluster, part: Component, chance: Random, save: Save) -> Callable[[], None]:
    """How a person creates configuration of a part that none of its programs reads yet."""
    kind = chance.choice(("ConfigMap", "ConfigMap", "Secret"))
    return _creation(cluster, _thing(part, chance.choice(_FOR_A_WHILE), chance, kind), save)


def _some(
    parts: Sequence[Component], bounds: tuple[int, int], chance: Random
) -> Sequence[Component]:
    return chance.choices(parts, k=chance.randint(*bounds)) if parts else ()


_KINDS = ("Service", "ConfigMap", "Secret")


def _own_name(part: Component) -> str:
    """Its name in its own application: of several in a cluster, what stands before tells which."""
    return part.name.rpartition("/")[2]


def _thing(part: Component, word: str, chance: Random, kind: str = "") -> KubeObject:
    """A Service, ConfigMap or Secret that no program reads or asks; of any of these kinds if none is named."""
    # A Service that led nowhere would raise alerts.
    kind = kind or chance.choice(_KINDS if part.ports else _KINDS[1:])
    metadata = {"name": f"{_own_name(part)}-{word}", "namespace": part.namespace}
    obj: dict[str, Any] = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
    if kind == "Service":
        ports = [{"port": part.ports[0].port, "targetPort": part.ports[0].target_port}]
        return {**obj, "spec": {"selector": dict(part.pod_labels), "ports": ports}}
    if kind == "ConfigMap":
        return {**obj, "data": {"NOTE": f"{word} settings of {_own_name(part)}"}}
    return {**obj, "stringData": {"token": f"{chance.randrange(16**24):024x}"}}


def _passing(part: Component, word: str, chance: Random) -> KubeObject:
    """Something of any kind that people try out for a while, about no pod that there is."""
    kind = chance.choice((*_KINDS, *_TRIED))
    if kind in _KINDS:
        return _thing(part, word, chance)
    name = f"{_own_name(part)}-{word}"
    nobody = {"matchLabels": {"app": name}}
    metadata = {"name": name, "namespace": part.namespace}
    return {"kind": kind, "metadata": metadata, **_TRIED[kind](nobody)}


# What the kinds that are only tried out have besides metadata; given a selector of no pod.
_TRIED: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = MappingProxyType(
    {
        "NetworkPolicy": lambda nobody: {
            "apiVersion": "networking.k8s.io/v1",
            "spec": {"podSelector": nobody, "policyTypes": ["Ingress"]},
        },
        "PodDisruptionBudget": lambda nobody: {
            "apiVersion": "policy/v1",
            "spec": {"selector": nobody, "maxUnavailable": 1},
        },
        "ServiceAccount": lambda _nobody: {"apiVersion": "v1"},
        "Role": lambda _nobody: {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}],
        },
        "RoleBinding": lambda nobody: {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "Role",
                "name": nobody["matchLabels"]["app"],
            },
            "subjects": [{"kind": "ServiceAccount", "name": nobody["matchLabels"]["app"]}],
        },
    }
)


def _creation(cluster: Cluster, obj: KubeObject, save: Save) -> Callable[[], None]:
    def act() -> None:
        ref = ObjectRef.of(obj)
        if cluster.get(ref) is None:
            save(ref, None)
            _tried(lambda: cluster.create(obj, as_chosen_person(cluster, CREATED, ref)))

    return act


def _deletion(cluster: Cluster, ref: ObjectRef) -> Callable[[], None]:
    return lambda: _tried(lambda: cluster.delete(ref, actor=as_chosen_person(cluster, PATCH, ref)))


def _refusal(cluster: Cluster, part: Component, chance: Random) -> Callable[[], None]:
    """A request that the server refuses, as it would for anybody at any time."""
    ref = part.workload
    account, agent = chance.choice(_ACCOUNTS)
    limited = Actor("deploy", agent, f"system:serviceaccount:{account}", limited=True)
    replicas = chance.randint(2, 6)
    missing = ref.model_copy(update={"name": f"{ref.name}-{chance.choice(_OLD)}"})
    kind = chance.choice(("right", "right", "value", "missing"))
    if kind == "right":
        return lambda: _tried(
            lambda: cluster.patch(ref, {"spec": {"replicas": replicas}}, "merge", limited)
        )
    if kind == "value":
        return lambda: _tried(
            lambda: cluster.patch(
                ref,
                {"spec": {"replicas": -replicas}},
                "merge",
                as_chosen_person(cluster, EDIT, ref),
            )
        )
    labels = {"metadata": {"labels": {"team": "core"}}}
    return lambda: _tried(
        lambda: cluster.patch(missing, labels, "merge", as_chosen_person(cluster, PATCH, missing))
    )


def _tried(request: Callable[[], object]) -> None:
    try:
        request()
    except ClusterError:
        return  # refused: the log of requests has it
