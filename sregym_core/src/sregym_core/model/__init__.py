"""What SREGym writes down: problems, ground truth, claims, verdicts and episode records."""

from __future__ import annotations

from sregym_core.model.component import (
    Account,
    Component,
    ConfigUse,
    ObjectRef,
    Port,
    VolumeUse,
)
from sregym_core.model.problem import FaultRef, OracleRefs, Problem, Timing
from sregym_core.model.record import (
    ApiRequest,
    Attempt,
    EpisodeRecord,
    StageRecord,
    TimelineEntry,
    Tokens,
    ToolCall,
)
from sregym_core.model.truth import Change, Claims, GroundTruth
from sregym_core.model.verdict import Check, Outcome, Verdict

__all__ = [
    "Account",
    "ApiRequest",
    "Attempt",
    "Change",
    "Check",
    "Claims",
    "Component",
    "ConfigUse",
    "EpisodeRecord",
    "FaultRef",
    "GroundTruth",
    "ObjectRef",
    "OracleRefs",
    "Outcome",
    "Port",
    "Problem",
    "StageRecord",
    "TimelineEntry",
    "Timing",
    "Tokens",
    "ToolCall",
    "Verdict",
    "VolumeUse",
]
