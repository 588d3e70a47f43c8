"""What an agent may not request of a cluster, because it would reach the harness."""

from __future__ import annotations

import ipaddress
import json
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import yaml

from sregym_kubernetes.protobuf import MAGIC, ProtobufError, decode

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
# With one of these a container leaves its namespaces or changes the kernel of its node. What `kubectl
# debug --profile` adds (NET_ADMIN, NET_RAW, SYS_PTRACE) stays within them.
_HOST_CAPABILITIES = frozenset({
    "ALL", "AUDIT_CONTROL", "BPF", "DAC_READ_SEARCH", "MAC_ADMIN", "MAC_OVERRIDE", "PERFMON",
    "SYSLOG", "SYS_ADMIN", "SYS_BOOT", "SYS_MODULE", "SYS_RAWIO", "SYS_TIME",
})  # fmt: skip


class _UnreadableError(Exception):
    """A body whose request cannot be determined here."""


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
        # Whatever it says, and in whatever encoding.
        return ""
    try:
        content = _read(body, content_type)
        found = _loopback_hook(content) if hooks else next(_host_access(content), "")
    except _UnreadableError as error:
        why = f" ({error})" if str(error) else ""
        form = content_type or "this"
        return f"{target.qualified} cannot be written as {form}{why}: send JSON or YAML"
    except RecursionError:
        return f"{target.qualified} cannot be written in so many layers"
    if not found:
        return ""
    if hooks:
        return f"webhooks may not call {found}: services of a webhook must run in the cluster"
    message = f"containers that reach into their node ({found}) are not part of this access"
    if debugged_from:
        place = debugged_from[0]
        message += (
            f", except in pods of their own that are created in {_listed(debugged_from)}: "
            f"kubectl debug node/NAME -n {place} --image=busybox"
        )
    return message


def _may_debug(target: Target, debugged_from: Sequence[str]) -> bool:
    """Whether a pod by itself is created where pods may reach into their node."""
    pods = (target.group, target.resource, target.name) == ("", "pods", "")
    return pods and target.namespace in debugged_from


def _listed(namespaces: Sequence[str]) -> str:
    return f"namespace{'s' if len(namespaces) > 1 else ''} {', '.join(namespaces)}"


def _read(body: bytes, content_type: str) -> Any:
    """What a body says, read so that an API server cannot find more in it.

    Raises:
        _UnreadableError: It cannot be read here, though an API server might.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind.endswith("protobuf") or body.startswith(MAGIC):
        try:
            return decode(body, whole=True)
        except ProtobufError as error:
            raise _UnreadableError(str(error)) from None
    # Of several types a server takes one, which is not for us to say.
    if kind.endswith("cbor") or "," in kind:
        raise _UnreadableError
    # Servers take what is no UTF-8, and numbers of any length in fields that they do not know.
    text = body.decode(errors="replace")
    try:
        return json.loads(text, strict=False, parse_int=str, object_pairs_hook=_all_of)
    except ValueError:
        pass
    if "yaml" not in kind:
        return None  # the API server has its own words for what is no JSON
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # Of tags and dates the reader raises more than its own errors; of several documents a server takes the first.
        raise _UnreadableError("no single document that can be read") from None


def _all_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names may stand in it twice: a server puts their values together."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = [found[name], value] if name in found else value
    return found


def _objects(content: Any) -> Iterator[dict[Any, Any]]:
    """All mappings in a value, from its beginning, each once: in YAML one may stand in many places."""
    left, seen = [content], set[int]()
    while left:
        one = left.pop()
        if not isinstance(one, dict | list) or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            yield one
        left.extend(reversed([*(one.values() if isinstance(one, dict) else one)]))


def _host_access(content: Any) -> Iterator[str]:
    """Fields by which containers reach the node, in objects, merge patches and JSON patches."""
    for one in _objects(content):
        where = str(one.get("path", "")) if "op" in one else ""
        last = where.rpartition("/")[2]
        if last in _HOST_SWITCHES and one.get("value") is not False:
            yield last
        yield from (word for word in where.split("/") if word in _HOST_OBJECTS and one.get("op") != "remove")  # fmt: skip
        if "/capabilities/add" in where:
            yield from _host_capabilities(one.get("value"))
            if one.get("op") in ("copy", "move"):
                yield "capabilities"
        for name, value in one.items():
            switched = name in _HOST_SWITCHES and value not in (False, None)
            if switched or (name in _HOST_OBJECTS and value is not None):
                yield name
        yield from _host_capabilities(one.get("add"))


def _host_capabilities(content: Any) -> Iterator[str]:
    """Those of a list of capabilities by which a container reaches its node; runtimes take any case."""
    if isinstance(content, list):
        for entry in content:
            yield from _host_capabilities(entry)
    elif isinstance(content, str):
        name = content.upper().removeprefix("CAP_")
        if name in _HOST_CAPABILITIES:
            yield name


def _loopback_hook(content: Any) -> str:
    """The first address of a webhook that lies on the machine of the API server."""
    for url in _urls(content):
        try:
            host = urlsplit(url).hostname or ""
        except ValueError:
            return url
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


def _urls(content: Any) -> Iterator[str]:
    """All strings in fields named `url`, and in the values of a JSON patch."""
    for one in _objects(content):
        for name in ("url", "value"):
            values = one.get(name)
            for value in values if isinstance(values, list) else [values]:
                if isinstance(value, str) and "://" in value:
                    yield value
