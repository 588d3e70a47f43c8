"""Entry point."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_injectors() -> list[Registration]:
    """One fault."""
    return [Registration("acme-service-alias", "acme_sregym_dns.alias:ServiceAlias")]


@hookimpl
def sregym_register_oracles() -> list[Registration]:
    """One oracle."""
    return [Registration("acme-names-inside", "acme_sregym_dns.names:NamesInside")]
