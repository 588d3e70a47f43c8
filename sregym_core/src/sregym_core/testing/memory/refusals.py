"""Refusals in the words of a real API server."""

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


def _named(ref: ObjectRef) -> str:
    group = ref.api_version.partition("/")[0] if "/" in ref.api_version else ""
    resource = f"{ref.kind.lower()}s" + (f".{group}" if group else "")
    return f'{resource} "{ref.name}"'
