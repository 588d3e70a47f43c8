"""The checks that the level `restricted` adds: current practice of hardening."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.pod_security.violations import (
    Finding,
    containers,
    context,
    named,
    plural,
    quoted,
    setters,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.api.pod_security.violations import Subject
    from sregym_cluster_embedded.store import Object

_VOLUMES = (
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
)
_PROFILES = ("RuntimeDefault", "Localhost")


def privilege_escalation(pod: Subject) -> Finding | None:
    """Processes that may get more rights than their parent (from v1.8 on)."""
    if pod.windows or pod.minor < 8:
        return None
    names = named(pod, lambda entry: context(entry).get("allowPrivilegeEscalation") is not False)
    if not names:
        return None
    return Finding(
        "allowPrivilegeEscalation != false",
        f"{containers(names)} must set securityContext.allowPrivilegeEscalation=false",
    )


def capabilities(pod: Subject) -> Finding | None:
    """Capabilities that are not dropped, and any added but the one to bind low ports."""
    if pod.windows:
        return None
    keeping = named(pod, lambda entry: "ALL" not in (_capabilities(entry).get("drop") or ()))
    adding = named(pod, lambda entry: bool(_added(entry)))
    words = []
    if keeping:
        words.append(f'{containers(keeping)} must set securityContext.capabilities.drop=["ALL"]')
    if adding:
        added = quoted(sorted(set().union(*map(_added, pod.containers))))
        words.append(
            f"{containers(adding)} must not include {added} in securityContext.capabilities.add"
        )
    return Finding("unrestricted capabilities", "; ".join(words)) if words else None


def _capabilities(container: Object) -> Mapping[str, Any]:
    return context(container).get("capabilities") or {}


def _added(container: Object) -> set[str]:
    return set(_capabilities(container).get("add") or ()) - {"NET_BIND_SERVICE"}


def volumes(pod: Subject) -> Finding | None:
    """Volumes other than configuration, scratch space and claims."""
    wrong = {}
    for entry in pod.spec.get("volumes") or ():
        kinds = [field for field in entry if field != "name"]
        if not any(kind in _VOLUMES for kind in kinds):
            wrong[entry["name"]] = kinds[0] if kinds else "unknown"
    if not wrong:
        return None
    kinds = sorted(set(wrong.values()))
    verb = "uses" if len(wrong) == 1 else "use"
    what = plural("restricted volume type", len(kinds))
    return Finding(
        "restricted volume types",
        f"{plural('volume', len(wrong))} {quoted(wrong)} {verb} {what} {quoted(kinds)}",
    )


def non_root(pod: Subject) -> Finding | None:
    """Containers that may run as root."""
    if pod.own_users:
        return None
    reason = "runAsNonRoot != true"
    whole = pod.context.get("runAsNonRoot")
    names = named(pod, lambda entry: context(entry).get("runAsNonRoot") is False)
    who = setters(whole is False, names)
    if who:
        return Finding(reason, f"{who} must not set securityContext.runAsNonRoot=false")
    silent = named(pod, lambda entry: context(entry).get("runAsNonRoot") is None)
    if whole or not silent:
        return None
    return Finding(
        reason, f"pod or {containers(silent)} must set securityContext.runAsNonRoot=true"
    )


def root_user(pod: Subject) -> Finding | None:
    """Containers that say that they run as root (from v1.23 on)."""
    if pod.minor < 23 or pod.own_users:
        return None
    names = named(pod, lambda entry: context(entry).get("runAsUser") == 0)
    who = setters(pod.context.get("runAsUser") == 0, names)
    return Finding("runAsUser=0", f"{who} must not set runAsUser=0") if who else None


def seccomp(pod: Subject) -> Finding | None:
    """Containers without a filter of system calls."""
    if pod.windows:
        return None

    def kind(held: Mapping[str, Any]) -> str:
        found: str = (held.get("seccompProfile") or {}).get("type", "")
        return found

    whole = kind(pod.context)
    names = named(pod, lambda entry: kind(context(entry)) not in ("", *_PROFILES))
    who = setters(whole not in ("", *_PROFILES), names)
    if who:
        held = (pod.context, *map(context, pod.containers))
        values = quoted(sorted({kind(entry) for entry in held} - {"", *_PROFILES}))
        return Finding(
            "seccompProfile", f"{who} must not set securityContext.seccompProfile.type to {values}"
        )
    silent = named(pod, lambda entry: not kind(context(entry)))
    if whole or not silent:
        return None
    return Finding(
        "seccompProfile",
        f"pod or {containers(silent)} must set securityContext.seccompProfile.type to "
        '"RuntimeDefault" or "Localhost"',
    )
