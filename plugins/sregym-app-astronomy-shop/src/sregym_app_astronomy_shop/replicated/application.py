"""The shop with a replicated database; its own YAML files say only what differs."""

from __future__ import annotations

from typing import ClassVar

from sregym_apps.variant import Variant

from sregym_app_astronomy_shop.application import AstronomyShop


class AstronomyShopReplicated(Variant, AstronomyShop):
    """Astronomy Shop on PostgreSQL with two standbys, where checkout keeps orders, and Valkey with Sentinels."""

    name: ClassVar[str] = "astronomy-shop-replicated"
    title: ClassVar[str] = "Astronomy Shop with replicated stores"
    description: ClassVar[str] = AstronomyShop.description.replace(
        "cart keeps its data",
        "postgresql is a StatefulSet of\nthree: postgresql-0 begins as the primary, the others stream from it as standbys. A commit counts\n"
        "when one standby has applied it (synchronous_commit = remote_apply). product-catalog reads from a\n"
        "standby where it can; checkout keeps each order in table ledger.orders before it goes on, as user\n"
        "otelu, and finds the primary by its session attributes. valkey-cart is a StatefulSet of three,\n"
        "one of which leads; a write needs a replica. Beside each is a Sentinel (port 26379, master carts,\n"
        "quorum 2), of which cart asks who leads. cart keeps its data",
    )
    differing: ClassVar[str] = "replicated"
