"""Recording and alerting rules, evaluated on the virtual clock.

Nothing is kept: what a rule gave at a moment is computed from the history when queried.
`firing(world)` says which alerts fire now; `observed(world)` is the storage of a world with what
its rules make of it.
"""

from __future__ import annotations

from sregym_cluster_embedded.telemetry.rules.alerts import Alert, State
from sregym_cluster_embedded.telemetry.rules.files import (
    AlertingRule,
    Group,
    RecordingRule,
    RuleFileError,
    parse_rules,
)
from sregym_cluster_embedded.telemetry.rules.world_rules import (
    active,
    firing,
    groups_of,
    observed,
    rules_of,
    standard_groups,
)

__all__ = [
    "Alert",
    "AlertingRule",
    "Group",
    "RecordingRule",
    "RuleFileError",
    "State",
    "active",
    "firing",
    "groups_of",
    "observed",
    "parse_rules",
    "rules_of",
    "standard_groups",
]
