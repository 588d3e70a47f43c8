"""How an episode ended, and what that costs: by hand, since providers fail in more ways than tests can."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_campaign.file import AgentSpec, CampaignBudget, Limits
from sregym_campaign.plan import Cell, Plan
from sregym_campaign.state import Allowance, CampaignState
from sregym_campaign.tries import Try, TryKind, kind_of
from sregym_core.api import EpisodeRecord, Outcome
from sregym_core.model import StageRecord, ToolCall, Verdict


def _record(**fields: Any) -> EpisodeRecord:
    given: dict[str, Any] = {
        "episode": "e00001-1",
        "problem": "p",
        "agent": "react",
        "seed": 0,
        "cluster": "embedded",
        "outcome": Outcome.FAIL,
    }
    return EpisodeRecord(**{**given, **fields})


def _stage(at_s: float | None) -> StageRecord:
    return StageRecord(submitted_at_s=at_s, verdict=Verdict(outcome=Outcome.FAIL))


RAISED = (
    "the agent raised ModelHTTPError: status_code: {}, model_name: m (agent 'react' of x 0.1.0)"
)


@pytest.mark.parametrize(
    ("fields", "own_limit", "kind"),
    [
        ({}, True, TryKind.GRADED),
        ({"outcome": Outcome.PASS}, True, TryKind.GRADED),
        ({"outcome": Outcome.UNDECIDED}, True, TryKind.GRADED),
        ({"outcome": Outcome.SKIP, "reason": "no nodes"}, True, TryKind.SKIPPED),
        ({"outcome": Outcome.ERROR, "reason": "not ready"}, True, TryKind.WORLD),
        ({"stopped": RAISED.format(429)}, True, TryKind.LIMITED),
        ({"stopped": RAISED.format(500)}, True, TryKind.FAILED),
        # All was in: what the adapter did after that is nobody's concern.
        ({"stopped": RAISED.format(500), "diagnosis": _stage(1.0)}, True, TryKind.GRADED),
        (
            {"stopped": RAISED.format(500), "diagnosis": _stage(1.0), "mitigation": _stage(None)},
            True,
            TryKind.FAILED,
        ),
        ({"stopped": "the budget of 50 tokens is used up"}, True, TryKind.GRADED),
        ({"stopped": "the budget of 50 tokens is used up"}, False, TryKind.BUDGET),
        ({"stopped": "the budget of 60 wall-clock seconds is used up"}, True, TryKind.HUNG),
        (
            {
                "stopped": "the budget of 60 wall-clock seconds is used up",
                "transcript": (ToolCall(at_s=1.0, tool="kubectl", wall_s=40.0, took_s=1.0),),
            },
            True,
            TryKind.GRADED,
        ),
    ],
)
def test_kinds(fields: dict[str, Any], own_limit: bool, kind: TryKind) -> None:
    assert kind_of(_record(**fields), Limits(wall_s=60), own_limit)[0] is kind


def _campaign_state(retries: int = 1, **budget: Any) -> CampaignState:
    cells = [
        Cell(id=f"e{i:05d}", problem="p", agent=agent, mode="m", noise="none", seed=0, attempt=1)
        for i, agent in enumerate(("llm", "llm", "script"), 1)
    ]
    agents = {
        "llm": AgentSpec.model_validate(
            {"name": "llm", "agent": "react", "prices": {"prompt": 1, "completion": 10}}
        ),
        "script": AgentSpec(name="script", agent="noop"),
    }
    plan = Plan(
        name="n",
        digest="d",
        salt="s",
        cells=tuple(cells),
        problems={},
        agents=agents,
        baselines=("script",),
        noise={"none": ()},
        cluster="embedded",
        limits=Limits(),
    )
    return CampaignState(plan, CampaignBudget(**budget), retries)


def _try(cell: str, number: int, kind: TryKind, tokens: int = 0) -> Try:
    return Try(cell=cell, number=number, kind=kind, tokens=tokens, record=_record())


def test_what_is_played_side_by_side_does_not_exceed_the_budget() -> None:
    state = _campaign_state(tokens=1500)
    first, second, script = state.plan.cells
    assert state.hold(first, 1000) == Allowance(1000)
    assert state.hold(second, 1000) is None
    assert state.hold(script, 1000) == Allowance(1000)  # no model, nothing to pay
    state.add(_try("e00001", 1, TryKind.GRADED, tokens=400))
    assert state.hold(second, 1000) == Allowance(1000)


def test_without_a_limit_of_its_own_an_episode_gets_what_is_left() -> None:
    state = _campaign_state(money=0.02)
    first, second, _ = state.plan.cells
    assert state.hold(first, None) == Allowance(2000, own=False)  # at the price of completions
    state.add(_try("e00001", 1, TryKind.GRADED, tokens=1500).model_copy(update={"cost": 0.015}))
    assert state.hold(second, None) is None  # the last one took more than is left


def test_retries_end_and_what_nobody_could_help_is_no_retry() -> None:
    state = _campaign_state(retries=1)
    state.add(state.unfinished("e00001", 1, 700))
    assert (state.tokens, state.cost) == (700, pytest.approx(0.007))
    state.add(_try("e00001", 2, TryKind.LIMITED))
    assert not state.settled("e00001")
    assert state.next_number("e00001") == 3
    state.add(_try("e00001", 3, TryKind.LOST))
    assert state.settled("e00001")
    assert [cell.id for cell in state.open()] == ["e00002", "e00003"]
    assert state.kinds() == {TryKind.UNFINISHED: 1, TryKind.LIMITED: 1, TryKind.LOST: 1}
