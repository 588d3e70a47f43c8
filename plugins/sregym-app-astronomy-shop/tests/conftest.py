from __future__ import annotations

from typing import Any

import pytest
from sregym_app_astronomy_shop.application import AstronomyShop


@pytest.fixture(scope="session")
def shop() -> AstronomyShop:
    return AstronomyShop()


@pytest.fixture(scope="session")
def objects(shop: AstronomyShop) -> dict[tuple[str, str], dict[str, Any]]:
    """Manifests by kind and name."""
    return {(obj["kind"], obj["metadata"]["name"]): obj for obj in shop.manifests()}
