from __future__ import annotations

import pytest
from sregym_app_blueprint.application import BlueprintHotels


@pytest.fixture(scope="session")
def hotels() -> BlueprintHotels:
    return BlueprintHotels()
