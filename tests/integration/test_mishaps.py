"""What goes wrong in every simulated world without being a cause."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

import pytest
from sregym_core.api import Environment, Workspace
from sregym_core.settings import Settings
from sregym_runs import pair

APPLICATION = "hotel-reservation"


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace(Settings())


def _by_readiness(cluster: Any, namespace: str, ready: bool) -> set[str]:
    """Workloads with a pod that is ready, or with one that is not."""
    return {
        pod["metadata"]["name"].rsplit("-", 2)[0]
        for pod in cluster.list("v1", "Pod", namespace)
        if ready
        is any(
            one["type"] == "Ready" and one["status"] == "True"
            for one in pod["status"]["conditions"]
        )
    }


def _not_ready(cluster: Any, namespace: str) -> set[str]:
    return _by_readiness(cluster, namespace, False)


def test_some_alerts_are_old_and_some_containers_ended_before(workspace: Workspace) -> None:
    """They follow from the seed and the problem's name; where all pods are ready that stays so."""
    told = []
    for fault in ("service-selector", "service-selector", "service-target-port"):
        problem = pair(fault, APPLICATION, "frontend", workspace=workspace)
        with Environment(problem, seed=3, workspace=workspace) as environment:
            environment.reset()
            cluster = environment.cluster
            now = cluster.clock.now()
            alerts = json.loads(cluster.observe("alertmanager", "/api/v2/alerts").body)
            old = {
                (alert["labels"]["alertname"], alert["labels"]["service"])
                for alert in alerts
                if datetime.fromisoformat(alert["startsAt"]).timestamp() < now - 3600.0
            }
            restarts = sum(
                status["restartCount"]
                for pod in cluster.list("v1", "Pod", APPLICATION)
                for status in pod["status"]["containerStatuses"]
            )
            assert restarts > 0
            assert _not_ready(cluster, APPLICATION) == set()
            told.append(old)
    first, again, other = told
    assert first == again != other
    assert all(1 <= len(old) <= 5 for old in told)


def test_where_something_is_not_ready_something_else_waits_too(workspace: Workspace) -> None:
    """Something that users can do without, and whose end loses no evidence; or the old pods serve on."""
    problem = pair("image-wrong", "astronomy-shop", "quote", workspace=workspace)
    parts = workspace.application("astronomy-shop").components()
    with Environment(problem, seed=3, workspace=workspace) as environment:
        environment.reset()
        others = _not_ready(environment.cluster, "astronomy-shop") - {"quote"}
        served = _by_readiness(environment.cluster, "astronomy-shop", True)
    assert others
    others -= served
    assert others
    assert others <= {
        part.name
        for part in parts
        if not part.operations and part.kind not in ("datastore", "tracing")
    }


def test_what_goes_on_beside_a_fault_costs_users_nothing(workspace: Workspace) -> None:
    """A cache that is replaced makes its caller crash, which the kubelet then holds back for former crashes."""
    problem = "missing_service_hotel_reservation"
    with Environment(problem, seed=14, broken=False, workspace=workspace) as env:
        env.reset()
        log = env.step("kubectl", command="logs -n load deployment/hotel-load --tail=4").text
    counts = [re.findall(r"(?:requests|ok)=(\d+)", line) for line in log.splitlines()]
    asked, served = (sum(int(pair[place]) for pair in counts) for place in (0, 1))
    assert asked > 100
    assert served > 0.98 * asked
