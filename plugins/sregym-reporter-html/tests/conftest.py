"""Runs to report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_core.interfaces import RunPlan
from sregym_core.model import (
    Check,
    EpisodeRecord,
    Outcome,
    StageRecord,
    TimelineEntry,
    ToolCall,
    Verdict,
)

MakeRecord = Callable[..., EpisodeRecord]


@pytest.fixture
def record() -> MakeRecord:
    """A record whose every text that an agent or a plugin can write is `text`."""

    def make(
        episode: str, agent: str, outcome: Outcome, text: str = "fine", calls: int = 1
    ) -> EpisodeRecord:
        check = Check(name="defect-gone", outcome=outcome, expected="gone", got=text, detail=text)
        stage = StageRecord(text=text, submitted_at_s=12.0, verdict=Verdict.of([check]))
        began = {"agent": agent, "privileged": agent == "expert"}
        tool = {"tool": "kubectl", "summary": text, "exit_code": 0}
        call = ToolCall(at_s=1.0, tool="kubectl", arguments={"command": text}, output=text)
        return EpisodeRecord(
            episode=episode,
            problem="cart-port",
            agent=agent,
            seed=0,
            cluster="memory",
            outcome=outcome,
            reason=text,
            diagnosis=None if outcome is Outcome.ERROR else stage,
            mitigation=None if outcome is Outcome.ERROR else stage,
            recovered=True,
            ttd_s=12.0,
            ttm_s=200.0,
            steps=calls,
            wall_s=0.4,
            warnings=(text,),
            timeline=(
                TimelineEntry(at_s=0.0, wall_s=0.0, event="AgentStarted", fields=began),
                *[TimelineEntry(at_s=1.0, wall_s=0.0, event="ToolCalled", fields=tool)] * calls,
            ),
            transcript=(call,) * calls,
        )

    return make


@pytest.fixture
def plan(tmp_path: Path) -> RunPlan:
    return RunPlan(tmp_path, ("cart-port",), ("expert", "someone"), (0,), "memory")
