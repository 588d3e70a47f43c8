"""What an agent did, and each class of failure, from transcripts by hand."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.api import Claims, EpisodeRecord, GroundTruth, Outcome
from sregym_core.model import Change, StageRecord, TimelineEntry, Tokens, ToolCall, Verdict

from sregym_statistics import FailureClass, ProblemFacts, conduct_of, cost_of, facts_of, summarise

TRUTH = GroundTruth(
    component="cart",
    kind="Service",
    object_name="cart-svc",
    namespace="shop",
    mechanism="service-selector-mismatch",
    changed=Change(what="spec.selector.app", before="cart", after="cart-old"),
)
COMPONENTS = ("cart", "cart-db", "pay")


def _call(command: str, at_s: float = 1.0, **fields: Any) -> ToolCall:
    given = {"at_s": at_s, "tool": "kubectl", "arguments": {"command": command}, "digest": command}
    return ToolCall.model_validate({**given, **fields})


def _submit(at_s: float) -> ToolCall:
    return ToolCall(at_s=at_s, tool="submit", arguments={"text": "..."})


def _stage(
    passed: bool, text: str = "", claims: Claims | None = None, at_s: Any = 9.0
) -> StageRecord:
    outcome = Outcome.PASS if passed else Outcome.FAIL
    return StageRecord(
        text=text, claims=claims, submitted_at_s=at_s, verdict=Verdict(outcome=outcome)
    )


def _record(
    calls: list[ToolCall],
    diagnosis: StageRecord | None,
    mitigation: StageRecord | None,
    **fields: Any,
) -> EpisodeRecord:
    given: dict[str, Any] = {
        "episode": "e0001",
        "problem": "p",
        "agent": "a",
        "seed": 0,
        "cluster": "embedded",
        "outcome": Outcome.FAIL,
        "diagnosis": diagnosis,
        "mitigation": mitigation,
        "transcript": tuple(calls),
    }
    return EpisodeRecord(**{**given, **fields})


LOOK = _call("kubectl get pods -n shop")
NOISE = TimelineEntry(
    at_s=3,
    wall_s=0,
    event="NoiseMade",
    fields={"what": "deleted Pod shop/pay-6f5-x of component pay"},
)
WRONG, RIGHT = _stage(False, "It was something."), _stage(True, "It was cart.")


@pytest.mark.parametrize(
    ("record", "classes"),
    [
        (
            _record([_submit(2), LOOK], WRONG, WRONG),
            {FailureClass.PREMATURE, FailureClass.NO_EVIDENCE},
        ),
        (
            _record([_call("kubectl delete pod x -n shop"), LOOK], RIGHT, WRONG),
            {FailureClass.PREMATURE, FailureClass.RIGHT_DIAGNOSIS_WRONG_REPAIR},
        ),
        (
            _record([LOOK, _call("kubectl get svc cart-svc -n shop"), LOOK, LOOK], WRONG, WRONG),
            {FailureClass.REPEATED},
        ),
        (
            _record(
                [LOOK, _call("kubectl describe svc cart -n shop"), _call("kubectl x", ok=False)],
                WRONG,
                None,
            ),
            {FailureClass.INVALID},
        ),
        (
            _record(
                [LOOK, _call("kubectl logs deploy/cart -n shop")],
                _stage(False, "pay restarts all the time"),
                WRONG,
                timeline=(NOISE,),
            ),
            {FailureClass.DISTRACTOR_FOLLOWING},
        ),
        (
            _record(
                [LOOK, _call("kubectl logs deploy/cart -n shop")],
                _stage(False, "", Claims(component="cart-db")),
                WRONG,
                timeline=(NOISE,),
            ),
            {FailureClass.OTHER},
        ),
        (
            _record([LOOK], _stage(False, at_s=None), _stage(False, at_s=None)),
            {FailureClass.NOTHING_SUBMITTED, FailureClass.NO_EVIDENCE},
        ),
        (_record([LOOK], RIGHT, RIGHT, outcome=Outcome.PASS), set()),
        (_record([_submit(1)], WRONG, None, outcome=Outcome.ERROR), set()),
    ],
)
def test_classes_of_failure(record: EpisodeRecord, classes: set[FailureClass]) -> None:
    assert set(conduct_of(record, (TRUTH,), COMPONENTS).failures) == classes


@pytest.mark.parametrize(
    ("call", "seen"),
    [
        (LOOK, 0.0),
        (_call("kubectl describe deployment cart -n shop"), 1.0),
        # Another component whose name only begins so.
        (_call("kubectl describe deployment cart-db -n shop"), 0.0),
        # The changed value in an answer about everything.
        (_call("kubectl get svc -n shop -o wide", output="cart-svc ClusterIP app=cart-old"), 1.0),
        # After the diagnosis was handed in it is no evidence for it; nor is what was refused.
        (_call("kubectl describe deployment cart -n shop", at_s=10.0), 0.0),
        (_call("kubectl describe deployment cart -n shop", ok=False), 0.0),
        # Whoever changes it has not looked at it.
        (_call("kubectl rollout restart deployment cart -n shop"), 0.0),
    ],
)
def test_evidence(call: ToolCall, seen: float) -> None:
    assert conduct_of(_record([call], WRONG, WRONG), (TRUTH,)).evidence == seen
    assert conduct_of(_record([call], WRONG, WRONG)).evidence is None


def test_what_was_used_and_when_something_was_changed() -> None:
    calls = [
        LOOK,
        _call("kubectl top pods -n shop"),
        _call("kubectl scale deploy/pay --replicas=2"),
        LOOK,
    ]
    found = conduct_of(_record([*calls, _submit(8)], WRONG, WRONG))
    assert (found.calls, found.first_write, found.reads_before_write, found.repeated) == (
        4,
        3,
        2,
        1,
    )
    assert (found.classes["kubectl read"], found.classes["kubectl write"]) == (3, 1)
    assert conduct_of(_record([LOOK], WRONG, WRONG)).first_write is None


def test_costs() -> None:
    tokens = Tokens(prompt=1_000_000, completion=100_000, cached=600_000)
    record = _record([], WRONG, WRONG, tokens=tokens)
    prices = {"prompt": 3.0, "completion": 15.0, "cached": 0.3}
    assert cost_of(record, prices) == pytest.approx(0.4 * 3 + 0.6 * 0.3 + 0.1 * 15)
    assert cost_of(record, {"prompt": 3.0, "completion": 15.0}) == pytest.approx(3 + 1.5)
    assert cost_of(record, None) is None
    assert cost_of(_record([], WRONG, WRONG), {}) == 0.0
    assert cost_of(_record([], WRONG, WRONG), prices) is None


def test_a_summary_counts_undecided_apart_and_conditions_repairs_on_diagnoses() -> None:
    undecided = StageRecord(submitted_at_s=1.0, verdict=Verdict(outcome=Outcome.UNDECIDED))
    records = [
        _record([LOOK], RIGHT, RIGHT, outcome=Outcome.PASS, ttd_s=5.0, ttm_s=7.0),
        _record([LOOK], RIGHT, WRONG, seed=1, ttd_s=15.0, ttm_s=17.0),
        _record([LOOK], WRONG, RIGHT, seed=2, ttd_s=1.0, ttm_s=27.0),
        _record([LOOK], undecided, RIGHT, seed=3, outcome=Outcome.UNDECIDED, ttm_s=37.0),
        _record([LOOK], None, None, seed=4, outcome=Outcome.ERROR),
        _record([LOOK], None, None, seed=5, outcome=Outcome.SKIP),
    ]
    known = ProblemFacts("p", "shop", "network", ("lite",), "ported", ground_truths=(TRUTH,))
    told = summarise([facts_of(record, known, noise="none") for record in records])
    mine = told["agents"]["a"]
    counts = ("episodes", "graded", "errors", "skipped", "undecided")
    assert [mine[name] for name in counts] == [6, 4, 1, 1, 1]
    assert (mine["diagnosis"]["count"], mine["diagnosis"]["n"]) == (2, 3)
    assert (mine["mitigation"]["count"], mine["mitigation"]["n"]) == (3, 4)
    assert (mine["e2e"]["count"], mine["e2e"]["n"]) == (1, 3)
    given = mine["mitigation_given"]
    assert (given["diagnosed"]["count"], given["diagnosed"]["n"]) == (1, 2)
    assert (given["not_diagnosed"]["count"], given["not_diagnosed"]["n"]) == (1, 1)
    # A wrong diagnosis has no time, however quick it was.
    assert mine["over_problems"]["ttd_s"]["value"] == 10.0
    assert mine["curves"]["ttd_s"] == [[5.0, 1 / 3], [15.0, 2 / 3]]
    assert [(one["k"], one["at"]["value"], one["hat"]["value"]) for one in mine["pass_at"]] == [
        (1, pytest.approx(1 / 3), pytest.approx(1 / 3)),
        (2, pytest.approx(2 / 3), 0.0),
        (3, 1.0, 0.0),
    ]
    assert mine["seeds"]["rates"] == {"0": 1.0, "1": 0.0, "2": 0.0}
    assert mine["seeds"]["unstable_problems"] == 1
    assert mine["seeds"]["variance_within_problems"] == pytest.approx(1 / 3)
    assert told["splits"]["origin"]["ported"]["a"]["e2e"]["count"] == 1
    assert told["problems"]["p"]["agents"]["a"] == {
        "solved": 1,
        "graded": 3,
        "errors": 1,
        "undecided": 1,
    }


def test_noise_is_set_against_the_same_problems_without_it() -> None:
    facts = []
    for name in ("p", "q", "r"):
        known = ProblemFacts(name)
        quiet = _record([LOOK], RIGHT, RIGHT, problem=name, outcome=Outcome.PASS)
        loud = _record([LOOK], RIGHT, WRONG, problem=name)
        facts += [facts_of(quiet, known, noise="none"), facts_of(loud, known, noise="storm")]
    facts.append(
        facts_of(_record([LOOK], RIGHT, WRONG, problem="s"), ProblemFacts("s"), noise="storm")
    )
    effect = summarise(facts)["agents"]["a"]["noise_effect"]["storm"]
    assert (effect["e2e"]["difference"], effect["e2e"]["problems"]) == (-1.0, 3)
    assert effect["diagnosis"]["difference"] == 0.0
