"""Entry point: a kind of cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_clusters() -> Sequence[Registration]:
    """Audited clusters."""
    return [Registration("audited", "acme_audit.provider:Audited")]
