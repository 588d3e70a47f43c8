"""Which noise a wrong diagnosis followed."""

from __future__ import annotations

import pytest
from sregym_core.model import (
    Change,
    Claims,
    GroundTruth,
    Outcome,
    StageRecord,
    TimelineEntry,
    Verdict,
)
from sregym_injectors.noise.blamed import noise_blamed

TRUTH = GroundTruth(
    component="cart",
    kind="Service",
    object_name="cart-svc",
    namespace="shop",
    mechanism="target-port",
    changed=Change(what="spec.ports[0].targetPort"),
)


def made(at_s, noise, *subjects):
    fields = {"noise": noise, "what": "something", "subjects": list(subjects)}
    return TimelineEntry(at_s=at_s, wall_s=0.0, event="NoiseMade", fields=fields)


ENTRIES = [
    made(10.0, "pod-restart", "geo", "geo-1"),
    made(20.0, "cpu-neighbour", "worker-1"),
    made(25.0, "label-edit", "cart"),
    made(99.0, "zombies", "rate-config-old"),
]


def stage(text, outcome=Outcome.FAIL, component=""):
    claims = Claims(component=component) if component else None
    verdict = Verdict(outcome=outcome)
    return StageRecord(text=text, claims=claims, submitted_at_s=50.0, verdict=verdict)


@pytest.mark.parametrize(
    ("submitted", "blamed"),
    [
        (stage("Pods of geo were restarted, it is broken."), ("pod-restart",)),
        (stage("worker-1 is short of CPU and geo suffers"), ("pod-restart", "cpu-neighbour")),
        (stage("nothing is known", component="geo"), ("pod-restart",)),
        # The name of another component has that of a victim in it.
        (stage("mongodb-geo lost its volume"), ()),
        # It came later.
        (stage("rate-config-old is stale"), ()),
        # A root cause is named beside: whatever is wrong with it, no distractor was followed.
        (stage("geo fails because cart has a wrong port"), ()),
        (stage("cart is mislabelled"), ()),
        (stage("geo is broken", Outcome.PASS), ()),
        (stage(""), ()),
        (None, ()),
    ],
)
def test_what_is_blamed(submitted, blamed):
    assert noise_blamed(submitted, ENTRIES, lambda: (TRUTH,)) == blamed


def test_without_noise_nobody_asks_for_the_truth():
    def refuse():
        raise AssertionError("asked")

    assert noise_blamed(stage("geo is broken"), [], refuse) == ()
