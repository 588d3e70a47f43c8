"""Toolkit for authors of SREGym oracles.

Named checks over the `Cluster` interface, windows on the cluster's clock, checks of what users
see, and the checklist by which diagnoses are scored.
"""

from __future__ import annotations

from sregym_oracles.addressed import addressed
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
from sregym_oracles.plain import plain
from sregym_oracles.side_effects import Difference, Found, Rule, differences, rules, side_effects
from sregym_oracles.snapshot import Snapshot
from sregym_oracles.traffic import load_running, success_rate
from sregym_oracles.windows import Window, WindowResult, first_bad, watch_window
from sregym_oracles.workloads import (
    objects_present,
    probes_unchanged,
    restarts,
    workloads_ready,
)

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
