from __future__ import annotations

from typing import Any

import pytest
from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_apps.model import ServiceModel


@pytest.fixture(scope="session")
def hotel() -> HotelReservation:
    return HotelReservation()


@pytest.fixture(scope="session")
def model(hotel: HotelReservation) -> ServiceModel:
    model: ServiceModel
    (model,) = hotel.service_models()
    return model


@pytest.fixture(scope="session")
def objects(hotel: HotelReservation) -> dict[tuple[str, str], dict[str, Any]]:
    """Manifests by kind and name."""
    return {(obj["kind"], obj["metadata"]["name"]): obj for obj in hotel.manifests()}
