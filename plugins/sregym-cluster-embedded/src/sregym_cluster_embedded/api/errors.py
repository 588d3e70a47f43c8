"""Failures of API requests, in the API's own words.

An `ApiError` carries the whole `Status` object that a client receives; who runs in the same
process (controllers, faults, oracles) catches it and looks at `reason`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.api.resources import Resource


@dataclass(frozen=True)
class Cause:
    """One thing wrong with one field.

    Attributes:
        field: Path of the field: `spec.ports[0].port`.
        message: `Invalid value: 0: must be between 1 and 65535, inclusive`.
        reason: `FieldValueInvalid`, `FieldValueRequired`, ...
    """

    field: str
    message: str
    reason: str = "FieldValueInvalid"

    def as_object(self) -> dict[str, str]:
        """The form in `details.causes`."""
        return {"reason": self.reason, "message": self.message, "field": self.field}


class ApiError(Exception):
    """An answer of the API that is no success.

    Attributes:
        status: The whole `Status` object.
        retry_after_s: Value for the Retry-After header, when there is one.
        warnings: What the answer warns of besides.
    """

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        details: dict[str, Any] | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.warnings: tuple[str, ...] = ()
        self.status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
        }
        if message:
            self.status["message"] = message
        if reason:
            self.status["reason"] = reason
        if details is not None:
            self.status["details"] = details
        self.status["code"] = code

    @property
    def code(self) -> int:
        """The HTTP status."""
        code: int = self.status["code"]
        return code

    @property
    def reason(self) -> str:
        """The machine-readable reason, e.g. `NotFound`; empty when unknown."""
        reason: str = self.status.get("reason", "")
        return reason

    @property
    def message(self) -> str:
        """The text for people."""
        message: str = self.status.get("message", "")
        return message


def _details(resource: Resource | str, name: str, group: str = "") -> dict[str, Any]:
    plural, group = (
        (resource, group)
        if isinstance(resource, str)
        else (
            resource.plural,
            resource.group,
        )
    )
    details: dict[str, Any] = {"name": name} if name else {}
    if group:
        details["group"] = group
    if plural:
        details["kind"] = plural
    return details


def unauthorized() -> ApiError:
    """401: a credential that is none."""
    return ApiError(401, "Unauthorized", "Unauthorized")


def not_found(resource: Resource, name: str) -> ApiError:
    """404: no such object."""
    return ApiError(
        404,
        "NotFound",
        f'{resource.group_resource} "{name}" not found',
        _details(resource, name),
    )


def no_such_resource() -> ApiError:
    """404: the path belongs to no resource."""
    return ApiError(404, "NotFound", "the server could not find the requested resource", {})


def already_exists(resource: Resource, name: str) -> ApiError:
    """409: a create met an object of that name."""
    return ApiError(
        409,
        "AlreadyExists",
        f'{resource.group_resource} "{name}" already exists',
        _details(resource, name),
    )


MODIFIED = (
    "the object has been modified; please apply your changes to the latest version and try again"
)


def conflict(resource: Resource, name: str, why: str = MODIFIED) -> ApiError:
    """409: the write does not fit the present state."""
    return ApiError(
        409,
        "Conflict",
        f'Operation cannot be fulfilled on {resource.group_resource} "{name}": {why}',
        _details(resource, name),
    )


def apply_conflict(causes: Sequence[Cause]) -> ApiError:
    """409: a server-side apply would take fields from other managers."""
    number = len(causes)
    by_owner: dict[str, list[str]] = {}
    for cause in causes:
        by_owner.setdefault(cause.message, []).append(cause.field)
    if number == 1:
        text = f"Apply failed with 1 conflict: {causes[0].message}: {causes[0].field}"
    else:
        lines = [
            line
            for owner, fields in by_owner.items()
            for line in (
                f"{owner.replace('conflict', 'conflicts', 1)}:",
                *(f"- {f}" for f in fields),
            )
        ]
        text = f"Apply failed with {number} conflicts: {chr(10).join(lines)}"
    return ApiError(409, "Conflict", text, {"causes": [cause.as_object() for cause in causes]})


def invalid(group: str, kind: str, name: str, causes: Sequence[Cause]) -> ApiError:
    """422: fields have values that they must not have."""
    texts = [f"{cause.field}: {cause.message}" for cause in causes]
    head = f'{kind}.{group} "{name}"' if group else f'{kind} "{name}"'
    listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details = _details(kind, name, group)
    details["causes"] = [cause.as_object() for cause in causes]
    return ApiError(422, "Invalid", f"{head} is invalid: {listed}", details)


def forbidden(resource: Resource, name: str, why: str, causes: Sequence[Cause] = ()) -> ApiError:
    """403: admission or authorization said no."""
    named = f'{resource.group_resource} "{name}"' if name else resource.group_resource
    details = _details(resource, name)
    if causes:
        details["causes"] = [cause.as_object() for cause in causes]
    return ApiError(403, "Forbidden", f"{named} is forbidden: {why}", details)


def namespace_terminating(resource: Resource, name: str, namespace: str) -> ApiError:
    """403: a create in a namespace that is being deleted."""
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    error = forbidden(resource, name, why)
    error.status["details"]["causes"] = [cause]
    return error


def bad_request(message: str) -> ApiError:
    """400: the request cannot be understood."""
    return ApiError(400, "BadRequest", message)


def method_not_allowed() -> ApiError:
    """405: the path exists, the method is not for it."""
    return ApiError(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        {},
    )


def unsupported_media_type(served: Sequence[str]) -> ApiError:
    """415: a body in a form that the server does not read."""
    listed = ", ".join(served)
    return ApiError(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - "
        f"accepted media types include: {listed}",
        {},
    )


def not_acceptable(served: Sequence[str]) -> ApiError:
    """406: no representation that the client accepts."""
    return ApiError(
        406,
        "NotAcceptable",
        f"406: Not Acceptable\n\nAvailable representations: {', '.join(served)}",
        {},
    )


def unprocessable() -> ApiError:
    """422: a JSON patch that does not fit the object."""
    return ApiError(
        422, "Invalid", "the server rejected our request due to an error in our request", {}
    )


def plain(code: int, message: str) -> ApiError:
    """A failure with a message and no machine-readable reason."""
    return ApiError(code, "", message)


def resource_expired(message: str) -> ApiError:
    """410: the revision lies before what the history holds."""
    return ApiError(410, "Expired", message)


def too_many_requests(
    message: str, causes: Sequence[Cause] = (), retry_after_s: int = 0
) -> ApiError:
    """429: an eviction that a disruption budget does not allow now."""
    details: dict[str, Any] = {}
    if causes:
        details["causes"] = [{"reason": cause.reason, "message": cause.message} for cause in causes]
    if retry_after_s:
        details["retryAfterSeconds"] = retry_after_s
    return ApiError(429, "TooManyRequests", message, details, retry_after_s or None)


def timeout(message: str, details: dict[str, Any]) -> ApiError:
    """504: the server waited without success."""
    return ApiError(504, "Timeout", message, details)


def internal(message: str) -> ApiError:
    """500: the server, or something it called, failed."""
    return ApiError(
        500,
        "InternalError",
        f"Internal error occurred: {message}",
        {"causes": [{"message": message}]},
    )
