"""What a policy refuses and what it hides, of requests to the Kubernetes API and their answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sregym_kubernetes.filtering import (
    is_hidden_object,
    not_found_status,
    redact_body,
    redact_event,
    status,
)
from sregym_kubernetes.impersonation import refusal
from sregym_kubernetes.redaction import RedactionPolicy
from sregym_kubernetes.rules import forbidden

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.policy import Policy

    from sregym_kubernetes.target import Target

JSON = "application/json"


@dataclass(frozen=True)
class KubernetesRequest:
    """A request to the Kubernetes API.

    Attributes:
        method: Upper-case HTTP method.
        target: What it is about.
        headers: By lower-case name.
        body: As sent.
    """

    method: str
    target: Target
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class KubernetesResponse:
    """What is answered in the place of the API server.

    Attributes:
        status: HTTP status.
        body: Encoded body.
        reason: Why the request is not passed on, for the record.
        content_type: Of the body.
    """

    status: int
    body: bytes
    reason: str
    content_type: str = JSON


class Enforcement:
    """Enforces a policy on requests and answers.

    Args:
        policy: What holds.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.redaction = RedactionPolicy(policy.redacted)

    def refusal(self, asked: KubernetesRequest) -> KubernetesResponse | None:
        """What to answer instead of passing a request on; None when it may pass."""
        identity = self._policy.identity
        if identity is not None:
            refused = refusal(identity, asked.headers)
            if refused is not None:
                return KubernetesResponse(*refused, "acting as somebody else")
        kind = asked.headers.get("content-type", JSON)
        reason = forbidden(asked.method, asked.target, asked.body, kind, self._policy.debugged_from)
        if reason:
            return KubernetesResponse(403, status(403, "Forbidden", reason), reason)
        return self._hidden(asked) if self._policy.redacts else None

    def redacted_body(self, body: bytes, target: Target) -> bytes | None:
        """An answer without what is hidden; None when it passes as it came.

        Of what is hidden itself nothing is left: see `not_found_if_hidden`.
        """
        return redact_body(body, target, self.redaction)

    def not_found_if_hidden(self, body: bytes, target: Target) -> bytes | None:
        """The words for a missing object, when an answer is an object that is hidden."""
        return not_found_status(target) if is_hidden_object(body, target, self.redaction) else None

    def redacted_event(self, line: bytes, target: Target) -> bytes | None:
        """A line of a watch without what is hidden; None when it passes, empty when nothing is left."""
        return redact_event(line, target, self.redaction)

    def _hidden(self, asked: KubernetesRequest) -> KubernetesResponse | None:
        """Answer as if what is hidden were not there; None when nothing hidden is asked for."""
        target, redaction = asked.target, self.redaction
        if redaction.hides_group(target.group):
            return KubernetesResponse(
                404, b"404 page not found\n", "hidden", "text/plain; charset=utf-8"
            )
        hidden = redaction.hides_target(target)
        if hidden and target.name:
            return KubernetesResponse(404, not_found_status(target), "hidden")
        if hidden and asked.method == "POST":
            details = {"name": target.namespace, "kind": "namespaces"}
            text = f'namespaces "{target.namespace}" not found'
            return KubernetesResponse(404, status(404, "NotFound", text, details), "hidden")
        if asked.method == "DELETE" and not target.name:
            reason = "collections cannot be deleted at once here; delete objects by name"
            return KubernetesResponse(403, status(403, "Forbidden", reason), reason)
        return None


def with_metadata(query: str) -> str:
    """A path or query by which rows of tables name their namespaces, which hiding needs."""
    return query.replace("includeObject=None", "includeObject=Metadata")


def readable(accept: str) -> str:
    """What a client accepts, without forms that cannot be filtered."""
    wanted = [part for part in accept.split(",") if "protobuf" not in part and "cbor" not in part]
    return ",".join(wanted) or JSON
