"""What this distribution contributes: an application and its problems."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

_HERE = "sregym_app_astronomy_shop"


@hookimpl
def sregym_register_applications() -> Sequence[Registration]:
    """Astronomy Shop, alone, with the fulfillment of its orders, with reviews, and with a replicated database."""
    return [
        Registration("astronomy-shop", f"{_HERE}.application:AstronomyShop"),
        Registration(
            "astronomy-shop-fulfillment",
            f"{_HERE}.fulfillment.application:AstronomyShopFulfillment",
        ),
        Registration("astronomy-shop-reviews", f"{_HERE}.reviews.application:AstronomyShopReviews"),
        Registration(
            "astronomy-shop-replicated",
            f"{_HERE}.replicated.application:AstronomyShopReplicated",
        ),
    ]


@hookimpl
def sregym_register_problems() -> Sequence[Traversable]:
    """The problems of Astronomy Shop."""
    return [files("sregym_app_astronomy_shop") / "problems"]
