"""The configuration of the application's namespaces at one moment, and what changed since."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Session

# What people write; what controllers make of it follows by itself.
KINDS = (
    "deployments,statefulsets,daemonsets,cronjobs,services,configmaps,secrets,serviceaccounts,"
    "persistentvolumeclaims,networkpolicies,ingresses,horizontalpodautoscalers,"
    "poddisruptionbudgets,resourcequotas,limitranges,roles,rolebindings"
)
# What the server keeps for itself.
_OF_THE_SERVER = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields")
_OF_CONTROLLERS = ("deployment.kubernetes.io/revision",)

Snapshot = dict[str, dict[str, Any]]


def take(session: Session) -> Snapshot:
    """All configuration objects, by a name of their own; nothing for what cannot be read."""
    found: Snapshot = {}
    for namespace in session.namespaces:
        result = session.kubectl(f"kubectl get {KINDS} -n {namespace} -o json")
        try:
            items = json.loads(result.stdout)["items"]
        except (ValueError, KeyError):
            continue
        for item in items:
            if not item["metadata"].get("ownerReferences"):
                found[_name(item)] = _cleaned(item)
    return found


@dataclass(frozen=True)
class Change:
    """One object that is not as it was.

    Attributes:
        name: Kind, namespace and name.
        before: As it was; None when it did not exist.
        after: As it became; None when it is gone.
    """

    name: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None

    def undoing(self) -> Command:
        """The command that puts it back."""
        if self.before is not None:
            verb = "create" if self.after is None else "replace"
            return Command(("kubectl", verb, "-f", "-"), json.dumps(self.before))
        made = self.after or {}
        metadata = made["metadata"]
        group = made["apiVersion"].rpartition("/")[0]
        resource = f"{made['kind'].lower()}.{group}" if group else made["kind"].lower()
        return Command(
            ("kubectl", "delete", resource, metadata["name"], "-n", metadata["namespace"])
        )

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.name} was created"
        return f"{self.name} was {'deleted' if self.after is None else 'changed'}"


def changes(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """What is different, by name."""
    names = sorted({*before, *after})
    pairs = ((name, before.get(name), after.get(name)) for name in names)
    return tuple(Change(*each) for each in pairs if each[1] != each[2])


def _name(item: Mapping[str, Any]) -> str:
    metadata = item["metadata"]
    return f"{item['kind']} {metadata['namespace']}/{metadata['name']}"


def _cleaned(item: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {k: v for k, v in item["metadata"].items() if k not in _OF_THE_SERVER}
    if "annotations" in metadata:
        notes = metadata["annotations"].items()
        metadata["annotations"] = {k: v for k, v in notes if k not in _OF_CONTROLLERS}
        if not metadata["annotations"]:
            del metadata["annotations"]
    kept = {key: value for key, value in item.items() if key != "status"}
    return {**kept, "metadata": metadata}
