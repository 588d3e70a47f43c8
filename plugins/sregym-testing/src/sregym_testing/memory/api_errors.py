"""Refusals with the error texts of a real API server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError

if TYPE_CHECKING:
    from sregym_core.model import ObjectRef


def already_exists(ref: ObjectRef) -> ClusterError:
    """409: `deployments.apps "cart" already exists`."""
    return ClusterError(409, "AlreadyExists", f"{_named(ref)} already exists")


def not_found(ref: ObjectRef) -> ClusterError:
    """404: `services "cart" not found`."""
    return ClusterError(404, "NotFound", f"{_named(ref)} not found")


def forbidden(ref: ObjectRef, user: str, verb: str) -> ClusterError:
    """403: `services "cart" is forbidden: User "ci" cannot patch it`."""
    return ClusterError(
        403, "Forbidden", f'{_named(ref)} is forbidden: User "{user}" cannot {verb} it'
    )


def negative(ref: ObjectRef, replicas: int) -> ClusterError:
    """422: `deployments.apps "cart" is invalid: spec.replicas: Invalid value: -1: ...`."""
    why = f"Invalid value: {replicas}: must be greater than or equal to 0"
    return ClusterError(422, "Invalid", f"{_named(ref)} is invalid: spec.replicas: {why}")


def _named(ref: ObjectRef) -> str:
    group = ref.api_version.partition("/")[0] if "/" in ref.api_version else ""
    resource = f"{ref.kind.lower()}s" + (f".{group}" if group else "")
    return f'{resource} "{ref.name}"'
