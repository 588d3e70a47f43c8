"""What Pod Security says of pods, of what makes pods, and of namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.pod_security import baseline, restricted
from sregym_cluster_embedded.api.pod_security.policy import FREE, Standard, governs, policy_of
from sregym_cluster_embedded.api.pod_security.violations import subject
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_cluster_embedded.api.pod_security.policy import Policy
    from sregym_cluster_embedded.api.pod_security.violations import Finding, Subject
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

    Check = Callable[[Subject], Finding | None]

# How many of a namespace's pods are looked at when its level changes.
_MOST_PODS = 3000
_TEMPLATED = {
    "podtemplates": ("template",),
    "replicationcontrollers": ("spec", "template"),
    "deployments.apps": ("spec", "template"),
    "replicasets.apps": ("spec", "template"),
    "statefulsets.apps": ("spec", "template"),
    "daemonsets.apps": ("spec", "template"),
    "jobs.batch": ("spec", "template"),
    "cronjobs.batch": ("spec", "jobTemplate", "spec", "template"),
}


def enforce(world: World, kind: Resource, pod: Object, old: Object | None = None) -> None:
    """Refuse a pod that its namespace does not allow; a change only when it is about images.

    Raises:
        errors.ApiError: Forbidden.
    """
    standard = _policy(world, pod["metadata"]["namespace"]).enforce
    if not standard.level or (old is not None and not _significant(pod, old)):
        return
    found = _findings(standard, pod["metadata"], pod["spec"])
    if found:
        why = f'violates PodSecurity "{standard}": {_detail(found)}'
        raise errors.forbidden(kind, pod["metadata"]["name"], why)


def warnings(world: World, kind: Resource, new: Object, old: Object | None) -> list[str]:
    """What an answer to a write of a pod, or of something that makes pods, warns of."""
    path = _TEMPLATED.get(kind.name)
    if path is None and kind.name != "pods":
        return []
    standard = _policy(world, new["metadata"]["namespace"]).warn
    if not standard.level or (path is None and old is not None and not _significant(new, old)):
        return []
    template = new
    for field in path or ():
        template = template.get(field) or {}
    if "spec" not in template:
        return []
    found = _findings(standard, template.get("metadata") or {}, template["spec"])
    return [f'would violate PodSecurity "{standard}": {_detail(found)}'] if found else []


def check_labels(kind: Resource, new: Object, old: Object | None) -> None:
    """Refuse labels of a namespace that express no policy, unless they did not before either.

    Raises:
        errors.ApiError: Invalid.
    """
    labels = new["metadata"].get("labels") or {}
    if not governs(labels):
        return
    causes = policy_of(labels)[1]
    if not causes:
        return
    if old is not None and policy_of(old["metadata"].get("labels") or {})[1] == causes:
        return
    raise errors.invalid(kind.group, kind.kind, new["metadata"]["name"], causes)


def namespace_warnings(world: World, new: Object, old: Object) -> list[str]:
    """Which pods of a namespace a stricter level would refuse, had they come later."""
    after = policy_of(new["metadata"].get("labels") or {})[0].enforce
    before = policy_of(old["metadata"].get("labels") or {})[0].enforce
    if after == before or not after.level:
        return []
    if after.minor == before.minor and after.level <= before.level:
        return []
    name = new["metadata"]["name"]
    pods = world.store.list("pods", name)
    named: dict[str, list[str]] = {}
    for pod in pods[:_MOST_PODS]:
        found = _findings(after, pod["metadata"], pod["spec"])
        if found:
            reasons = ", ".join(finding.reason for finding in found)
            named.setdefault(reasons, []).append(pod["metadata"]["name"])
    texts: list[str] = []
    if len(pods) > _MOST_PODS:
        texts.append(
            f"new PodSecurity enforce level only checked against the first {_MOST_PODS} "
            f"of {len(pods)} existing pods"
        )
    if named:
        texts.append(
            f'existing pods in namespace "{name}" violate the new PodSecurity '
            f'enforce level "{after}"'
        )
    return texts + sorted(_counted(names, reasons) for reasons, names in named.items())


def _counted(names: list[str], reasons: str) -> str:
    others = len(names) - 1
    if not others:
        return f"{min(names)}: {reasons}"
    return f"{min(names)} (and {others} other pod{'s' if others > 1 else ''}): {reasons}"


def _policy(world: World, namespace: str) -> Policy:
    place = world.store.get(Key("namespaces", "", namespace))
    labels = place["metadata"].get("labels") if place is not None else None
    return policy_of(labels)[0] if labels and governs(labels) else FREE


def _significant(new: Object, old: Object) -> bool:
    """Whether an update of a pod changes what the checks look at."""
    for field in ("containers", "initContainers", "ephemeralContainers"):
        before, after = old["spec"].get(field) or (), new["spec"].get(field) or ()
        if [(c["name"], c.get("image")) for c in before] != [
            (c["name"], c.get("image")) for c in after
        ]:
            return True
    return False


def _findings(standard: Standard, metadata: Object, spec: Object) -> list[Finding]:
    pod = subject(metadata, spec, standard.minor)
    found = (check(pod) for check in _checks(standard))
    return [finding for finding in found if finding is not None]


def _detail(found: Sequence[Finding]) -> str:
    return ", ".join(f"{finding.reason} ({finding.detail})" for finding in found)


def _checks(standard: Standard) -> list[Check]:
    """In the order of their names; what `restricted` sharpens replaces that of `baseline`."""
    if not standard.level:
        return []
    strict = standard.level == 2
    seccomp = strict and standard.minor >= 19
    capabilities = strict and standard.minor >= 22
    checks: list[Check] = [baseline.app_armor]
    if not capabilities:
        checks.append(baseline.capabilities)
    checks.append(baseline.host_namespaces)
    if not strict:
        checks.append(baseline.host_paths)
    checks += [
        baseline.host_ports,
        baseline.hosts,
        baseline.privileged,
        baseline.proc_mount,
        baseline.se_linux,
    ]
    if not seccomp:
        checks.append(baseline.seccomp)
    checks += [baseline.sysctls, baseline.host_process]
    if strict:
        checks.append(restricted.privilege_escalation)
        checks += [restricted.capabilities] if capabilities else []
        checks += [restricted.volumes, restricted.non_root, restricted.root_user]
        checks += [restricted.seccomp] if seccomp else []
    return checks
