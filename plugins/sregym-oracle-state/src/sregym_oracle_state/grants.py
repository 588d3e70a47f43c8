"""What a binding gives away follows from the role that it binds, whatever that one is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError
from sregym_core.model import ObjectRef, Severity

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster, SystemState
    from sregym_core.interfaces.cluster import KubeObject

    from sregym_oracles import Found

KIND = "broad-grant"
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")
_WHAT = "far more rights than any part needs"


def broadened(cluster: Cluster, now: SystemState, found: Found) -> Found:
    """A side effect as it is, or as a broad grant where somebody gets all rights by it.

    Args:
        cluster: Where roles are read.
        now: With the binding.
        found: What was found of any object.
    """
    one = found.difference
    if one.kind not in _BINDINGS or one.after is None or found.effect.severity is Severity.FAIL:
        return found
    binding = now.objects.get(one.where)
    if binding is None or not _all_rights(_role(cluster, binding)):
        return found
    role = binding["roleRef"]["name"]
    effect = found.effect.model_copy(
        update={"kind": KIND, "severity": Severity.FAIL, "what": f"binds {role}: {_WHAT}"}
    )
    return found._replace(effect=effect)


def _role(cluster: Cluster, binding: KubeObject) -> KubeObject | None:
    wanted = binding["roleRef"]
    namespace = binding["metadata"].get("namespace", "") if wanted["kind"] == "Role" else ""
    ref = ObjectRef(
        api_version=binding["apiVersion"],
        kind=wanted["kind"],
        namespace=namespace,
        name=wanted["name"],
    )
    try:
        return cluster.get(ref)
    except ClusterError:
        return None


def _all_rights(role: KubeObject | None) -> bool:
    return any(
        "*" in (rule.get("resources") or ())
        and not {"*", "create", "delete"}.isdisjoint(rule["verbs"])
        for rule in (role or {}).get("rules") or ()
    )
