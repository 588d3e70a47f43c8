"""The shop with two programs more; its own YAML files say only what comes besides."""

from __future__ import annotations

from typing import ClassVar

from sregym_apps.variant import Variant

from sregym_app_astronomy_shop.application import AstronomyShop


class AstronomyShopFulfillment(Variant, AstronomyShop):
    """Astronomy Shop whose orders go on to a warehouse: order-stream sends them, orders-validator takes them."""

    name: ClassVar[str] = "astronomy-shop-fulfillment"
    title: ClassVar[str] = "Astronomy Shop with fulfillment of orders"
    description: ClassVar[str] = AstronomyShop.description.replace(
        "cart keeps its data",
        "For the warehouse, order-stream sends an order every two seconds to topic orders-fulfillment;\n"
        "orders-validator takes them one after the other and writes what is valid to topic\n"
        "orders-processed. cart keeps its data",
    )
    differing: ClassVar[str] = "fulfillment"
