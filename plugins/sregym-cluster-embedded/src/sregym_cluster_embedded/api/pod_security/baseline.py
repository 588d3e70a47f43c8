"""The checks of the level `baseline`: known ways to more power over the node."""

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
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.api.pod_security.violations import Subject
    from sregym_cluster_embedded.store import Object

_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_OF = "container.seccomp.security.alpha.kubernetes.io/"
_CAPABILITIES = frozenset(
    [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ]
)
_SE_LINUX_TYPES = ("", "container_t", "container_init_t", "container_kvm_t")
# Kernel parameters of a pod's own, and the minor version from which each is allowed.
_SYSCTLS = {
    "kernel.shm_rmid_forced": 0,
    "net.ipv4.ip_local_port_range": 0,
    "net.ipv4.tcp_syncookies": 0,
    "net.ipv4.ping_group_range": 0,
    "net.ipv4.ip_unprivileged_port_start": 0,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_wmem": 32,
}


def app_armor(pod: Subject) -> Finding | None:
    """Profiles of AppArmor other than the runtime's or one of the node's."""

    def wrong(held: Mapping[str, Any]) -> bool:
        kind = (held.get("appArmorProfile") or {}).get("type", "")
        return kind not in ("", "RuntimeDefault", "Localhost")

    names = named(pod, lambda container: wrong(context(container)))
    who = [text for text in (setters(wrong(pod.context), names),) if text]
    held = [pod.context, *map(context, pod.containers)]
    values = sorted({entry["appArmorProfile"]["type"] for entry in held if wrong(entry)})
    annotations = sorted(
        f'{key}="{value}"'
        for key, value in pod.annotations.items()
        if key.startswith(_APP_ARMOR)
        and value not in ("", "runtime/default")
        and not value.startswith("localhost/")
    )
    if annotations:
        who.append(plural("annotation", len(annotations)))
        values += annotations
    if not who:
        return None
    return Finding(
        plural("forbidden AppArmor profile", len(values)),
        f"{' and '.join(who)} must not set AppArmor profile type to {quoted(values)}",
    )


def capabilities(pod: Subject) -> Finding | None:
    """Capabilities beyond the usual ones."""
    added = {
        entry["name"]: _added(entry) - _CAPABILITIES
        for entry in pod.containers
        if _added(entry) - _CAPABILITIES
    }
    if not added:
        return None
    names = quoted(sorted(set().union(*added.values())))
    return Finding(
        "non-default capabilities",
        f"{containers(list(added))} must not include {names} in securityContext.capabilities.add",
    )


def _added(container: Object) -> set[str]:
    return set((context(container).get("capabilities") or {}).get("add") or ())


def host_namespaces(pod: Subject) -> Finding | None:
    """Namespaces of the node."""
    used = [name for name in ("hostNetwork", "hostPID", "hostIPC") if pod.spec.get(name)]
    if not used:
        return None
    return Finding("host namespaces", ", ".join(f"{name}=true" for name in used))


def host_paths(pod: Subject) -> Finding | None:
    """Folders of the node."""
    names = [entry["name"] for entry in pod.spec.get("volumes") or () if "hostPath" in entry]
    if not names:
        return None
    return Finding("hostPath volumes", f"{plural('volume', len(names))} {quoted(names)}")


def host_ports(pod: Subject) -> Finding | None:
    """Ports of the node."""
    names = named(pod, lambda entry: bool(_host_ports(entry)))
    if not names:
        return None
    ports = sorted({str(port) for entry in pod.containers for port in _host_ports(entry)})
    verb = "uses" if len(names) == 1 else "use"
    listed = ", ".join(ports)
    return Finding(
        "hostPort", f"{containers(names)} {verb} {plural('hostPort', len(ports))} {listed}"
    )


def _host_ports(container: Object) -> list[int]:
    return [port["hostPort"] for port in container.get("ports") or () if port.get("hostPort")]


def hosts(pod: Subject) -> Finding | None:
    """Probes and hooks that call another host (looked at from v1.34 on)."""
    if pod.minor < 34:
        return None
    names = sorted(named(pod, lambda entry: any(_hosts(entry))))
    if not names:
        return None
    called = sorted({host for entry in pod.containers for host in _hosts(entry)})
    verb = "uses" if len(names) == 1 else "use"
    what = plural("probe or lifecycle host", len(called))
    return Finding("probe or lifecycle host", f"{containers(names)} {verb} {what} {quoted(called)}")


