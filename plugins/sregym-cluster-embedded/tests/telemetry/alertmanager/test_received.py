"""Alerts that somebody posts to the Alertmanager, besides those of rules."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.telemetry.alertmanager.routes import fingerprint
from sregym_cluster_embedded.telemetry.endpoints import service
from sregym_cluster_embedded.telemetry.rules import firing
from sregym_cluster_embedded.world import World

ALERT = {
    "labels": {"alertname": "Odd", "z": "y", "empty": ""},
    "annotations": {"summary": "It is odd"},
    "generatorURL": "http://watcher.example/odd",
}


@pytest.fixture(scope="module")
def bare() -> World:
    made = build(Blueprint())
    made.run_until(120)
    return made


@pytest.fixture
def world(bare: World) -> World:
    return bare.fork()


def ask(world: World, method: str, content: Any = None, query: str = "") -> tuple[int, Any]:
    body = b"" if content is None else json.dumps(content).encode()
    pairs = (("filter", query),) if query else ()
    found = service("alertmanager")(world, Request(method, "/api/v2/alerts", pairs, {}, body))
    return found.status, json.loads(found.body) if found.body else None


def test_fingerprints_are_those_of_prometheus() -> None:
    assert fingerprint({"z": "y", "a": "x"}) == "2790632e6bdab087"
    assert fingerprint(
        {"alertname": "A", "namespace": "n", "pod": "p", "severity": "critical"}
    ) == ("6c924edbced2334b")


def test_a_posted_alert_is_there_until_it_is_over(world: World) -> None:
    before = world.digest()
    twin = world.fork()

    # Clients written in Go send their first moment for none.
    never = {"startsAt": "0001-01-01T00:00:00.000Z", "endsAt": "0001-01-01T00:00:00.000Z"}
    assert ask(twin, "POST", [{**ALERT, **never}]) == (200, None)
    assert ask(twin, "GET", query="alertname=Odd") == (
        200,
        [
            {
                "annotations": {"summary": "It is odd"},
                "endsAt": world.timestamp(world.now + 300),
                "fingerprint": fingerprint({"alertname": "Odd", "z": "y"}),
                "receivers": [{"name": "default"}],
                "startsAt": world.timestamp(),
                "updatedAt": world.timestamp(),
                "generatorURL": "http://watcher.example/odd",
                "labels": {"alertname": "Odd", "z": "y"},
                "status": {"inhibitedBy": [], "silencedBy": [], "state": "active"},
            }
        ],
    )
    # It is state of its world alone, and no rule's.
    assert (world.digest(), ask(world, "GET")) == (before, (200, []))
    assert twin.digest() != before
    assert firing(twin) == []
    twin.run_until(twin.now + 100)
    ask(twin, "POST", [{"labels": ALERT["labels"]}])
    _, (again,) = ask(twin, "GET")
    assert (again["startsAt"], again["annotations"]) == (world.timestamp(), {})
    assert again["endsAt"] == world.timestamp(world.now + 400)
    twin.run_until(twin.now + 301)
    assert ask(twin, "GET") == (200, [])


def test_an_alert_is_ended_by_its_end(world: World) -> None:
    ask(world, "POST", [ALERT])
    over = world.timestamp()

    assert ask(world, "POST", [{"labels": ALERT["labels"], "endsAt": over}]) == (200, None)
    assert ask(world, "GET") == (200, [])


@pytest.mark.parametrize(
    ("content", "status", "answer"),
    [
        (None, 422, {"code": 602, "message": "alerts in body is required"}),
        ([{}], 422, {"code": 602, "message": "0.labels in body is required"}),
        ([None], 422, {"code": 602, "message": "0.labels in body is required"}),
        ([{"labels": {"a": ""}}], 400, "at least one label pair required"),
        ([{"labels": {"a-b": "x"}}], 400, 'invalid label set: invalid name "a-b"'),
        (
            [{"labels": {"a": "x"}, "annotations": {"b-c": "x"}}],
            400,
            'invalid annotations: invalid name "b-c"',
        ),
        (
            [{"labels": {"a": "x"}, "generatorURL": "::"}],
            422,
            {"code": 601, "message": '0.generatorURL in body must be of type uri: "::"'},
        ),
        (
            [{"labels": {"a": "x"}, "startsAt": "2026-01-02T00:00:00Z", "endsAt": "2026-01-01T00:00:00Z"}],
            400,
            "start time must be before end time",
        ),
        (
            {"a": 1},
            400,
            {
                "code": 400,
                "message": 'parsing alerts body from "" failed, because json: cannot unmarshal '
                "object into Go value of type models.PostableAlerts",
            },
        ),
        (
            [{"labels": {"a": 1}}],
            400,
            {
                "code": 400,
                "message": 'parsing alerts body from "" failed, because json: cannot unmarshal '
                "number into Go struct field Alert.labels of type string",
            },
        ),
        (
            [{"labels": []}],
            400,
            {
                "code": 400,
                "message": 'parsing alerts body from "" failed, because json: cannot unmarshal '
                "array into Go struct field Alert.labels of type models.LabelSet",
            },
        ),
        (
            [{"labels": {}, "endsAt": 1}],
            400,
            {
                "code": 400,
                "message": 'parsing alerts body from "" failed, because json: cannot unmarshal '
                "number into Go struct field .endsAt of type string",
            },
        ),
        (
            [1],
            400,
            {
                "code": 400,
                "message": 'parsing alerts body from "" failed, because json: cannot unmarshal '
                'number into Go value of type struct { Annotations models.LabelSet '
                '"json:\\"annotations,omitempty\\""; EndsAt strfmt.DateTime '
                '"json:\\"endsAt,omitempty\\""; StartsAt strfmt.DateTime '
                '"json:\\"startsAt,omitempty\\"" }',
            },
        ),
    ],
)  # fmt: skip
def test_alerts_that_are_refused(world: World, content: Any, status: int, answer: Any) -> None:
    assert ask(world, "POST", content) == (status, answer)


def test_of_many_alerts_the_good_ones_are_kept(world: World) -> None:
    good, bad = {"labels": {"a": "x"}}, {"labels": {"a": ""}}

    assert ask(world, "POST", [bad, good, bad]) == (
        400,
        "at least one label pair required; at least one label pair required",
    )
    assert [alert["labels"] for alert in ask(world, "GET")[1]] == [{"a": "x"}]
