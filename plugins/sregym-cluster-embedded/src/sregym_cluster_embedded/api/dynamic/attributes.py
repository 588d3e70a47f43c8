"""What admission is asked about."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import conversion
from sregym_cluster_embedded.api.dynamic.elapsed import Elapsed
from sregym_cluster_embedded.api.request import User

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object

# Below objects of these names there are objects of other kinds.
OF_ANOTHER_KIND = frozenset(
    ("attach", "binding", "eviction", "exec", "portforward", "proxy", "scale", "token")
)
# As whom the controllers write: one certificate for all of them.
CONTROLLERS = User("system:kube-controller-manager", ("system:authenticated",))
SCHEDULER = User("system:kube-scheduler", ("system:authenticated",))


def kubelet_of(node: str) -> User:
    """As whom the kubelet of a node writes."""
    return User(f"system:node:{node}", ("system:nodes", "system:authenticated"))


@dataclass
class Attributes:
    """One request as admission sees it.

    Attributes:
        operation: `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
        kind: The type in the version of the request.
        obj: The new object in the version of storage; None for a deletion.
        old: The object as it was; None for a creation.
        user: Who asks.
        namespace: Of the object; empty for types without.
        name: Of the object.
        subresource: `status`, `scale`, ...
        dry_run: Whether nothing is to be stored.
        options: CreateOptions, UpdateOptions, DeleteOptions of the request.
        warnings: Where texts for the answer's Warning headers go.
        elapsed: What webhooks have taken of the time of the request.
    """

    operation: str
    kind: Resource
    obj: Object | None
    old: Object | None = None
    user: User = CONTROLLERS
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    dry_run: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    elapsed: Elapsed = field(default_factory=Elapsed)

    def served(self, resource: Resource, obj: Object | None) -> Object | None:
        """An object in the version of `resource`."""
        if obj is None or self.subresource in OF_ANOTHER_KIND:
            return obj
        return conversion.to_served(resource, obj)

    def with_object(self, obj: Object) -> Attributes:
        """The same request about another object."""
        return replace(self, obj=obj)

    def group_version_kind(self, resource: Resource) -> dict[str, str]:
        """Kind of the object as a webhook that asked for `resource` sees it."""
        sub = resource.subresource(self.subresource) if self.subresource else None
        if sub is not None and sub.kind:
            group = sub.group or resource.group
            return {"group": group, "version": sub.version or resource.version, "kind": sub.kind}
        return {"group": resource.group, "version": resource.version, "kind": resource.kind}


def options_of(operation: str, values: dict[str, Any] | None = None) -> dict[str, Any]:
    """The options object of a request."""
    kinds = {"CREATE": "CreateOptions", "UPDATE": "UpdateOptions", "DELETE": "DeleteOptions"}
    if operation not in kinds:
        return {}
    return {"kind": kinds[operation], "apiVersion": "meta.k8s.io/v1", **(values or {})}
