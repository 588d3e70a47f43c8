"""Entry point."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_injectors() -> list[Offer]:
    """One fault."""
    return [Offer("acme-service-alias", "acme_sregym_dns.alias:ServiceAlias")]


@hookimpl
def sregym_register_oracles() -> list[Offer]:
    """One oracle."""
    return [Offer("acme-names-inside", "acme_sregym_dns.names:NamesInside")]
