"""The parts of the reader: names, layout, mechanisms, details."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_oracle_checklist.details import detail_tokens, gives_detail
from sregym_oracle_checklist.layout import Line, Section, lines_of
from sregym_oracle_checklist.mechanisms import hits, says_mechanism, truth_family
from sregym_oracle_checklist.naming import Names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("geo", ["geo"]),
        ("mongodb-geo is not geo", ["mongodb-geo", "geo"]),
        ("the `geo` service and Deployment/geo and hotel-reserv-geo", ["geo"] * 3),
        ("pod geo-7d9f8b6c5d-x2x4z", ["geo"]),
        ("geo-deployment, geo-svc, svc/geo, hotel-reservation/geo", ["geo"] * 4),
        ("geo.hotel-reservation.svc.cluster.local:8083", ["geo"]),
        ("mongodb-geo:27017", ["mongodb-geo"]),
        ("geo's MongoDB", ["mongodb-geo"]),
        ("the database of rate", ["mongodb-rate"]),
        ("the geo database, MongoDB for rate, mongo-geo", ["mongodb-geo", "mongodb-rate", "mongodb-geo"]),
        ("ConfigMap geo-config, mongo-geo-script", ["geo", "mongodb-geo"]),
        ("memcached for profile", ["memcached-profile"]),
        ("the error rate of user requests and search results", []),
        ("the database user was dropped", []),
        ("GET /reservation and /user", []),
        ("io.kompose.service=geo", []),
        ("hotel-reservation and geography", []),
        ("the user service, search and rate", ["user", "search", "rate"]),
        ("GEO and Frontend", ["geo", "frontend"]),
        ("Deployment shop in namespace geo", []),
    ],
)  # fmt: skip
def test_names(text: str, expected: list[str], components: Any) -> None:
    assert [mention.component for mention in Names(components).find(text)] == expected


def test_layout_takes_markdown_apart() -> None:
    text = """\
## Root cause
**geo** is `wrong`
- Impact: search fails
Ruled out:
1. consul
```
geo 0/1
```
"""
    assert lines_of(text, frozenset({"geo", "recommendation"})) == [
        Line("geo is `wrong`", Section.CAUSE, opens=True),
        Line("search fails", Section.EFFECT, opens=True),
        Line("consul", Section.CLEARED, opens=True),
        Line("geo 0/1", Section.EVIDENCE),
    ]


def test_layout_joins_what_an_editor_broke_and_reads_json() -> None:
    long = "a sentence that goes on for so long that an editor broke it in the very"
    assert lines_of(f"{long}\nmiddle of it", frozenset()) == [Line(f"{long} middle of it")]
    assert lines_of('{"component": "geo", "replicas": 0, "affected": ["search"]}', frozenset()) == [
        Line("geo", Section.CAUSE, opens=True),
        Line("replicas 0", Section.NONE, opens=True),
        Line("search", Section.EFFECT, opens=True),
    ]


def test_a_component_is_never_taken_for_a_heading() -> None:
    assert lines_of("recommendation: scaled to 0", frozenset({"recommendation"})) == [
        Line("recommendation: scaled to 0")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the selector does not match any pod", {"service-selector"}),
        ("the Service is missing endpoints", set()),
        ("the Service is missing", {"service-missing"}),
        ("ConfigMap geo-config lacks a key", {"configmap-drift"}),
        ("the ConfigMap was deleted", {"configmap-missing"}),
        ("the role of the user was removed", {"role-revoked"}),
        ("the database user was removed", {"account-dropped"}),
        ("the image is not wrong", set()),
        ("it was never OOMKilled", set()),
        ("the selector of the Service is wrong", {"service-selector"}),
        ("no problem at all", set()),
    ],
)
def test_mechanisms(text: str, expected: set[str]) -> None:
    assert {hit.family for hit in hits(text)} == expected


def test_truths_know_their_family(truths: Any) -> None:
    assert {name: truth_family(truth) for name, truth in truths.items()} == {
        "config-drift": "configmap-drift",
        "missing-configmap": "configmap-missing",
        "wrong-image": "image-wrong",
        "scaled-to-zero": "replicas-zero",
        "memory-limit": "resource-limit",
        "missing-service": "service-missing",
        "wrong-selector": "service-selector",
        "target-port": "service-target-port",
        "role-revoked": "role-revoked",
        "user-dropped": "account-dropped",
        "network-policy": "network-policy",
        "selector-wide": "selector-wide",
        "poisoned-name": "dns",
        "dns-down": "dns-down",
        "dns-policy": "dns-policy",
    }


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("memory-limit", "limit of 10 MiB", "10mi"),
        ("memory-limit", "limit of 110Mi", None),
        ("target-port", "port 11212", "11212"),
        ("scaled-to-zero", "zero replicas", "zero"),
        ("config-drift", "GeoMongoAddress is gone", "geomongoaddress"),
        ("wrong-selector", "label current_service_name", "current_service_name"),
        ("wrong-selector", "some label", None),
    ],
)
def test_details(name: str, text: str, expected: str | None, truths: Any) -> None:
    assert gives_detail(text, truths[name]) == expected


def test_details_are_what_differs(truths: Any) -> None:
    assert detail_tokens(truths["memory-limit"]) == ("10mi", "512mi")
    assert detail_tokens(truths["target-port"]) == ("11212", "11211")


@pytest.mark.parametrize(
    ("mechanism", "phrases", "said"),
    [
        (
            "replica-role-swapped",
            ("two primaries", "demoted to a secondary"),
            "there are two primaries",
        ),
        (
            "wrong-role-label",
            ("labelled as a cache", "tier label"),
            "its pods are labelled as a cache",
        ),
        (
            "message-image-too-large",
            ("oversized picture",),
            "an oversized picture blocks the queue",
        ),
    ],
)
def test_a_word_of_a_slug_does_not_take_its_authors_phrases(
    mechanism: str, phrases: tuple[str, ...], said: str, truths: Any
) -> None:
    own = {"mechanism": mechanism, "mechanism_phrases": phrases}
    truth = truths["role-revoked"].model_copy(update=own)
    assert (truth_family(truth), says_mechanism(said, truth)) == (mechanism, True)
