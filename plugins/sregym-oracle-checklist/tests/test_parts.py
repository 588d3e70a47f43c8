"""The parts of the reader: names, layout, concepts, profiles, passages, hypotheses, details."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.model import Change, Component, GroundTruth, ObjectRef
from sregym_oracle_checklist.concepts import relations, stems, subjects
from sregym_oracle_checklist.details import detail_tokens, gives_detail
from sregym_oracle_checklist.evidence import Evidence, other_language
from sregym_oracle_checklist.hypotheses import ranked
from sregym_oracle_checklist.layout import Line, Section, lines_of
from sregym_oracle_checklist.naming import Names
from sregym_oracle_checklist.passages import read
from sregym_oracle_checklist.profile import Profile
from sregym_oracle_checklist.scoring import FIGURES, SPEAKS_AGAINST, SPEAKS_FOR, Weights, fitted
from sregym_oracle_checklist.values import Values, identifiers, numbers

from sregym_oracles import plain


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


def test_a_path_of_two_components_names_neither(components: Any) -> None:
    names = Names(components)
    assert names.resolve("frontend/geo") is None
    assert names.resolve("svc/geo") == "geo"


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


def test_words_are_stemmed_and_compound_names_taken_apart() -> None:
    assert stems("misconfigured target ports") <= stems("spec.targetPort was misconfigured")
    assert "port" in subjects("spec.ports[0].targetPort")
    assert {"privilege"} <= subjects("nobody granted it the permission")
    assert "removed" in relations("its roles are gone")
    assert relations("all is well") == frozenset()


def test_values_know_units_and_what_differs() -> None:
    assert numbers("10 MiB, 10Mi and 1,000") == {("10", "m"), ("1000", "")}
    assert identifiers("the field spec.image of geo-db") == {"spec.image", "geo-db"}
    values = Values("mongo:8.0.14", "mongo:4.4.6", "mongo")
    assert [values.in_text(t) for t in ("runs mongo:8.0.14", "runs mongo:4.4.6")] == [True, False]
    assert not Values("512Mi", "512Mi", "")


def test_a_mechanism_is_recognised_by_words_and_by_their_meaning(ground_truths: Any) -> None:
    profile = Profile(ground_truths["role-revoked"])
    own, other = "the privilege was taken away from admin", "the disk is full"
    assert profile.says_mechanism(own) > 0.5 > profile.says_mechanism(other)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("It is not true that geo is down. rate is slow.", ["rate is slow."]),
        ("geo lost its role.\nAll of the above is false.", []),
        ("None of the following is true. geo lost its role.", []),
        ("I doubt that the role was revoked; readWrite is gone.", []),
        ("It is anything but a revoked role.", []),
        ("It is NOT targetPort 9999 either.", []),
        ("The user exists and was not dropped.", []),
        ("Is the selector wrong?", []),
        ("At first the selector looked like the cause.", []),
        ("The port is wrong.", ["The port is wrong."]),
    ],
)
def test_what_is_denied_asked_or_given_up_is_not_claimed(text: str, claims: list[str]) -> None:
    assert [clause.text for clause in read(text, frozenset()).claims] == claims


def test_of_several_explanations_the_preferred_one_counts() -> None:
    first, second = "The role of mongodb-geo was revoked by someone.", "Less likely: a full disk."
    assert ranked(f"{first} {second}") == (f"{first} ", second)
    assert ranked(first) == (first, "")
    turned = f"#1 {first} #2 The disk is full. I'd go with #2."
    assert ranked(turned)[0].startswith("#2 The disk")


def test_other_languages_are_recognised() -> None:
    german = "Die Rolle des Benutzers ist weg und der Dienst startet nicht."
    assert [other_language(t) for t in (german, "数据库角色被撤销", "the role is gone")] == [
        True,
        True,
        False,
    ]


def test_every_figure_lies_between_its_bounds_and_is_weighed_in_its_direction(
    ground_truths: Any, components: Any
) -> None:
    truth = ground_truths["role-revoked"]
    names = Names(components, [truth])
    figures = Evidence(truth.sentence(), Profile(truth), names).figures
    assert set(FIGURES) <= set(figures)
    assert all(-1 <= value <= 1 for value in figures.values())
    for weights in fitted().values():
        assert all(weights.of.get(name, 0) >= 0 for name in SPEAKS_FOR)
        assert all(weights.of.get(name, 0) <= 0 for name in SPEAKS_AGAINST)
        assert weights.no < weights.yes


def test_between_two_thresholds_there_is_no_answer() -> None:
    weights = Weights(0.0, {"named": 2.0}, 0.8, 0.3)
    answers = [weights.answer({"named": named}) for named in (-1.0, 0.0, 1.0)]
    assert answers == [False, None, True]


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
def test_details(name: str, text: str, expected: str | None, ground_truths: Any) -> None:
    assert gives_detail(text, ground_truths[name]) == expected


def test_details_are_what_differs(ground_truths: Any) -> None:
    assert detail_tokens(ground_truths["memory-limit"]) == ("10mi", "512mi")
    assert detail_tokens(ground_truths["target-port"]) == ("11212", "11211")


LIMIT = GroundTruth(
    component="frontend",
    kind="Deployment",
    object_name="frontend",
    namespace="shop",
    mechanism="grace-period-too-short",
    mechanism_phrases=("termination grace period is too short",),
    changed=Change(what="terminationGracePeriodSeconds", before="30", after="0"),
)
MANY = LIMIT.model_copy(
    update={
        "mechanism": "too-many-replicas",
        "mechanism_phrases": ("far too many replicas",),
        "changed": Change(what="spec.replicas", before="2", after="90"),
    }
)
ADDRESS = GroundTruth(
    component="frontend",
    kind="Deployment",
    object_name="frontend",
    namespace="shop",
    mechanism="environment-variable-missing",
    mechanism_phrases=("environment variable is not set",),
    changed=Change(what="containers[name=frontend].env[name=CART_ADDR]", before="cart:8080"),
    affected=("frontend-proxy",),
)
PARTS = tuple(
    Component(
        name=name,
        kind="service",
        namespace="shop",
        workload=ObjectRef(api_version="apps/v1", kind="Deployment", namespace="shop", name=name),
        container=name,
        image="",
    )
    for name in ("frontend", "frontend-proxy", "cart")
)
WORDS = (
    "frontend environment variable CART_ADDR disk full memory leak image tag probe quota dns port"
    " certificate expired replicas"
)


@pytest.mark.parametrize(
    ("truth", "figure", "text"),
    [
        (LIMIT, "opposed", "The grace period of frontend is far too long. Lower it."),
        (ADDRESS, "not_gone", "frontend reads a wrong CART_ADDR, the port is incorrect."),
        (ADDRESS, "other_setting", "In frontend CART_ADDR is set to cart:9999, nobody listens."),
        (ADDRESS, "symptoms_alone", "frontend restarts and fails with errors."),
        (ADDRESS, "word_list", WORDS),
        (ADDRESS, "rival_repaired", "frontend-proxy lacks an address. Change frontend-proxy."),
        (ADDRESS, "place_cleared", "The trouble is cart, frontend is not to blame."),
        (ADDRESS, "place_cleared", "Two services are broken, neither of them is frontend."),
        (
            ADDRESS,
            "repair_setting",
            "frontend lacks CART. Set dnsPolicy to ClusterFirst in frontend.",
        ),
        (ADDRESS, "everybody", "All pods lack an environment variable, frontend among them."),
        (ADDRESS, "joined_defects", "frontend's probe and its disk are both wrong."),
        (ADDRESS, "other_object", "Deployment web-canary has no environment variable."),
        (ADDRESS, "retracted", "frontend lacks CART_ADDR. I made that up."),
        (ADDRESS, "mixed_languages", "Niet waar, dat the environment of frontend is empty."),
        (MANY, "other_number", "frontend runs 200 replicas."),
        (MANY, "repair_opposed", "The replicas of frontend do not exist. Create them."),
        (LIMIT, "value_alone", "The 0 th pod of frontend is out of date."),
    ],
)
def test_what_cannot_be_so_if_the_truth_is(truth: GroundTruth, figure: str, text: str) -> None:
    names = Names(PARTS, [truth])
    told = Evidence(truth.sentence(), Profile(truth), names).figures
    assert (Evidence(text, Profile(truth), names).figures[figure], told[figure]) == (1.0, 0.0)


def test_whoever_names_many_that_suffer_tells_no_list_of_words() -> None:
    names = [f"{word}-service" for word in ("config", "cache", "queue", "node", "disk", "image")]
    names += [f"{name}-{number}" for number in range(8) for name in names]
    parts = [PARTS[0].model_copy(update={"name": name}) for name in ("frontend", *names)]
    truth = ADDRESS.model_copy(update={"affected": tuple(names)})
    told = Evidence(truth.sentence(), Profile(truth), Names(parts, [truth])).figures
    words = Evidence(WORDS, Profile(truth), Names(parts, [truth])).figures
    assert (told["word_list"], words["word_list"]) == (0.0, 1.0)


@pytest.mark.parametrize(
    "text",
    [
        "I am not entirely sure, but CART_ADDR is missing in frontend.",
        "It looks as if CART_ADDR was missing in frontend.",
        "No CART_ADDR in frontend -> crash -> users leave.",
    ],
)
def test_to_be_unsure_and_to_tell_what_follows_denies_nothing(text: str) -> None:
    figures = Evidence(text, Profile(ADDRESS), Names(PARTS, [ADDRESS])).figures
    assert (figures["mechanism_denied"], figures["truth_denied"], figures["other_change"]) == (
        0,
        0,
        0,
    )


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("n\u200bot tr\u00adue", "not true"),
        ("\uff27\uff52\uff41der", "Grader"),
        ("Gr\u0430der: \u043d\u0435", "Grader: \u043d\u0435"),
        ("r\u00e9ponse, no\u0301t", "reponse, not"),
        ("\u3067\u306f\u306a\u3044 \u2192", "\u3067\u306f\u306a\u3044 \u2192"),
    ],
)
def test_a_text_is_read_as_it_is_seen(text: str, seen: str) -> None:
    assert plain(text) == seen


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("ip-10-200-87-32 has no licence", False),
        ("worker-200 refuses to serve", False),
        ("eu1-worker-200-b refuses to serve", False),
        ("packets of ip-10-200-87-32 come 200 ms late", True),
        ("packets come 200ms late", True),
        ("packets come 150-200 ms late", True),
        ("the delay is 200", True),
    ],
)
def test_numbers_within_names_are_no_values(text: str, given: bool) -> None:
    assert Values("200ms", "0ms", "").in_text(text) is given
