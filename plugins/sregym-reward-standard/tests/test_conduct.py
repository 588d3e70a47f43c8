"""What counts as a look, a change, a blunder, and as evidence."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.model import Change, GroundTruth, ToolCall
from sregym_reward_standard import conduct

TRUTH = GroundTruth(
    component="geo",
    kind="Service",
    object_name="geo",
    namespace="hotel",
    mechanism="wrong-port",
    changed=Change(what="spec.ports[0].targetPort", before="8083", after="9999"),
)


def kubectl(command: str, output: str = "", exit_code: int | None = 0, **fields: Any) -> ToolCall:
    fields.setdefault("ok", exit_code == 0)
    return ToolCall(
        at_s=0.0,
        tool="kubectl",
        arguments={"command": command},
        output=output,
        digest=output,
        exit_code=exit_code,
        **fields,
    )


def submit(stage: str = "diagnosis", *, ok: bool = True) -> ToolCall:
    return ToolCall(at_s=0.0, tool="submit", arguments={"stage": stage, "text": "x"}, ok=ok)


READ, WRITE = kubectl("kubectl get pods", "pods"), kubectl("kubectl delete pod a")
WAIT = ToolCall(at_s=0.0, tool="wait", arguments={"seconds": 5.0})
EXEC = kubectl("kubectl exec a -- curl b")


def test_a_command_that_ran_and_failed_is_a_look() -> None:
    missing = kubectl("kubectl get svc geo", "not found", exit_code=1)
    nonsense = ToolCall(at_s=0.0, tool="fix", ok=False)
    assert conduct.invalid([missing, nonsense, submit(ok=False), READ]) == 2


def test_a_look_is_repeated_only_where_nothing_can_have_changed() -> None:
    assert conduct.repeated([READ, READ, READ]) == 2
    assert conduct.repeated([READ, WAIT, READ, WRITE, READ]) == 0
    assert conduct.repeated([READ, kubectl("kubectl get pods", "other")]) == 0
    assert conduct.repeated([READ, EXEC, READ]) == 1


@pytest.mark.parametrize(
    ("calls", "count"),
    [
        ((READ, submit(), WRITE), 0),
        ((submit(), READ, WRITE), 1),
        ((WRITE, WRITE, submit()), 2),
        ((EXEC, WAIT, submit()), 1),
        ((submit("mitigation"),), 0),
        ((kubectl("kubectl get nothing", exit_code=1), submit()), 1),
    ],
)
def test_what_is_done_blindly(calls: tuple[ToolCall, ...], count: int) -> None:
    assert conduct.premature(calls) == count


@pytest.mark.parametrize(
    ("calls", "share"),
    [
        ((), 0.0),
        ((kubectl("kubectl get svc geo -o yaml", "targetPort: 9999"),), 1.0),
        ((kubectl("kubectl get svc geo", "geo ClusterIP"),), 0.5),
        # Everything at once names it, and shows nobody what is wrong.
        ((kubectl("kubectl get all -A -o yaml", "geo targetPort: 9999"),), 0.25),
        ((kubectl("kubectl get svc geo-2", "geo-2 ClusterIP"),), 0.0),
        ((submit(), kubectl("kubectl get svc geo -o yaml", "targetPort: 9999")), 0.0),
        ((kubectl("kubectl get svc geo", "geo 9999", exit_code=1),), 0.0),
    ],
)
def test_evidence(calls: tuple[ToolCall, ...], share: float) -> None:
    assert conduct.evidence(calls, [TRUTH]) == share
