"""What stays hidden: objects that a fault's journal marks, and all that belongs to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.model import ObjectRef

    from sregym_kubernetes.target import Target

# Owners that make objects named after themselves: what owns a ReplicaSet is told by its name.
_MAKERS = {
    "ReplicaSet": ("apps", "deployments"),
    "Job": ("batch", "cronjobs"),
    "EndpointSlice": ("", "services"),
}
_MADE = {
    ("", "pods"): "Pod",
    ("metrics.k8s.io", "pods"): "Pod",
    ("apps", "replicasets"): "ReplicaSet",
    ("batch", "jobs"): "Job",
    ("discovery.k8s.io", "endpointslices"): "EndpointSlice",
}


class RedactionPolicy:
    """Decides by address; looks at the list of hidden objects anew each time.

    Args:
        hidden: The objects. A Namespace hides all in it, a CustomResourceDefinition its group.
    """

    def __init__(self, hidden: Callable[[], Sequence[ObjectRef]]) -> None:
        self._hidden = hidden

    @property
    def empty(self) -> bool:
        """Whether nothing is hidden."""
        return not self._hidden()

    @property
    def refs(self) -> Sequence[ObjectRef]:
        """The objects that are hidden now, without what belongs to them."""
        return self._hidden()

    def hides(self, group: str, resource: str, namespace: str, name: str) -> bool:
        """Whether the object with this address is hidden."""
        if self.hides_group(group):
            return True
        for ref in self._hidden():
            if ref.kind == "Namespace" and ref.name == namespace:
                return True
            place = (_group(ref.api_version), plural(ref.kind), ref.namespace, ref.name)
            if place == (group, resource, namespace, name):
                return True
        return False

    def hides_group(self, group: str) -> bool:
        """Whether an API group is hidden."""
        return bool(group) and any(
            ref.kind == "CustomResourceDefinition" and ref.name.partition(".")[2] == group
            for ref in self._hidden()
        )

    def hides_target(self, target: Target) -> bool:
        """Whether a request is for a hidden object, or for a part of one."""
        namespace = "" if target.resource == "namespaces" else target.namespace
        if self.hides(target.group, target.resource, namespace, target.name):
            return True
        return self._made(target.group, target.resource, namespace, target.name)

    def hides_object(self, group: str, resource: str, metadata: Mapping[str, Any]) -> bool:
        """Whether an object is hidden, itself or by what it belongs to."""
        namespace, name = str(metadata.get("namespace", "")), str(metadata.get("name", ""))
        if self.hides(group, resource, namespace, name):
            return True
        if any(
            self._hides_owner(owner, namespace) for owner in metadata.get("ownerReferences") or ()
        ):
            return True
        if resource == "apiservices":
            return self.hides_group(name.partition(".")[2])
        # An object without an owner is recognised by its name: the metrics of a pod, for instance.
        return self._made(group, resource, namespace, name)

    def hides_pod(self, namespace: str, name: str) -> bool:
        """Whether a pod is hidden: itself, its namespace, or the workload that made it."""
        return self.hides("", "pods", namespace, name) or self._of_maker("Pod", namespace, name)

    def hides_event(self, event: Mapping[str, Any]) -> bool:
        """Whether an event is about a hidden object."""
        about = event.get("involvedObject") or event.get("regarding") or {}
        kind, name = str(about.get("kind", "")), str(about.get("name", ""))
        namespace = "" if kind == "Namespace" else str(about.get("namespace", ""))
        group = _group(str(about.get("apiVersion", "")))
        return self.hides(group, plural(kind), namespace, name) or self._of_maker(
            kind, namespace, name
        )

    def _made(self, group: str, resource: str, namespace: str, name: str) -> bool:
        """Whether a hidden object made the object with this address."""
        if not name:
            return False
        kind = _MADE.get((group, resource), "")
        return bool(kind) and self._of_maker(kind, namespace, name)

    def _hides_owner(self, owner: Mapping[str, Any], namespace: str) -> bool:
        kind, name = str(owner.get("kind", "")), str(owner.get("name", ""))
        group = _group(str(owner.get("apiVersion", "")))
        return self.hides(group, plural(kind), namespace, name) or self._of_maker(
            kind, namespace, name
        )

    def _of_maker(self, kind: str, namespace: str, name: str) -> bool:
        """Whether a hidden object made this one, by its name: `tool-5d4f8` is of `tool`."""
        pieces = name.split("-")
        if kind == "Pod":
            makers = [
                ("apps", "deployments", 2),
                ("apps", "daemonsets", 1),
                ("apps", "statefulsets", 1),
                ("apps", "replicasets", 1),
                ("", "replicationcontrollers", 1),
                ("batch", "jobs", 1),
                ("batch", "cronjobs", 2),
            ]
            return any(
                len(pieces) > drop
                and self.hides(group, resource, namespace, "-".join(pieces[:-drop]))
                for group, resource, drop in makers
            )
        if kind not in _MAKERS:
            return False
        return self.hides(*_MAKERS[kind], namespace, "-".join(pieces[:-1]))


def plural(kind: str) -> str:
    """The resource of a kind, by the rule that all built-in ones follow."""
    name = kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "ch")) else f"{name}s"


def _group(api_version: str) -> str:
    return api_version.partition("/")[0] if "/" in api_version else ""
