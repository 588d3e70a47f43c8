"""Toolkit for reports: what counts of an episode, and what many of them say together.

The arithmetic is that of scipy and statsmodels, which are imported when something is computed that needs them.
"""

from __future__ import annotations

from sregym_statistics.comparison import METRICS, Difference, compare, pairwise
from sregym_statistics.conduct import Conduct, FailureClass, conduct_of
from sregym_statistics.estimates import Estimate, over_problems, pass_at_k, pass_hat_k, rate
from sregym_statistics.facts import (
    EpisodeFacts,
    ProblemFacts,
    cost_of,
    facts_of,
    informed,
    problem_facts,
)
from sregym_statistics.power import Power, attempts_needed
from sregym_statistics.summary import summarise

__all__ = [
    "METRICS",
    "Conduct",
    "Difference",
    "EpisodeFacts",
    "Estimate",
    "FailureClass",
    "Power",
    "ProblemFacts",
    "attempts_needed",
    "compare",
    "conduct_of",
    "cost_of",
    "facts_of",
    "informed",
    "over_problems",
    "pairwise",
    "pass_at_k",
    "pass_hat_k",
    "problem_facts",
    "rate",
    "summarise",
]
