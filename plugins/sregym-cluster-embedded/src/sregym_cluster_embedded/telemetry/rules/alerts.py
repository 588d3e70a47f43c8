"""The life of alerts: from the rows of a rule's expression at each evaluation to states."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from sregym_promql.storage import Labels, labels_of, without_name

from sregym_cluster_embedded.telemetry.rules.templates import expanded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_promql.storage import Floats, Times

    from sregym_cluster_embedded.telemetry.rules.files import AlertingRule

    # What an expression gave at evaluations, by labels.
    Rows = Mapping[Labels, tuple[Times, Floats]]


class State(Enum):
    """Of an alert that is there at all."""

    PENDING = "pending"
    FIRING = "firing"


@dataclass(frozen=True)
class Alert:
    """An alert at an evaluation.

    Attributes:
        labels: With `alertname`.
        annotations: Expanded.
        state: Whether it fires yet.
        value: Of the rule's expression, when it was last there.
        since_ms: When the expression was first true, Unix milliseconds.
        fired_ms: Since when it fires; None while it is pending.
        expr: The rule's expression.
    """

    labels: Labels
    annotations: Mapping[str, str]
    state: State
    value: float
    since_ms: int
    fired_ms: int | None
    expr: str


@dataclass(frozen=True)
class ActiveAlert:
    """An alert between evaluations.

    Attributes:
        since_ms: When the expression was first true, Unix milliseconds.
        value: Of the expression, when it was last there.
        fired_ms: Since when it fires; None while it is pending.
        kept_since_ms: Since when it only fires because it is kept for a while; None otherwise.
    """

    since_ms: int
    value: float
    fired_ms: int | None = None
    kept_since_ms: int | None = None


def evaluated(
    rule: AlertingRule, rows: Rows, steps: range, living: Mapping[Labels, ActiveAlert]
) -> Iterator[tuple[int, Mapping[Labels, ActiveAlert]]]:
    """The steps at which something is pending or firing, with that by the expression's labels.

    Args:
        rule: The rule.
        rows: What its expression gave.
        steps: The evaluations, Unix milliseconds.
        living: What was pending or firing at the evaluation before.
    """
    by_step: dict[int, dict[Labels, float]] = {}
    for labels, (times, values) in rows.items():
        for at, value in zip(times.tolist(), values.tolist(), strict=True):
            by_step.setdefault(at, {})[labels] = value
    nothing: Mapping[Labels, float] = {}
    # Where nothing lives, nothing happens until the expression gives something.
    given = iter(sorted(at for at in by_step if at in steps))
    following = next(given, None)
    step = steps.start if living else following
    while step is not None and step in steps:
        there = by_step.get(step, nothing)
        found: dict[Labels, ActiveAlert] = {}
        for labels in sorted({*living, *there}):
            life = _next(rule, living.get(labels), there.get(labels), step)
            if life is not None:
                found[labels] = life
        living = found
        while following is not None and following <= step:
            following = next(given, None)
        if living:
            yield step, living
            step += steps.step
        else:
            step = following


def _next(
    rule: AlertingRule, life: ActiveAlert | None, value: float | None, step: int
) -> ActiveAlert | None:
    if value is None:
        if life is None or life.fired_ms is None or not rule.keep_ms:
            return None
        kept = step if life.kept_since_ms is None else life.kept_since_ms
        return (
            None
            if step - kept >= rule.keep_ms
            else ActiveAlert(life.since_ms, life.value, life.fired_ms, kept)
        )
    if life is None:
        life = ActiveAlert(step, value)
    fired = life.fired_ms
    if fired is None and step - life.since_ms >= rule.hold_ms:
        fired = step
    return ActiveAlert(life.since_ms, value, fired)


def alert_of(rule: AlertingRule, labels: Labels, life: ActiveAlert) -> Alert:
    """The alert of a row, with its templates expanded."""
    given = dict(without_name(labels))
    annotations = {
        name: expanded(template, given, life.value, rule.name)
        for name, template in rule.annotations.items()
    }
    return Alert(
        labels_with(rule, labels, life.value),
        annotations,
        State.PENDING if life.fired_ms is None else State.FIRING,
        life.value,
        life.since_ms,
        life.fired_ms,
        rule.expr,
    )


def labels_with(rule: AlertingRule, labels: Labels, value: float) -> Labels:
    """Of the row, of the rule, and the alert's name."""
    given = dict(without_name(labels))
    own = {
        name: expanded(template, given, value, rule.name) for name, template in rule.labels.items()
    }
    return labels_of({**given, **own, "alertname": rule.name})
