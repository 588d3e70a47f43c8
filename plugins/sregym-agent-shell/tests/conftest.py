"""Sessions that hand out a kubeconfig, of a cluster that nobody serves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_core.interfaces import Budget, ClusterSpec
from sregym_core.testing import AddressedCluster, Provision, ScriptedSession, Shop


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "session"
    made.mkdir()
    return made


@pytest.fixture
def provision(folder: Path) -> Provision:
    def give(_spec: ClusterSpec) -> AddressedCluster:
        return AddressedCluster(folder)

    return give


@pytest.fixture
def new_session(provision: Provision) -> Callable[..., ScriptedSession]:
    def make(wall_s: float | None = 60.0) -> ScriptedSession:
        return ScriptedSession(Shop(), provision, budget=Budget(wall_s=wall_s))

    return make
