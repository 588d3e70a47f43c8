"""What a binding or a role gives away follows from what it allows, whatever it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_core.interfaces import ClusterError
from sregym_core.model import ObjectRef, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces import Cluster, SystemState
    from sregym_core.interfaces.cluster import KubeObject

    from sregym_oracles import Found

KIND = "broad-grant"
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")
_ROLES = ("Role", "ClusterRole")
_WHAT = "far more rights than any part needs"
_WRITES = ("create", "update", "patch")


class _Power(NamedTuple):
    """A way to all rights there are in a namespace: Kubernetes' list of privilege escalation risks."""

    what: str
    resources: frozenset[str]
    verbs: frozenset[str]

    def within(self, rule: KubeObject) -> bool:
        """Whether a rule gives it, for objects of any name."""
        resources, verbs = set(rule.get("resources") or ()), set(rule["verbs"])
        known = "*" in resources or not self.resources.isdisjoint(resources)
        allowed = "*" in verbs or not self.verbs.isdisjoint(verbs)
        return known and allowed and not rule.get("resourceNames")


def _power(what: str, resources: str, *verbs: str) -> _Power:
    return _Power(what, frozenset(resources.split()), frozenset(verbs))


_POWERS = (
    _power(
        "run pods as any account",
        "pods deployments statefulsets daemonsets replicasets replicationcontrollers jobs cronjobs",
        *_WRITES,
    ),
    _power(
        "enter containers", "pods/exec pods/attach pods/ephemeralcontainers", "get", *_WRITES
    ),
    _power("read secrets", "secrets", "get", "list", "watch"),
    _power(
        "grant rights",
        "roles rolebindings clusterroles clusterrolebindings",
        "escalate", "bind", *_WRITES,
    ),
    _power("act as others", "users groups serviceaccounts", "impersonate"),
    _power("act as others", "serviceaccounts/token", "create"),
)  # fmt: skip


def broadened(cluster: Cluster, before: SystemState, now: SystemState, found: Found) -> Found:
    """A side effect as it is, or as a broad grant where it gives a subject a way to all rights.

    Args:
        cluster: Where roles are read that no state has.
        before: The healthy system: what an account could do then it may be given again.
        now: With the binding or role.
        found: What was found of any object.
    """
    one = found.difference
    if one.kind not in (*_BINDINGS, *_ROLES) or one.after is None:
        return found
    if found.effect.severity is Severity.FAIL or one.where not in now.objects:
        return found
    binding = now.objects[one.where]
    if one.kind in _BINDINGS and _all_rights(_role(cluster, now, binding)):
        return _broad(found, f"binds {binding['roleRef']['name']}")
    gained: set[str] = set()
    for subject in _holders(now, binding):
        gained |= {what for _, what in _more(cluster, before, now, subject)}
    return _broad(found, f"lets its subjects {', '.join(sorted(gained))}") if gained else found


def _broad(found: Found, what: str) -> Found:
    update = {"kind": KIND, "severity": Severity.FAIL, "what": f"{what}: {_WHAT}"}
    return found._replace(effect=found.effect.model_copy(update=update))


def _holders(state: SystemState, obj: KubeObject) -> set[tuple[str, ...]]:
    """Who has a binding, or a role by any binding."""
    bindings = [obj] if obj["kind"] in _BINDINGS else _binding(state, obj)
    return {
        _named(binding, subject)
        for binding in bindings
        for subject in binding.get("subjects") or ()
    }


def _binding(state: SystemState, role: KubeObject) -> list[KubeObject]:
    ref = ObjectRef.of(role)
    return [
        obj for obj in state.objects.values() if obj["kind"] in _BINDINGS and _role_ref(obj) == ref
    ]


def _named(binding: KubeObject, subject: KubeObject) -> tuple[str, ...]:
    place = ""
    if subject["kind"] == "ServiceAccount":
        place = subject.get("namespace") or binding["metadata"].get("namespace", "")
    return subject["kind"], place, subject["name"]


def _more(
    cluster: Cluster, before: SystemState, now: SystemState, subject: tuple[str, ...]
) -> set[tuple[str, str]]:
    """(namespace, power) of what a subject can do now and could not do before."""
    had = set(_held(cluster, before, subject))
    return {
        (place, what)
        for place, what in _held(cluster, now, subject)
        if (place, what) not in had and ("", what) not in had
    }


def _held(
    cluster: Cluster, state: SystemState, subject: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    for obj in state.objects.values():
        if obj["kind"] not in _BINDINGS:
            continue
        if subject in {_named(obj, one) for one in obj.get("subjects") or ()}:
            place = obj["metadata"].get("namespace", "")
            rules = (_role(cluster, state, obj) or {}).get("rules") or ()
            for power in _POWERS:
                if any(power.within(rule) for rule in rules):
                    yield place, power.what


def _role_ref(binding: KubeObject) -> ObjectRef:
    wanted = binding["roleRef"]
    namespace = binding["metadata"].get("namespace", "") if wanted["kind"] == "Role" else ""
    return ObjectRef(
        api_version=binding["apiVersion"],
        kind=wanted["kind"],
        namespace=namespace,
        name=wanted["name"],
    )


def _role(cluster: Cluster, state: SystemState, binding: KubeObject) -> KubeObject | None:
    ref = _role_ref(binding)
    if (known := state.objects.get(str(ref))) is not None:
        return known
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
