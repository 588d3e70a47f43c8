"""A session in a small shop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_core.interfaces import Budget
from sregym_testing import Provision, ScriptedSession, Shop


@pytest.fixture
def new_session(provision: Provision) -> Callable[..., ScriptedSession]:
    def make(**limits: Any) -> ScriptedSession:
        return ScriptedSession(Shop(), provision, budget=Budget(**limits))

    return make
