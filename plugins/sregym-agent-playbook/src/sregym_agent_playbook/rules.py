"""The table of rules, and what follows from it for what was seen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_agent_playbook.observations import Observation


@dataclass(frozen=True)
class Rule:
    """One line of the runbook; `rules.yaml` says what its fields mean."""

    rank: int
    source: str
    matches: str
    mechanism: str
    kind: str = ""
    blames: str = ""

    def applies(self, seen: Observation) -> bool:
        """Whether it concludes something from what was seen."""
        return (
            self.source == seen.source
            and re.search(self.matches, seen.text, re.IGNORECASE) is not None
        )


@dataclass(frozen=True)
class Conclusion:
    """What a rule made of an observation."""

    rule: Rule
    seen: Observation


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, the most trusted first."""
    text = (files("sregym_agent_playbook") / "rules.yaml").read_text(encoding="utf-8")
    found = [Rule(**entry) for entry in yaml.safe_load(text)]
    return tuple(sorted(found, key=lambda rule: -rule.rank))


def conclude(observations: Iterable[Observation]) -> list[Conclusion]:
    """What the best rule that applies says, once for each component; empty when none applies."""
    every = [*observations]
    for rule in rules():
        fitting = [Conclusion(rule, seen) for seen in every if rule.applies(seen)]
        if fitting:
            return [*{one.seen.component: one for one in reversed(fitting)}.values()][::-1]
    return []
