"""The configuration that an engineer on call may change, at one moment, and what changed since."""

from __future__ import annotations

import json
import re
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
# Settings of the system, how often its programs run, and what belongs to the whole cluster: all that
# is asked for at once, as each question is a step.
SYSTEM = "kube-system"
SYSTEM_KINDS = (
    "configmaps,deployments,statefulsets,nodes,persistentvolumes,storageclasses,priorityclasses,"
    "ingressclasses,apiservices,mutatingwebhookconfigurations,validatingwebhookconfigurations,"
    "validatingadmissionpolicies,validatingadmissionpolicybindings,"
    "mutatingadmissionpolicies,mutatingadmissionpolicybindings"
)
_NOT_SERVED = re.compile(r'the server doesn\'t have a resource type "([^"]+)"')
# These come and go with what they are for, and controllers write in them too: only what is
# different in one that stays is a change by a person or a controller.
_SHARED = ("Node", "PersistentVolume")
_SCALED = ("Deployment", "StatefulSet")
# What the server keeps for itself.
_OF_THE_SERVER = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields")
_OF_CONTROLLERS = ("deployment.kubernetes.io/revision",)
_TAINTS_OF_CONTROLLERS = "node.kubernetes.io/"

Snapshot = dict[str, dict[str, Any]]


def take(session: Session) -> Snapshot:
    """All configuration objects, by a name of their own; nothing for what cannot be read."""
    found: Snapshot = {}
    places = [(KINDS, namespace) for namespace in session.namespaces]
    if SYSTEM not in session.namespaces:
        places.append((SYSTEM_KINDS, SYSTEM))
    for kinds, namespace in places:
        for item in _items(session, kinds, namespace):
            if not item["metadata"].get("ownerReferences"):
                found[_name(item)] = _cleaned(item)
    return found


def _items(session: Session, kinds: str, namespace: str) -> list[dict[str, Any]]:
    result = session.kubectl(f"kubectl get {kinds} -n {namespace} -o json")
    missing = _NOT_SERVED.search(result.stderr)
    if missing is not None:
        # Older servers do not have all of them, and then answer for none.
        asked = kinds.split(",")
        left = [kind for kind in asked if kind != missing[1]]
        return _items(session, ",".join(left), namespace) if 0 < len(left) < len(asked) else []
    try:
        listed: list[dict[str, Any]] = json.loads(result.stdout)["items"]
    except (ValueError, KeyError):
        return []
    return listed


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
        if self.before is None:
            return _deleting(self.after or {})
        if self.after is None:
            return Command(("kubectl", "create", "-f", "-"), json.dumps(self.before))
        patch = merge_patch(self.after, self.before)
        if self.before["kind"] in _SHARED:
            return Command((*_about("patch", self.before), "--type=merge", "-p", json.dumps(patch)))
        replicas = self.before.get("spec", {}).get("replicas")
        if self.before["kind"] in _SCALED and patch == {"spec": {"replicas": replicas}}:
            return Command((*_about("scale", self.before), f"--replicas={replicas}"))
        return Command(("kubectl", "replace", "-f", "-"), json.dumps(self.before))

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.name} was created"
        return f"{self.name} was {'deleted' if self.after is None else 'changed'}"


def changes(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """What is different, by name."""
    names = sorted({*before, *after})
    found = (Change(name, before.get(name), after.get(name)) for name in names)
    return tuple(change for change in found if _is_one(change))


def merge_patch(source: Mapping[str, Any], target: Mapping[str, Any]) -> dict[str, Any]:
    """What makes one object the other, as a JSON merge patch."""
    patch: dict[str, Any] = {name: None for name in source if name not in target}
    for name, wanted in target.items():
        found = source.get(name)
        if isinstance(wanted, dict) and isinstance(found, dict):
            inside = merge_patch(found, wanted)
            if inside:
                patch[name] = inside
        elif found != wanted:
            patch[name] = wanted
    return patch


def _is_one(change: Change) -> bool:
    if change.before is None or change.after is None:
        return (change.before or change.after or {})["kind"] not in _SHARED
    return change.before != change.after


def _deleting(item: Mapping[str, Any]) -> Command:
    return Command(_about("delete", item))


def _about(verb: str, item: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of a command about one object."""
    metadata = item["metadata"]
    group = item["apiVersion"].rpartition("/")[0]
    resource = f"{item['kind'].lower()}.{group}" if group else item["kind"].lower()
    place = ("-n", metadata["namespace"]) if "namespace" in metadata else ()
    return ("kubectl", verb, resource, metadata["name"], *place)


def _name(item: Mapping[str, Any]) -> str:
    metadata = item["metadata"]
    place = f"{metadata['namespace']}/" if "namespace" in metadata else ""
    return f"{item['kind']} {place}{metadata['name']}"


def _cleaned(item: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {k: v for k, v in item["metadata"].items() if k not in _OF_THE_SERVER}
    if "annotations" in metadata:
        notes = metadata["annotations"].items()
        metadata["annotations"] = {k: v for k, v in notes if k not in _OF_CONTROLLERS}
        if not metadata["annotations"] or item["kind"] in _SHARED:
            del metadata["annotations"]
    kept = {key: value for key, value in item.items() if key != "status"}
    if item["kind"] in _SHARED:
        kept["spec"] = _of_people(item.get("spec", {}))
    return {**kept, "metadata": metadata}


def _of_people(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The specification of a node or volume without what controllers write there."""
    kept = dict(spec)
    taints = [taint for taint in spec.get("taints", ()) if not taint["key"].startswith(_TAINTS_OF_CONTROLLERS)]  # fmt: skip
    kept.pop("taints", None)
    if taints:
        kept["taints"] = taints
    if "claimRef" in kept:
        kept["claimRef"] = {k: v for k, v in kept["claimRef"].items() if k not in _OF_THE_SERVER}
    return kept
