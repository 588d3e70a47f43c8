"""Responses of services of observability, without series, lines and spans of what is hidden.

They do not know what their labels refer to, so this goes by values: names, uids and addresses of hidden
objects. What is summed up over everything still counts them, unless the service itself leaves them out
before (`Cluster.observe_for`).
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from sregym_kubernetes.redaction import RedactionPolicy, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_core.interfaces import Cluster, ServiceAnswer
    from sregym_core.policy import Policy

_KINDS = (
    ("v1", "Namespace"),
    ("v1", "Pod"),
    ("v1", "Service"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
)
# The service of a trace is nested deeper than labels are.
_TRACE = ("spans", "processes")


class Objects(Protocol):
    """Lists objects of the Kubernetes API: a cluster."""

    def list(self, api_version: str, kind: str, /) -> Iterable[dict[str, Any]]:
        """All objects of a kind."""


def hidden_names(cluster: Objects, redaction: RedactionPolicy) -> frozenset[str]:
    """Names, uids and addresses of all that is hidden now."""
    words: set[str] = set()
    for version, kind in _KINDS:
        group = version.partition("/")[0] if "/" in version else ""
        for obj in cluster.list(version, kind):
            metadata = obj["metadata"]
            if not redaction.hides_object(group, plural(kind), metadata):
                continue
            spec, status = obj.get("spec") or {}, obj.get("status") or {}
            told = (metadata["name"], metadata.get("uid"), status.get("podIP"), spec.get("clusterIP"))  # fmt: skip
            words.update(str(word) for word in told if word and word != "None")
    return frozenset(words)


def observe_with_policy(
    cluster: Cluster, policy: Policy, service: str, path: str, query: Sequence[tuple[str, str]] = ()
) -> ServiceAnswer:
    """What a service answers an agent: without what is hidden from it (`Cluster.observe_for`)."""
    answer = cluster.observe(service, path, query)
    if not policy.redacts:
        return answer
    words = hidden_names(cluster, RedactionPolicy(policy.redacted))
    return replace(answer, body=drop_hidden(answer.body, answer.content_type, words))


def drop_hidden(body: bytes, content_type: str, words: frozenset[str]) -> bytes:
    """A body without what has one of the words for a label; itself when nothing has."""
    if not words:
        return body
    if content_type.startswith("text/plain"):
        return _lines(body, words)
    if not content_type.startswith("application/json"):
        return body
    try:
        content = json.loads(body)
    except ValueError:
        return body
    left = _left(content, words)
    return body if left == content else json.dumps(left, separators=(",", ":")).encode()


def names_hidden(text: str, words: frozenset[str]) -> bool:
    """Whether the value of a label is one of the words; an address may have a port."""
    return text in words or text.partition(":")[0] in words


def _lines(body: bytes, words: frozenset[str]) -> bytes:
    """Samples as text, one on a line, without those that have one of the words for a label."""
    marks = [f'"{word}{end}'.encode() for word in sorted(words) for end in ('"', ":")]
    kept = (
        line for line in body.splitlines(keepends=True) if not any(mark in line for mark in marks)
    )
    return b"".join(kept)


def _left(content: Any, words: frozenset[str]) -> Any:
    if isinstance(content, list):
        return [_left(item, words) for item in content if not _hidden(item, words)]
    if isinstance(content, dict):
        return {name: _left(value, words) for name, value in content.items()}
    return content


def _hidden(item: Any, words: frozenset[str]) -> bool:
    if isinstance(item, str):
        return names_hidden(item, words)
    if not isinstance(item, dict):
        return False
    deep = any(name in item for name in _TRACE)
    for value in item.values():
        inside = value.values() if isinstance(value, dict) else ()
        if any(_hidden(one, words) for one in (value, *inside) if isinstance(one, str)):
            return True
        if deep and isinstance(value, dict | list) and _somewhere(value, words):
            return True
    return False


def _somewhere(content: Any, words: frozenset[str]) -> bool:
    if isinstance(content, dict | list):
        inside = content.values() if isinstance(content, dict) else content
        return any(_somewhere(one, words) for one in inside)
    return _hidden(content, words)
