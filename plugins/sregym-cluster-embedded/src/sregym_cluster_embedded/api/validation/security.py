"""Security contexts of pods and containers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation import causes, internal_types

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_LARGEST_ID = 2**31 - 1
_ID_RANGE = f"must be between 0 and {_LARGEST_ID}, inclusive"
_PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"]
_GROUP_POLICIES = ["Always", "OnRootMismatch"]
_SYSCTL = re.compile(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")


def of_pod(context: Object, path: str, spec: Object) -> list[Cause]:
    """The security context of a pod."""
    found = _ids(context, path, ("fsGroup", "runAsUser", "runAsGroup"))
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        if not 0 <= group <= _LARGEST_ID:
            found.append(causes.invalid(f"{path}.supplementalGroups[{index}]", group, _ID_RANGE))
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        text = "ShareProcessNamespace and HostPID cannot both be enabled"
        found.append(causes.invalid(f"{path}.shareProcessNamespace", True, text))
    found += _sysctls(context.get("sysctls") or (), f"{path}.sysctls", spec)
    policy = context.get("fsGroupChangePolicy")
    found += causes.one_of(f"{path}.fsGroupChangePolicy", policy, _GROUP_POLICIES)
    found += _profiles(context, path)
    policy = context.get("supplementalGroupsPolicy")
    found += causes.one_of(f"{path}.supplementalGroupsPolicy", policy, ("Merge", "Strict"))
    policy = context.get("seLinuxChangePolicy")
    return found + causes.one_of(
        f"{path}.seLinuxChangePolicy", policy, ("MountOption", "Recursive")
    )


def _sysctls(given: Any, path: str, spec: Object) -> list[Cause]:
    found: list[Cause] = []
    seen: set[str] = set()
    for index, entry in enumerate(given):
        field, name = f"{path}[{index}].name", entry.get("name", "")
        if not name:
            found.append(causes.required(field))
        elif len(name) > 253 or not _SYSCTL.fullmatch(name):
            text = f"must have at most 253 characters and match regex ^{_SYSCTL.pattern}$"
            found.append(causes.invalid(field, name, text))
        elif name in seen:
            found.append(causes.duplicate(field, name))
        seen.add(name)
        dotted = name.replace("/", ".")
        if spec.get("hostNetwork") and dotted.startswith("net."):
            text = "may not be specified when 'hostNetwork' is true"
            found.append(causes.invalid(field, name, text))
        elif spec.get("hostIPC") and dotted.startswith(("kernel.shm", "kernel.msg", "fs.mqueue.")):
            text = "may not be specified when 'hostIPC' is true"
            found.append(causes.invalid(field, name, text))
    return found


def of_container(context: Object, path: str) -> list[Cause]:
    """The security context of a container."""
    found = _ids(context, path, ("runAsUser", "runAsGroup"))
    mount = context.get("procMount")
    found += causes.one_of(f"{path}.procMount", mount, ("Default", "Unmasked"))
    found += _profiles(context, path)
    if context.get("allowPrivilegeEscalation") is False:
        added = (context.get("capabilities") or {}).get("add") or ()
        head = "cannot set `allowPrivilegeEscalation` to false and"
        if context.get("privileged"):
            found.append(
                causes.invalid(
                    path, internal_types.security_context(context), f"{head} `privileged` to true"
                )
            )
        if "CAP_SYS_ADMIN" in added:
            text = f"{head} `capabilities.Add` CAP_SYS_ADMIN"
            found.append(causes.invalid(path, internal_types.security_context(context), text))
    return found


def _ids(context: Object, path: str, fields: tuple[str, ...]) -> list[Cause]:
    return [
        causes.invalid(f"{path}.{field}", context[field], _ID_RANGE)
        for field in fields
        if context.get(field) is not None and not 0 <= context[field] <= _LARGEST_ID
    ]


def _profiles(context: Object, path: str) -> list[Cause]:
    found: list[Cause] = []
    for field, name in (("seccompProfile", "seccomp"), ("appArmorProfile", "AppArmor")):
        profile = context.get(field)
        if profile is not None:
            found += _profile(profile, f"{path}.{field}", field, name)
    return found


def _profile(profile: Object, path: str, field: str, name: str) -> list[Cause]:
    kind = profile.get("type", "")
    found: list[Cause] = []
    if not kind:
        text = f"type is required when {field} is set"
        found.append(causes.required(f"{path}.type", text))
    elif kind not in _PROFILES:
        found.append(causes.unsupported(f"{path}.type", kind, _PROFILES))
    if kind == "Localhost" and profile.get("localhostProfile") is None:
        text = f"must be set when {name} type is Localhost"
        found.append(causes.required(f"{path}.localhostProfile", text))
    elif kind != "Localhost" and profile.get("localhostProfile") is not None:
        shown = internal_types.profile(profile)
        text = f"can only be set when {name} type is Localhost"
        found.append(causes.invalid(f"{path}.localhostProfile", shown, text))
    return found
