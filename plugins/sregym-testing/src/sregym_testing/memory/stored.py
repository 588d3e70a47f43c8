"""Under which address objects are kept, and what is noted in them of those who write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces.cluster import KubeObject


_SCOPED_BY_NAME = (
    *("Namespace", "Node", "PersistentVolume", "ClusterRole", "ClusterRoleBinding"),
    *("PriorityClass", "StorageClass", "IngressClass", "CustomResourceDefinition"),
    *("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"),
    *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
    *("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"),
    *("FlowSchema", "PriorityLevelConfiguration"),
)


def reference(obj: KubeObject) -> ObjectRef:
    """The address under which an object is kept: in `default` where it must have a namespace."""
    scoped = obj["kind"] in _SCOPED_BY_NAME
    namespace = "" if scoped else obj["metadata"].get("namespace", "default")
    return ObjectRef.of(obj).model_copy(update={"namespace": namespace})


def managed(
    old: KubeObject, manager: str, moment: str, api_version: str
) -> Sequence[dict[str, Any]]:
    """Who wrote, and when last; which fields is not kept."""
    kept = [entry for entry in old.get("managedFields", ()) if entry["manager"] != manager]
    entry = {"manager": manager, "operation": "Update", "apiVersion": api_version, "time": moment}
    return [*kept, entry]
