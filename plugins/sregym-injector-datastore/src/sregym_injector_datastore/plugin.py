"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_injectors() -> list[Offer]:
    """The faults of this plugin."""
    module = "sregym_injector_datastore.mongodb_accounts"
    return [
        Offer("mongodb-role-revoked", f"{module}:MongodbRoleRevoked"),
        Offer("mongodb-user-dropped", f"{module}:MongodbUserDropped"),
    ]
