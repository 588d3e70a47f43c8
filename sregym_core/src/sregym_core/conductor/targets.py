"""Choosing targets: what a problem writes down becomes a component, a node, a link ...

Names of nodes follow from the seed, so problems name them by what they run or by their role; which
one is meant is found out here, in a cluster. Without a cluster, for listings and checks, nodes and
zones stay without names.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from sregym_core.errors import MissingCapabilityError, UsageError, WorldError
from sregym_core.interfaces import node_access
from sregym_core.model import (
    ClusterTarget,
    Component,
    ComponentPart,
    ComponentTarget,
    Link,
    LinkChoice,
    LinkTarget,
    Namespace,
    NamespaceTarget,
    Node,
    NodeTarget,
    ObjectRef,
    ObjectTarget,
    TargetKind,
    WholeCluster,
    Zone,
    ZoneChoice,
    ZoneTarget,
    parse_target,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sregym_core.interfaces import Application, Cluster, Fault, FaultContext
    from sregym_core.model import FaultTarget, LinkEnd, NodeChoice, Target


class Chooser:
    """Chooses the targets of one episode.

    Args:
        component: Gives a component by name; raises when there is none.
        cluster: Where; None leaves nodes and zones open.
        seed: All chance derives from it.
        taken: Names of nodes that other targets are already.
    """

    def __init__(
        self,
        component: Callable[[str], Component],
        cluster: Cluster | None = None,
        seed: int = 0,
        taken: Sequence[str] = (),
    ) -> None:
        self._component = component
        self._cluster = cluster
        self._seed = seed
        # No two targets of a problem that leave the choice open are the same node.
        self._taken = list(taken)

    def choose(self, target: Target) -> FaultTarget:
        """The target that is meant.

        Raises:
            UsageError: It names a component that the application does not have.
            WorldError: No node or zone of this cluster is as wanted.
        """
        if isinstance(target, LinkTarget):
            return self._link(target.link)
        if isinstance(target, ObjectTarget):
            return target.object
        return self._end(target)

    def _end(self, target: Target) -> LinkEnd:
        if isinstance(target, ComponentTarget):
            choice = target.component
            return self._component(choice.name).pointed_at(choice.container, choice.service)
        if isinstance(target, NodeTarget):
            return self._node(target.node)
        if isinstance(target, ZoneTarget):
            return self._zone(target.zone)
        if isinstance(target, NamespaceTarget):
            return Namespace(name=target.namespace)
        assert isinstance(target, ClusterTarget)  # the model allows nothing else as an end
        return WholeCluster()

    def _link(self, choice: LinkChoice) -> Link:
        ends = self._end(choice.source), self._end(choice.target)
        return Link(source=ends[0], target=ends[1], both_ways=choice.both_ways)

    def _node(self, choice: NodeChoice) -> Node:
        component = self._component(choice.runs) if choice.runs else None
        if self._cluster is None:
            return Node(name=choice.name, role=choice.role, zone=choice.zone, component=component)
        fitting = [
            node
            for node in self._cluster.operations.nodes()
            if choice.name in ("", node.name)
            and choice.role in ("", node.role)
            and choice.zone in ("", node.zone)
        ]
        if component is not None:
            running = self._cluster.operations.nodes_running(component)
            fitting = [node for node in fitting if node.name in running]
        free = [node for node in fitting if node.name not in self._taken] or fitting
        if not free:
            known = ", ".join(node.name for node in self._cluster.operations.nodes()) or "none"
            msg = f"no node of the cluster is {choice}; nodes: {known}"
            raise WorldError(msg)
        names = sorted(node.name for node in free)
        # Which one follows from the seed alone, not from how many were chosen before it.
        chance = Random(f"node for {choice}, seed {self._seed}")  # noqa: S311 - a game, no secret
        name = chance.choice(names)
        self._taken.append(name)
        found = next(node for node in free if node.name == name)
        return found.model_copy(update={"component": component})

    def _zone(self, choice: ZoneChoice) -> Zone:
        component = self._component(choice.runs) if choice.runs else None
        if self._cluster is None:
            return Zone(name=choice.name, component=component)
        nodes = self._cluster.operations.nodes()
        zones = sorted({node.zone for node in nodes if node.zone})
        fitting = [zone for zone in zones if choice.name in ("", zone)]
        if component is not None:
            running = self._cluster.operations.nodes_running(component)
            places = {node.zone for node in nodes if node.name in running}
            fitting = [zone for zone in fitting if zone in places]
        if not fitting:
            known = ", ".join(zones) or "none"
            msg = f"no zone of the cluster is {choice}; zones: {known}"
            raise WorldError(msg)
        chance = Random(f"zone for {choice}, seed {self._seed}")  # noqa: S311 - a game, no secret
        name = chance.choice(fitting)
        inside = tuple(node for node in nodes if node.zone == name)
        return Zone(name=name, nodes=inside, component=component)


def demand_capabilities(cluster: Cluster, faults: Sequence[tuple[Fault, FaultContext]]) -> None:
    """Refuse faults that need of the cluster's nodes what it cannot do there, by trial.

    Raises:
        MissingCapabilityError: With the capability, the node and what was seen.
    """
    for fault, context in faults:
        whose = f"fault {fault.name!r}"
        if not fault.needs:
            continue
        access = node_access(cluster, fault.needs, whose)
        for node in names_of_nodes(context.target):
            for capability in fault.needs:
                if seen := access.examine(node, capability):
                    msg = f"{whose} needs {capability}: {seen}"
                    raise MissingCapabilityError(msg)


def names_of_nodes(target: FaultTarget) -> tuple[str, ...]:
    """Names of the nodes that a chosen target is or contains."""
    if isinstance(target, Node):
        return (target.name,)
    if isinstance(target, Zone):
        return tuple(node.name for node in target.nodes)
    if isinstance(target, Link):
        return (*names_of_nodes(target.source), *names_of_nodes(target.target))
    return ()


def is_open(target: Target) -> bool:
    """Whether which node or zone is meant is decided only when the fault comes."""
    if isinstance(target, LinkTarget):
        return is_open(target.link.source) or is_open(target.link.target)
    return isinstance(target, NodeTarget | ZoneTarget)


def candidates(
    application: Application,
    kinds: Sequence[TargetKind],
    parts: Sequence[ComponentPart] = (),
) -> Iterator[tuple[Target, FaultTarget]]:
    """Everything of an application that could be a target of these kinds, as written and chosen.

    Args:
        application: Whose.
        kinds: Of targets.
        parts: What of components may be named besides; see `Fault.parts`.
    """
    components = {part.name: part for part in application.components()}

    def named(name: str) -> Component:
        if name not in components:
            msg = f"application {application.name!r} has no component {name!r}"
            raise UsageError(msg)
        return components[name]

    chooser = Chooser(named)
    for kind in TargetKind:
        if kind in kinds:
            for target in _written(application, kind):
                yield target, chooser.choose(target)
    if TargetKind.COMPONENT in kinds:
        for target in _parts(application, parts):
            yield target, chooser.choose(target)


def _parts(application: Application, parts: Sequence[ComponentPart]) -> Iterator[Target]:
    """Containers and Services of components that are not meant when only the component is named."""
    for part in application.components():
        others = [("container", c.name) for c in part.containers if c.name != part.container]
        others += [("service", s.ref.name) for s in part.services if s.ref != part.service]
        for field, name in others:
            if field in parts:
                yield parse_target({"component": {"name": part.name, field: name}})


def _written(application: Application, kind: TargetKind) -> Iterator[Target]:
    """Everything of an application that is of a kind, as problems write it down."""
    names = [part.name for part in application.components()]
    callers = [(part.name, name) for part in application.components() for name in part.callers]
    written: dict[TargetKind, Sequence[Any]] = {
        TargetKind.COMPONENT: names,
        TargetKind.NODE: [
            *({"node": {"runs": name}} for name in names),
            {"node": {"role": "worker"}},
        ],
        TargetKind.LINK: [
            {"link": {"from": ends[1], "to": ends[0]}} for ends in callers if ends[1] in names
        ],
        TargetKind.ZONE: [{"zone": {"runs": name}} for name in names],
        TargetKind.OBJECT: [
            ObjectTarget(object=ObjectRef.of(obj)) for obj in application.manifests()
        ],
        TargetKind.NAMESPACE: [{"namespace": name} for name in application.namespaces],
        TargetKind.CLUSTER: [{"cluster": True}],
    }
    return map(parse_target, written[kind])
