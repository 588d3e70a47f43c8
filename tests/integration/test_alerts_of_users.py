"""Where users suffer, an alert of severity critical says so; what nobody notices warns at most."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from sregym_core.api import Environment, Workspace
from sregym_runs import pair

FRONT = "http://frontend.hotel-reservation.svc.cluster.local:5000/"


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with Workspace() as opened:
        yield opened


@pytest.mark.parametrize(
    ("fault", "target", "expected"),
    [
        # Those whom users ask are gone, though their pods are ready: nothing is left that could fail.
        ("service-selector", "frontend", {("HTTPProbeFailure", FRONT)}),
        ("replicas-zero", "frontend", {("HTTPProbeFailure", FRONT)}),
        # One of few requests in a hundred.
        ("replicas-zero", "user", {("HighRequestErrorRate", "HTTP GET /user"), ("HighRequestErrorRate", "HTTP GET /reservation")}),
        ("mongodb-user-dropped", "mongodb-rate", {("HighRequestErrorRate", "HTTP GET /hotels")}),
    ],
)  # fmt: skip
def test_somebody_on_call_is_told(
    workspace: Workspace, fault: str, target: str, expected: set[tuple[str, str]]
) -> None:
    problem = pair(fault, "hotel-reservation", target, workspace=workspace)
    with Environment(problem, workspace=workspace) as environment:
        environment.reset()
        environment.cluster.clock.advance(120.0)
        answer = environment.cluster.observe("alertmanager", "/api/v2/alerts").body
    told = [alert["labels"] for alert in json.loads(answer)]
    assert {
        (labels["alertname"], labels.get("span_name", labels.get("instance")))
        for labels in told
        if labels["severity"] == "critical"
    } == expected
    # Everything else is for the day, not for the night; what has fired for days may be for nobody.
    assert {labels["severity"] for labels in told} - {"info"} == {"critical", "warning"}
