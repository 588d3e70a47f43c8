"""Alertmanager's API v2: alerts of a broken Deployment, and silences as state of the world."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.clock import SharedCache
from sregym_cluster_embedded.telemetry.alertmanager import routes
from sregym_cluster_embedded.telemetry.endpoints import service
from sregym_cluster_embedded.telemetry.rules import firing
from sregym_cluster_embedded.world import World
from sregym_regex.budget import Budget, under

BROKEN = {
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "ghcr.io/acme/none:1"}]},
        },
    },
}
OTHER = "5e1ac1e4-9a25-4a5b-8e3c-2f1bb1a0a3a4"
NAMES = ["DeploymentNotReady", "KubePodNotReady", "PendingPodsDetected", "PodStatusError"]


@pytest.fixture(scope="module")
def broken() -> World:
    """A cluster in which a Deployment cannot pull its image, after five minutes."""
    made = build(Blueprint())
    internal_client.create(made, "deployments.apps", BROKEN)
    made.run_until(300)
    return made


@pytest.fixture
def world(broken: World) -> World:
    return broken.fork()


def ask(world: World, path: str, method: str = "GET", body: Any = None) -> tuple[int, Any]:
    path, _, query = path.partition("?")
    pairs = tuple(parse_qsl(query, keep_blank_values=True))
    content = b"" if body is None else json.dumps(body).encode()
    found = service("alertmanager")(world, Request(method, path, pairs, {}, content))
    return found.status, json.loads(found.body) if found.body else None


def silence(world: World, **changes: Any) -> dict[str, Any]:
    return {
        "matchers": [{"name": "alertname", "value": "Pod.*", "isRegex": True}],
        "startsAt": world.timestamp(),
        "endsAt": world.timestamp(world.now + 600),
        "createdBy": "me",
        "comment": "known",
        **changes,
    }


def names(world: World, query: str = "") -> list[str]:
    status, alerts = ask(world, f"/api/v2/alerts{query}")
    assert status == 200
    return sorted(alert["labels"]["alertname"] for alert in alerts)


def test_alerts_are_those_that_fire(world: World) -> None:
    assert names(world) == NAMES
    assert names(world) == sorted(dict(alert.labels)["alertname"] for alert in firing(world))


def test_an_alert_has_the_form_of_the_api(world: World) -> None:
    _, (alert,) = ask(world, '/api/v2/alerts?filter=alertname="DeploymentNotReady"')

    assert alert == {
        "annotations": {
            "description": "No replica of deployment default/web is available.",
            "summary": "Deployment has no available replicas",
        },
        "endsAt": world.timestamp(world.now + 240),
        "fingerprint": alert["fingerprint"],
        "generatorURL": "http://prometheus:9090/graph?g0.expr=max+by+%28namespace%2C+deployment%29"
        "+%28kube_deployment_status_replicas_available%29+%3D%3D+0&g0.tab=1",
        "labels": {
            "alertname": "DeploymentNotReady",
            "deployment": "web",
            "namespace": "default",
            "severity": "warning",
        },
        "receivers": [{"name": "default"}],
        "startsAt": alert["startsAt"],
        "status": {"inhibitedBy": [], "silencedBy": [], "state": "active"},
        "updatedAt": world.timestamp(),
    }
    # As any Prometheus makes it of the labels.
    assert alert["fingerprint"] == "6ac7875f2c2240ff"


def test_filters_and_groups(world: World) -> None:
    assert names(world, "?filter=alertname=~Pod.*|Deployment.*") == [NAMES[0], NAMES[3]]
    assert names(world, "?filter=namespace!=default") == []
    assert names(world, r'?filter=alertname="Deployment\x4eotReady"') == []
    assert names(world, '?filter=alertname="DeploymentNotReady" ') == NAMES[:1]
    assert names(world, "?active=false") == names(world, "?active=maybe") == []
    assert names(world, "?active=1&receiver=def.*") == NAMES
    assert names(world, "?receiver=other") == []
    _, groups = ask(world, "/api/v2/alerts/groups")
    assert [group["labels"] for group in groups] == [
        {"alertname": name, "namespace": "default"} for name in NAMES
    ]
    assert {len(group["alerts"]) for group in groups} == {1}


def test_a_silence_mutes_until_it_ends(world: World) -> None:
    status, made = ask(world, "/api/v2/silences", "POST", silence(world))
    wanted = made["silenceID"]

    assert status == 200
    assert names(world, "?silenced=false") == NAMES[:3]
    _, (muted,) = ask(world, "/api/v2/alerts?active=false")
    assert muted["status"] == {"inhibitedBy": [], "silencedBy": [wanted], "state": "suppressed"}
    assert ask(world, "/api/v2/silences")[1] == [ask(world, f"/api/v2/silence/{wanted}")[1]]
    world.run_until(world.now + 601)
    assert names(world, "?silenced=false") == NAMES
    assert ask(world, f"/api/v2/silence/{wanted}")[1]["status"] == {"state": "expired"}


def test_a_silence_is_state_of_its_world_alone(world: World) -> None:
    before = world.digest()
    twin = world.fork()
    ask(twin, "/api/v2/silences", "POST", silence(world))

    assert world.digest() == before
    assert twin.digest() != before
    assert ask(world, "/api/v2/silences") == (200, [])


def test_a_silence_is_changed_and_ended(world: World) -> None:
    _, made = ask(world, "/api/v2/silences", "POST", silence(world))
    wanted = made["silenceID"]
    changed = silence(world, id=wanted, comment="longer", endsAt=world.timestamp(world.now + 900))

    assert ask(world, "/api/v2/silences", "POST", changed) == (200, {"silenceID": wanted})
    assert ask(world, f"/api/v2/silence/{wanted}")[1]["comment"] == "longer"
    assert ask(world, f"/api/v2/silence/{wanted}", "DELETE") == (200, None)
    assert names(world, "?silenced=false") == NAMES
    ended = ask(world, f"/api/v2/silence/{wanted}")
    world.run_until(world.now + 60)
    assert ask(world, f"/api/v2/silence/{wanted}", "DELETE") == (200, None)
    assert ask(world, f"/api/v2/silence/{wanted}") == ended
    assert ask(world, f"/api/v2/silence/{OTHER}", "DELETE") == (500, "silence not found")
    assert ask(world, f"/api/v2/silence/{OTHER}") == (404, None)
    assert ask(world, "/api/v2/silence/none") == (
        422,
        {"code": 601, "message": 'silenceID in path must be of type uuid: "none"'},
    )


def matching(**matcher: Any) -> dict[str, Any]:
    return {"matchers": [{"name": "a", "value": "b", "isRegex": False, **matcher}]}


def unread(why: str) -> dict[str, Any]:
    return {"code": 400, "message": f'parsing silence body from "" failed, because {why}'}


@pytest.mark.parametrize(
    ("changes", "status", "answer"),
    [
        (
            {"matchers": []},
            422,
            {"code": 612, "message": "matchers in body should have at least 1 items"},
        ),
        ({"matchers": None}, 422, {"code": 602, "message": "matchers in body is required"}),
        (
            matching(isRegex=None),
            422,
            {"code": 602, "message": "matchers.0.isRegex in body is required"},
        ),
        ({"comment": None}, 422, {"code": 602, "message": "comment in body is required"}),
        ({"startsAt": None}, 422, {"code": 602, "message": "startsAt in body is required"}),
        (
            matching(name="a-b"),
            400,
            'silence invalid: invalid label matcher 0: invalid label name "a-b"',
        ),
        (
            matching(value="(", isRegex=True),
            400,
            'silence invalid: invalid label matcher 0: invalid regular expression "(": '
            "error parsing regexp: missing closing ): `(`",
        ),
        (
            matching(value=""),
            400,
            "silence invalid: at least one matcher must not match the empty string",
        ),
        (
            {"startsAt": "2030-01-01T00:00:00Z", "endsAt": "2029-01-01T00:00:00Z"},
            400,
            "Failed to create silence: start time must be before end time",
        ),
        (
            {"startsAt": "2020-01-01T00:00:00Z", "endsAt": "2020-01-02T00:00:00Z"},
            400,
            "Failed to create silence: end time can't be in the past",
        ),
        ({"id": "none"}, 404, "silence not found"),
        (
            {"startsAt": "soon"},
            400,
            unread('parsing time "soon" as "2006-01-02 15:04:05": cannot parse "soon" as "2006"'),
        ),
        (
            {"startsAt": "2026-12-22"},
            400,
            unread('parsing time "2026-12-22" as "2006-01-02 15:04:05": cannot parse "" as "15"'),
        ),
        (
            {"startsAt": "2026-12-22 10:00:00.5.5"},
            400,
            unread('parsing time "2026-12-22 10:00:00.5.5": extra text: ".5.5"'),
        ),
        (
            {"startsAt": "2026-99-22 10:00:00"},
            400,
            unread('parsing time "2026-99-22 10:00:00": out of range'),
        ),
        (
            {"comment": 1},
            400,
            unread(
                "json: cannot unmarshal number into Go struct field Silence.comment of type string"
            ),
        ),
        (
            {"matchers": 1},
            400,
            unread(
                "json: cannot unmarshal number into Go struct field Silence.matchers of type "
                "models.Matchers"
            ),
        ),
        (
            {"matchers": ["a"]},
            400,
            unread(
                "json: cannot unmarshal string into Go struct field Silence.matchers of type "
                "models.Matcher"
            ),
        ),
        (
            matching(isRegex="x"),
            400,
            unread(
                "json: cannot unmarshal string into Go struct field Matcher.matchers.isRegex of "
                "type bool"
            ),
        ),
    ],
)
def test_silences_that_are_refused(
    world: World, changes: dict[str, Any], status: int, answer: Any
) -> None:
    assert ask(world, "/api/v2/silences", "POST", silence(world, **changes)) == (status, answer)


def posted(world: World, content: bytes, kind: str = "application/json") -> tuple[int, Any]:
    request = Request("POST", "/api/v2/silences", (), {"content-type": kind}, content)
    found = service("alertmanager")(world, request)
    return found.status, json.loads(found.body)


def test_bodies_that_are_none(world: World) -> None:
    assert posted(world, b"") == (422, {"code": 602, "message": "silence in body is required"})
    assert posted(world, b"{") == (400, unread("unexpected EOF"))
    assert posted(world, b"[]") == (
        400,
        unread(
            "json: cannot unmarshal array into Go value of type struct { ID string "
            '"json:\\"id,omitempty\\"" }'
        ),
    )
    assert posted(world, b"{}", "text/plain") == (
        415,
        {
            "code": 415,
            "message": 'unsupported media type "text/plain", only [application/json] are allowed',
        },
    )


@pytest.mark.parametrize(
    ("path", "method", "status", "answer"),
    [
        (
            "/api/v2/alert",
            "GET",
            404,
            {"code": 404, "message": "path /api/v2/alert was not found"},
        ),
        (
            "/api/v2/alerts",
            "DELETE",
            405,
            {"code": 405, "message": "method DELETE is not allowed, but [GET,POST] are"},
        ),
        ("/api/v2/alerts?filter=x", "GET", 400, "bad matcher format: x"),
        (
            "/api/v2/alerts?filter=x=~(",
            "GET",
            400,
            "error parsing regexp: missing closing ): `^(?:()$`",
        ),
        (
            '/api/v2/alerts?filter=x="y',
            "GET",
            400,
            'matcher value contains unescaped double quote: "y',
        ),
        (
            '/api/v2/silences?filter=x=y"z',
            "GET",
            400,
            'matcher value contains unescaped double quote: y"z',
        ),
        (
            "/api/v2/alerts/groups?receiver=(",
            "GET",
            400,
            "failed to parse receiver param: error parsing regexp: missing closing ): `^(?:()$`",
        ),
    ],
)
def test_requests_that_are_refused(
    world: World, path: str, method: str, status: int, answer: Any
) -> None:
    assert ask(world, path, method) == (status, answer)


def test_status_and_receivers(world: World) -> None:
    assert ask(world, "/api/v2/receivers") == (200, [{"name": "default"}])
    assert ask(world, "/api/v2/status")[1]["versionInfo"]["version"] == "0.25.0"
    assert ask(world, "/-/reload", "POST") == (200, None)
    found = service("alertmanager")(world, Request("GET", "/", ()))
    assert (found.status, found.body) == (404, b"404 page not found\n")


def test_what_rules_cost_is_nothing_that_a_request_pays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = names(world)
    # A request pays for the templates of what it shows, and the rules alone cost more than this.
    monkeypatch.setattr(routes, "_STEPS", 20_000)
    untold, rules = world.fork(), world.fork()
    untold.shared_cache, rules.shared_cache = SharedCache(), SharedCache()
    with under(Budget(1_000_000, 96 << 20)) as paid:
        firing(rules)
    assert paid.spent > 20_000
    assert names(untold) == whole == NAMES
