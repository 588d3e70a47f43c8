"""A session whose cluster has services that answer what a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sregym_core.interfaces import Budget, ServiceAnswer
from sregym_testing import MemoryCluster, Provision, ScriptedSession, Shop


class Services:
    """Answers by path, and notes what was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, Any]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []

    def __call__(self, path: str, query: Sequence[tuple[str, str]]) -> ServiceAnswer:
        self.asked.append((path, dict(query)))
        status, content = self.answers.get(path, (404, "no such page"))
        body = content if isinstance(content, str) else json.dumps(content)
        return ServiceAnswer(status, body.encode())


@pytest.fixture
def services() -> Services:
    return Services()


@pytest.fixture
def new_session(provision: Provision, services: Services) -> Callable[..., ScriptedSession]:
    def make(**limits: Any) -> ScriptedSession:
        session = ScriptedSession(Shop(), provision, budget=Budget(**limits))
        cluster = session.watched.behind
        assert isinstance(cluster, MemoryCluster)
        for name in ("alertmanager", "prometheus", "loki", "jaeger"):
            cluster.observed[name] = services
        return session

    return make
