"""What an agent may not ask of a cluster, because it would reach the harness."""

from __future__ import annotations

import ipaddress
import json
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_kubernetes.target import Target

_WRITES = ("POST", "PUT", "PATCH")
_HOOKS = ("validatingwebhookconfigurations", "mutatingwebhookconfigurations", "customresourcedefinitions")  # fmt: skip
_WITH_PODS = frozenset({
    "pods", "podtemplates", "replicationcontrollers", "deployments", "replicasets", "daemonsets",
    "statefulsets", "jobs", "cronjobs",
})  # fmt: skip
# Through these a container reaches the machine below it.
_HOST_SWITCHES = frozenset({"hostPID", "hostIPC", "hostNetwork", "privileged"})
_HOST_OBJECTS = frozenset({"hostPath"})
_UNREADABLE = object()


def forbidden(
    method: str,
    target: Target,
    body: bytes,
    content_type: str = "application/json",
    debugged_from: Sequence[str] = (),
) -> str:
    """Why a request is refused; empty when it may pass.

    Args:
        method: Upper-case HTTP method.
        target: What it is about.
        body: As sent.
        content_type: Of the body.
        debugged_from: Namespaces in which pods may reach into their node; none where the machine of
            the harness, or one that leads to it, is behind a node.
    """
    if method not in _WRITES:
        return ""
    hooks, pods = target.resource in _HOOKS, target.resource in _WITH_PODS
    if not (hooks or pods) or target.subresource in (
        "scale",
        "status",
        "log",
        "binding",
        "eviction",
    ):
        return ""
    if method == "POST" and _may_debug(target, debugged_from):
        # Whatever it says: clients send pods of their own in encodings that are not read here.
        return ""
    content = _read(body, content_type)
    if content is _UNREADABLE:
        return (
            f"{target.qualified} cannot be written as {content_type or 'this'}: send JSON or YAML"
        )
    if hooks:
        address = _loopback_hook(content)
        if address:
            return f"webhooks may not call {address}: services of a webhook must run in the cluster"
        return ""
    found = next(_host_access(content), "")
    if not found:
        return ""
    told = f"containers that reach into their node ({found}) are not part of this access"
    if debugged_from:
        place = debugged_from[0]
        told += (
            f", except in pods of their own that are created in {_listed(debugged_from)}: "
            f"kubectl debug node/NAME -n {place} --image=busybox"
        )
    return told


def _may_debug(target: Target, debugged_from: Sequence[str]) -> bool:
    """Whether a pod by itself is created where pods may reach into their node."""
    pods = (target.group, target.resource, target.name) == ("", "pods", "")
    return pods and target.namespace in debugged_from


def _listed(namespaces: Sequence[str]) -> str:
    return f"namespace{'s' if len(namespaces) > 1 else ''} {', '.join(namespaces)}"


def _read(body: bytes, content_type: str) -> Any:
    kind = content_type.partition(";")[0].strip().lower()
    if kind.endswith(("protobuf", "cbor")):
        return _UNREADABLE
    try:
        return json.loads(body)
    except ValueError:
        pass
    if "yaml" not in kind:
        return None  # the API server has its own words for what is no JSON
    try:
        # Several documents, or tags of the reader's own, are nothing that an API server takes.
        return yaml.safe_load(body)
    except yaml.YAMLError:
        return None


def _host_access(content: Any) -> Iterator[str]:
    """Fields by which containers reach the node, in objects, merge patches and JSON patches."""
    if isinstance(content, dict):
        where = str(content.get("path", "")) if "op" in content else ""
        last = where.rpartition("/")[2]
        if last in _HOST_SWITCHES and content.get("value") is not False:
            yield last
        yield from (word for word in where.split("/") if word in _HOST_OBJECTS and content.get("op") != "remove")  # fmt: skip
        for name, value in content.items():
            switched = name in _HOST_SWITCHES and value not in (False, None)
            if switched or (name in _HOST_OBJECTS and value is not None):
                yield name
            yield from _host_access(value)
    elif isinstance(content, list):
        for item in content:
            yield from _host_access(item)


def _loopback_hook(content: Any) -> str:
    """The first address of a webhook that lies on the machine of the API server."""
    for url in _urls(content):
        host = urlsplit(url).hostname or ""
        if host == "localhost" or host.endswith(".localhost") or _is_loopback(host):
            return url
    return ""


def _is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        try:
            # 127.1, 0x7f000001 and the like: some resolvers take them.
            address = ipaddress.ip_address(socket.inet_aton(host))
        except (OSError, UnicodeError, ValueError):
            return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    address = mapped or address
    return address.is_loopback or address.is_unspecified


def _urls(content: Any) -> list[str]:
    """All strings in fields named `url`, and in the values of a JSON patch."""
    if isinstance(content, dict):
        own = [
            str(content[name])
            for name in ("url", "value")
            if isinstance(content.get(name), str) and "://" in content[name]
        ]
        return own + [url for value in content.values() for url in _urls(value)]
    if isinstance(content, list):
        return [url for value in content for url in _urls(value)]
    return []
