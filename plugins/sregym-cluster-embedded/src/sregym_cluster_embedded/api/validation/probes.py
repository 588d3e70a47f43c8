"""What the kubelet does to a container: probes and hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_SCHEMES = ("HTTP", "HTTPS")
_COUNTS = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)
_GRACE = "terminationGracePeriodSeconds"


def of_container(container: Object, path: str, grace_s: int) -> list[Cause]:
    """The hooks and probes of a container."""
    found: list[Cause] = []
    hooks = container.get("lifecycle") or {}
    for hook in ("postStart", "preStop"):
        if hooks.get(hook) is not None:
            found += _handler(hooks[hook], f"{path}.lifecycle.{hook}", grace_s)
    for field in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(field)
        if probe is not None:
            found += _probe(probe, f"{path}.{field}", grace_s, field == "readinessProbe")
    return found


def _probe(probe: Object, path: str, grace_s: int, readiness: bool) -> list[Cause]:
    found = _handler(probe, path, grace_s)
    for field in _COUNTS:
        found += causes.not_negative(f"{path}.{field}", probe.get(field))
    own = probe.get(_GRACE)
    if own is not None and own <= 0:
        found.append(causes.invalid(f"{path}.{_GRACE}", own, "must be greater than 0"))
    if readiness:
        if own is not None:
            text = "must not be set for readinessProbes"
            found.append(causes.invalid(f"{path}.{_GRACE}", own, text))
    elif probe.get("successThreshold", 1) != 1:
        found.append(
            causes.invalid(f"{path}.successThreshold", probe["successThreshold"], "must be 1")
        )
    return found


def _handler(given: Object, path: str, grace_s: int) -> list[Cause]:
    present = [name for name in _HANDLERS if given.get(name) is not None]
    if not present:
        return [causes.required(path, "must specify a handler type")]
    first = present[0]
    found = _action(first, given[first], f"{path}.{first}", grace_s)
    text = "may not specify more than 1 handler type"
    return found + [causes.forbidden(f"{path}.{extra}", text) for extra in present[1:]]


def _action(kind: str, action: Object, path: str, grace_s: int) -> list[Cause]:
    if kind == "exec":
        return [] if action.get("command") else [causes.required(f"{path}.command")]
    if kind == "sleep":
        seconds = action.get("seconds", 0)
        if 0 <= seconds <= grace_s:
            return []
        text = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_s})"
        return [causes.invalid(path, seconds, text)]
    port = formats.port_or_name(f"{path}.port", action.get("port", 0))
    if kind != "httpGet":
        return port
    found = [] if action.get("path") else [causes.required(f"{path}.path")]
    found += port
    found += causes.one_of(f"{path}.scheme", action.get("scheme"), _SCHEMES)
    for entry in action.get("httpHeaders") or ():
        found += formats.header(f"{path}.httpHeaders", entry.get("name", ""))
    return found