def _hosts(container: Object) -> Iterator[str]:
    hooks = container.get("lifecycle") or {}
    handlers = [
        container.get(field) for field in ("livenessProbe", "readinessProbe", "startupProbe")
    ]
    for handler in [*handlers, hooks.get("postStart"), hooks.get("preStop")]:
        for way in ("httpGet", "tcpSocket"):
            host = ((handler or {}).get(way) or {}).get("host")
            if host:
                yield host


def privileged(pod: Subject) -> Finding | None:
    """All rights on the node."""
    names = named(pod, lambda entry: bool(context(entry).get("privileged")))
    if not names:
        return None
    return Finding(
        "privileged", f"{containers(names)} must not set securityContext.privileged=true"
    )


def proc_mount(pod: Subject) -> Finding | None:
    """An unmasked /proc."""
    if pod.own_users:
        return None
    names = named(pod, lambda entry: context(entry).get("procMount", "Default") != "Default")
    if not names:
        return None
    values = {context(entry).get("procMount", "Default") for entry in pod.containers}
    listed = quoted(sorted(values - {"Default"}))
    return Finding(
        "procMount", f"{containers(names)} must not set securityContext.procMount to {listed}"
    )


def se_linux(pod: Subject) -> Finding | None:
    """Types of SELinux other than those of containers, and any user or role."""
    types = (*_SE_LINUX_TYPES, "container_engine_t") if pod.minor >= 31 else _SE_LINUX_TYPES

    def options(held: Mapping[str, Any]) -> Mapping[str, Any]:
        return held.get("seLinuxOptions") or {}

    def wrong(held: Mapping[str, Any]) -> bool:
        given = options(held)
        return bool(given.get("type", "") not in types or given.get("user") or given.get("role"))

    names = named(pod, lambda container: wrong(context(container)))
    who = setters(wrong(pod.context), names)
    if not who:
        return None
    given = [options(held) for held in (pod.context, *map(context, pod.containers))]
    wrong_types = sorted({entry.get("type", "") for entry in given} - set(types))
    words = []
    if wrong_types:
        words.append(f"{plural('type', len(wrong_types))} {quoted(wrong_types)}")
    words += [
        f"{field} may not be set" for field in ("user", "role") if any(e.get(field) for e in given)
    ]
    return Finding(
        "seLinuxOptions",
        f"{who} set forbidden securityContext.seLinuxOptions: {'; '.join(words)}",
    )


def seccomp(pod: Subject) -> Finding | None:
    """Unfiltered system calls."""
    if pod.minor < 19:
        return _seccomp_annotations(pod)

    def wrong(held: Mapping[str, Any]) -> bool:
        kind = (held.get("seccompProfile") or {}).get("type", "")
        return kind not in ("", "RuntimeDefault", "Localhost")

    who = setters(wrong(pod.context), named(pod, lambda entry: wrong(context(entry))))
    if not who:
        return None
    held = [pod.context, *map(context, pod.containers)]
    values = sorted({entry["seccompProfile"]["type"] for entry in held if wrong(entry)})
    return Finding(
        "seccompProfile",
        f"{who} must not set securityContext.seccompProfile.type to {quoted(values)}",
    )


def _seccomp_annotations(pod: Subject) -> Finding | None:
    found = sorted(
        f'{key}="{value}"'
        for key, value in pod.annotations.items()
        if (key == _SECCOMP or key.startswith(_SECCOMP_OF)) and value == "unconfined"
    )
    return Finding("seccompProfile", ", ".join(found)) if found else None


def sysctls(pod: Subject) -> Finding | None:
    """Kernel parameters that are not the pod's own."""
    names = [
        entry["name"]
        for entry in pod.context.get("sysctls") or ()
        if _SYSCTLS.get(entry["name"], pod.minor + 1) > pod.minor
    ]
    return Finding("forbidden sysctls", ", ".join(names)) if names else None


def host_process(pod: Subject) -> Finding | None:
    """Processes of a Windows node."""

    def wrong(held: Mapping[str, Any]) -> bool:
        return bool((held.get("windowsOptions") or {}).get("hostProcess"))

    who = setters(wrong(pod.context), named(pod, lambda entry: wrong(context(entry))))
    if not who:
        return None
    return Finding(
        "hostProcess", f"{who} must not set securityContext.windowsOptions.hostProcess=true"
    )
