"""Claims are compared field by field, and no field can be filled so that it says several things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError
from sregym_core.model import Claims
from sregym_oracle_checklist.oracle import judge_diagnosis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import Component, GroundTruth

RIGHT: dict[str, Any] = {
    "component": "mongodb-rate",
    "kind": "Deployment",
    "mechanism": "memory-limit-too-low",
    "detail": "limits.memory",
    "after": "10Mi",
}


def outcome(
    ground_truths: dict[str, GroundTruth],
    components: Sequence[Component],
    text: str = "",
    **changed: Any,
) -> str:
    claims = Claims(**{**RIGHT, **changed})
    return judge_diagnosis(text, claims, [ground_truths["memory-limit"]], components).outcome


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"component": "deployment/mongodb-rate"},
        {"component": "hotel-reservation/mongodb-rate"},
        {"component": "the mongodb-rate deployment"},
        {"mechanism": "memory limit too low"},
        {"contributing": ("rate",)},
    ],
    ids=str,
)
def test_what_names_one_component_and_one_mechanism_passes(
    changed: dict[str, Any], ground_truths: dict[str, GroundTruth], components: Sequence[Component]
) -> None:
    assert outcome(ground_truths, components, **changed) == "pass"


@pytest.mark.parametrize(
    "changed",
    [
        {"component": "mongodb-rate, geo"},
        {"component": "mongodb-rate or geo"},
        {"component": "geo/mongodb-rate"},
        {"component": "mongodb-rate/geo"},
        {"component": "not mongodb-rate"},
        {"component": "anything but mongodb-rate"},
        {"component": "*"},
        {"component": '["mongodb-rate", "geo"]'},
        {"component": f"mongodb-rate {'x' * 5_000}"},
        {"mechanism": "memory-limit-too-low; wrong-image; network-policy"},
        {"mechanism": "not memory-limit-too-low"},
        {"mechanism": "no memory limit too low"},
        {"mechanism": "wrong image tag"},
        {"namespace": "kube-system"},
    ],
    ids=lambda changed: str(changed)[:60],
)
def test_what_names_several_or_denies_does_not(
    changed: dict[str, Any], ground_truths: dict[str, GroundTruth], components: Sequence[Component]
) -> None:
    assert outcome(ground_truths, components, **changed) == "fail"


def test_whoever_claims_everybody_contributes_has_told_no_origin(
    ground_truths: dict[str, GroundTruth], components: Sequence[Component]
) -> None:
    everybody = tuple(part.name for part in components)
    assert outcome(ground_truths, components, contributing=everybody) == "fail"
    assert outcome(ground_truths, components, contributing=("x",) * 100_000) == "pass"


def test_claims_stand_where_the_text_says_something_else(
    ground_truths: dict[str, GroundTruth], components: Sequence[Component]
) -> None:
    other, right = (
        "The root cause is geo: wrong image.",
        "mongodb-rate: memory limit too low, 10Mi.",
    )
    assert outcome(ground_truths, components, other) == "pass"
    assert outcome(ground_truths, components, right, component="geo") == "fail"


def test_a_field_takes_one_value() -> None:
    with pytest.raises(ValidationError, match="Input should be a valid string"):
        Claims(**{**RIGHT, "component": ["mongodb-rate"]})
