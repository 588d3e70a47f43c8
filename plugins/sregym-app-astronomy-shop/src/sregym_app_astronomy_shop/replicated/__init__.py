"""Astronomy Shop whose database has standbys, and whose orders count when one of them has them."""

from __future__ import annotations

from sregym_app_astronomy_shop.replicated.application import AstronomyShopReplicated

__all__ = ["AstronomyShopReplicated"]
