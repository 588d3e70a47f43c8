"""What a fault acts on: as a problem writes it down, and as it is once it was chosen.

A problem names a target by a mapping with one key, its kind; a plain text is a component:

    target: geo
    target: {component: {name: geo, container: proxy}}   # one of its containers
    target: {component: {name: geo, service: geo-admin}} # one of its Services
    target: {node: {runs: geo}}            # the node that runs a pod of geo
    target: {node: {role: worker}}         # any worker
    target: {link: {from: frontend, to: geo, both_ways: false}}
    target: {zone: {runs: geo}}
    target: {object: {api_version: v1, kind: ConfigMap, namespace: kube-system, name: coredns}}
    target: {namespace: hotel-reservation}
    target: {cluster: true}
    target: [geo, {node: {role: worker}}]  # the same fault in each of them
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from sregym_core.model.base import Shorthand, Value
from sregym_core.model.component import Component, ComponentPart, ObjectRef


class TargetKind(StrEnum):
    """What a fault can act on."""

    COMPONENT = "component"
    NODE = "node"
    LINK = "link"
    ZONE = "zone"
    OBJECT = "object"
    NAMESPACE = "namespace"
    CLUSTER = "cluster"


class ComponentChoice(Value):
    """A component, and what of it is meant.

    Attributes:
        name: Of the component.
        container: One of its containers; empty: the one that serves.
        service: One of its Services; empty: the one that carries its traffic.
    """

    name: str
    container: str = ""
    service: str = ""

    @property
    def parts(self) -> tuple[ComponentPart, ...]:
        """What it names besides the component."""
        named = ((ComponentPart.CONTAINER, self.container), (ComponentPart.SERVICE, self.service))
        return tuple(part for part, name in named if name)

    def __str__(self) -> str:
        words = [f"container {self.container}"] if self.container else []
        words += [f"Service {self.service}"] if self.service else []
        return f"{' and '.join(words)} of {self.name}" if words else self.name


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


class ComponentTarget(Value):
    """A component of the application; a plain text is its name."""

    component: Annotated[ComponentChoice, BeforeValidator(_named), Shorthand("string")]

    def __str__(self) -> str:
        return str(self.component)


class NodeChoice(Value):
    """Which node; all that is said must hold. Chosen by the episode's seed among those that fit.

    Attributes:
        name: This node; seeds make other names, so it suits real clusters only.
        runs: A node that runs a pod of this component.
        role: `worker` or `control-plane`.
        zone: A node in this zone.
    """

    name: str = ""
    runs: str = ""
    role: Literal["", "worker", "control-plane"] = ""
    zone: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> NodeChoice:
        if not (self.name or self.runs or self.role or self.zone):
            raise PydanticCustomError(
                "node_choice", "a node is chosen by `name`, `runs`, `role` or `zone`; none is given"
            )
        return self

    def __str__(self) -> str:
        if self.name:
            return f"node {self.name}"
        parts = [f"in zone {self.zone}"] if self.zone else []
        parts += [f"that runs {self.runs}"] if self.runs else []
        return " ".join(["the" if self.runs else "a", self.role, "node", *parts]).replace("  ", " ")


class ZoneChoice(Value):
    """Which zone: by its name, or the one in which a component runs."""

    name: str = ""
    runs: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> ZoneChoice:
        if not (self.name or self.runs):
            raise PydanticCustomError(
                "zone_choice", "a zone is chosen by `name` or `runs`; none is given"
            )
        return self

    def __str__(self) -> str:
        return f"zone {self.name}" if self.name else f"the zone that runs {self.runs}"


class NodeTarget(Value):
    """A node; a plain text is its name."""

    node: Annotated[NodeChoice, BeforeValidator(_named), Shorthand("string")]

    def __str__(self) -> str:
        return str(self.node)


class ZoneTarget(Value):
    """A zone: all nodes with the same `topology.kubernetes.io/zone`; a plain text is its name."""

    zone: Annotated[ZoneChoice, BeforeValidator(_named), Shorthand("string")]

    def __str__(self) -> str:
        return str(self.zone)


class ObjectTarget(Value):
    """An object of the Kubernetes API, one of the application or of the cluster."""

    object: ObjectRef

    def __str__(self) -> str:
        return str(self.object)


class NamespaceTarget(Value):
    """A namespace, by its name."""

    namespace: str

    def __str__(self) -> str:
        return f"namespace {self.namespace}"


class ClusterTarget(Value):
    """The whole cluster."""

    cluster: Literal[True] = True

    def __str__(self) -> str:
        return "the cluster"


_END_KINDS = (
    TargetKind.COMPONENT,
    TargetKind.NODE,
    TargetKind.ZONE,
    TargetKind.NAMESPACE,
    TargetKind.CLUSTER,
)


def _kind_of(value: Any) -> str | None:
    """The kind of a target by the one key that it has; what pydantic chooses the model with."""
    if isinstance(value, str):
        return str(TargetKind.COMPONENT)
    if isinstance(value, Value):
        names = list(type(value).model_fields)
    elif isinstance(value, dict):
        names = list(value)
    else:
        return None
    return str(names[0]) if len(names) == 1 and names[0] in set(TargetKind) else None


def _component_by_name(value: Any) -> Any:
    return {"component": value} if isinstance(value, str) else value


def _one_of(kinds: tuple[TargetKind, ...]) -> Discriminator:
    known = ", ".join(kinds)
    return Discriminator(
        _kind_of,
        custom_error_type="target",
        custom_error_message=f"this is the name of a component or a mapping with one key of: {known}",
    )


_Component: TypeAlias = Annotated[
    Annotated[ComponentTarget, BeforeValidator(_component_by_name), Shorthand("string")],
    Tag("component"),
]
_Node: TypeAlias = Annotated[NodeTarget, Tag("node")]
_Zone: TypeAlias = Annotated[ZoneTarget, Tag("zone")]
_Namespace: TypeAlias = Annotated[NamespaceTarget, Tag("namespace")]
_Cluster: TypeAlias = Annotated[ClusterTarget, Tag("cluster")]

PeerTarget: TypeAlias = Annotated[
    _Component | _Node | _Zone | _Namespace | _Cluster, _one_of(_END_KINDS)
]


class LinkChoice(Value):
    """The way between two ends.

    Attributes:
        source: Where packets begin (`from` in YAML).
        target: Where they go (`to` in YAML).
        both_ways: Whether packets in the other direction are meant too.
    """

    source: PeerTarget = Field(alias="from")
    target: PeerTarget = Field(alias="to")
    both_ways: bool = True

    def __str__(self) -> str:
        return f"link {self.source} {'-' if self.both_ways else '->'} {self.target}"


class LinkTarget(Value):
    """The way between two components, nodes, zones or namespaces, or from one to everything."""

    link: LinkChoice

    def __str__(self) -> str:
        return str(self.link)


Target: TypeAlias = Annotated[
    _Component
    | _Node
    | Annotated[LinkTarget, Tag("link")]
    | _Zone
    | Annotated[ObjectTarget, Tag("object")]
    | _Namespace
    | _Cluster,
    _one_of(tuple(TargetKind)),
]


def parse_target(data: Any) -> Target:
    """A target as a problem file names it: a text, a mapping, or already a target."""
    target: Target = _adapter().validate_python(data)
    return target


def named_in(target: Target) -> tuple[str, ...]:
    """Names of the components that a target names, in order."""
    if isinstance(target, ComponentTarget):
        return (target.component.name,)
    if isinstance(target, NodeTarget):
        return (target.node.runs,) if target.node.runs else ()
    if isinstance(target, ZoneTarget):
        return (target.zone.runs,) if target.zone.runs else ()
    if isinstance(target, LinkTarget):
        return (*named_in(target.link.source), *named_in(target.link.target))
    return ()


class Node(Value):
    """A node of the cluster; one that is still to be chosen has no name.

    Attributes:
        name: Of the Node object; empty when it is not chosen yet, as in listings.
        role: `worker` or `control-plane`; empty when unknown.
        zone: Value of `topology.kubernetes.io/zone`; empty when it has none.
        component: On whose account it was chosen, None when on that of none.
    """

    name: str = ""
    role: str = ""
    zone: str = ""
    component: Component | None = None

    def __str__(self) -> str:
        if self.name:
            return f"node {self.name}"
        runs = "" if self.component is None else self.component.name
        return f"the node that runs {runs}" if runs else f"a {self.role} node".replace("  ", " ")


class Zone(Value):
    """A zone; one that is still to be chosen has neither name nor nodes."""

    name: str = ""
    nodes: tuple[Node, ...] = ()
    component: Component | None = None

    def __str__(self) -> str:
        if self.name or self.component is None:
            return f"zone {self.name}"
        return f"the zone that runs {self.component.name}"


class Namespace(Value):
    """A namespace."""

    name: str

    def __str__(self) -> str:
        return f"namespace {self.name}"


class WholeCluster(Value):
    """The whole cluster; as the end of a link, everything."""

    def __str__(self) -> str:
        return "the cluster"


LinkEnd: TypeAlias = Component | Node | Zone | Namespace | WholeCluster


class Link(Value):
    """The way between two ends; see `LinkChoice`."""

    source: LinkEnd
    target: LinkEnd
    both_ways: bool = True

    def __str__(self) -> str:
        arrow = "-" if self.both_ways else "->"
        return f"link {name_of(self.source)} {arrow} {name_of(self.target)}"


# What a target is once it was chosen: what `Fault.fits` and `FaultContext.target` have.
FaultTarget: TypeAlias = Component | Node | Link | Zone | ObjectRef | Namespace | WholeCluster

_KINDS: tuple[tuple[type[Value], TargetKind], ...] = (
    (Component, TargetKind.COMPONENT),
    (Node, TargetKind.NODE),
    (Link, TargetKind.LINK),
    (Zone, TargetKind.ZONE),
    (ObjectRef, TargetKind.OBJECT),
    (Namespace, TargetKind.NAMESPACE),
    (WholeCluster, TargetKind.CLUSTER),
)


def kind_of(target: FaultTarget) -> TargetKind:
    """The kind of a chosen target."""
    return next(kind for model, kind in _KINDS if isinstance(target, model))


def name_of(target: FaultTarget) -> str:
    """A chosen target for people: a component by its name alone, others with their kind."""
    return target.name if isinstance(target, Component) else str(target)


@cache
def _adapter() -> TypeAdapter[Any]:
    """Made once: what it says of the types takes longer to work out than any value to read."""
    return TypeAdapter(Target)
