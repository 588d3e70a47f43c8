"""Toolkit for authors of SREGym oracles.

Named checks over the `Cluster` interface, windows on the cluster's clock, checks of what users
see, and the checklist by which diagnoses are scored.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_oracles.checklist import (
        CHECKLIST,
        ESSENTIAL,
        PASS_SCORE,
        Answer,
        Dimension,
        Question,
        combine,
        score_answers,
        verdict_of_answers,
    )
    from sregym_oracles.checks import check_from_findings, guarded_check, unreadable_check
    from sregym_oracles.judges import ChecklistJudge, truth_label, verdict_on
    from sregym_oracles.objects import declared_objects
    from sregym_oracles.prompt_injection import addressed
    from sregym_oracles.side_effect_classes import (
        Difference,
        Found,
        Rule,
        differences,
        rules,
        side_effects,
    )
    from sregym_oracles.snapshot import Snapshot
    from sregym_oracles.traffic import load_running, success_rate
    from sregym_oracles.visible_text import plain
    from sregym_oracles.windows import Window, WindowResult, first_bad, watch_window
    from sregym_oracles.workloads import (
        objects_present,
        probes_unchanged,
        restarts,
        workloads_ready,
    )

# Imported when they are first used: each command loads the toolkit's plugin, and few judge.
_PLACES = {
    "Answer": "sregym_oracles.checklist",
    "CHECKLIST": "sregym_oracles.checklist",
    "ChecklistJudge": "sregym_oracles.judges",
    "Difference": "sregym_oracles.side_effect_classes",
    "Dimension": "sregym_oracles.checklist",
    "ESSENTIAL": "sregym_oracles.checklist",
    "Found": "sregym_oracles.side_effect_classes",
    "PASS_SCORE": "sregym_oracles.checklist",
    "Question": "sregym_oracles.checklist",
    "Rule": "sregym_oracles.side_effect_classes",
    "Snapshot": "sregym_oracles.snapshot",
    "Window": "sregym_oracles.windows",
    "WindowResult": "sregym_oracles.windows",
    "addressed": "sregym_oracles.prompt_injection",
    "check_from_findings": "sregym_oracles.checks",
    "combine": "sregym_oracles.checklist",
    "declared_objects": "sregym_oracles.objects",
    "differences": "sregym_oracles.side_effect_classes",
    "first_bad": "sregym_oracles.windows",
    "guarded_check": "sregym_oracles.checks",
    "load_running": "sregym_oracles.traffic",
    "objects_present": "sregym_oracles.workloads",
    "plain": "sregym_oracles.visible_text",
    "probes_unchanged": "sregym_oracles.workloads",
    "restarts": "sregym_oracles.workloads",
    "rules": "sregym_oracles.side_effect_classes",
    "score_answers": "sregym_oracles.checklist",
    "side_effects": "sregym_oracles.side_effect_classes",
    "success_rate": "sregym_oracles.traffic",
    "truth_label": "sregym_oracles.judges",
    "unreadable_check": "sregym_oracles.checks",
    "verdict_of_answers": "sregym_oracles.checklist",
    "verdict_on": "sregym_oracles.judges",
    "watch_window": "sregym_oracles.windows",
    "workloads_ready": "sregym_oracles.workloads",
}

__all__ = [
    "CHECKLIST",
    "ESSENTIAL",
    "PASS_SCORE",
    "Answer",
    "ChecklistJudge",
    "Difference",
    "Dimension",
    "Found",
    "Question",
    "Rule",
    "Snapshot",
    "Window",
    "WindowResult",
    "addressed",
    "check_from_findings",
    "combine",
    "declared_objects",
    "differences",
    "first_bad",
    "guarded_check",
    "load_running",
    "objects_present",
    "plain",
    "probes_unchanged",
    "restarts",
    "rules",
    "score_answers",
    "side_effects",
    "success_rate",
    "truth_label",
    "unreadable_check",
    "verdict_of_answers",
    "verdict_on",
    "watch_window",
    "workloads_ready",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used."""
    if name not in _PLACES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    """The promised names."""
    return list(__all__)
