"""A provider of language models on loopback that says what a test scripts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_agents.testing import Provider
from sregym_agents.testing import provider as serving


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serving() as server:
        yield server
