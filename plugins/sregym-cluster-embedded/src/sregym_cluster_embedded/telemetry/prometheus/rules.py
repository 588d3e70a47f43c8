"""Rules and alerts in the shape of Prometheus' API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_promql import line, parse_as_written
from sregym_promql.formats import exponent_text, moment

from sregym_cluster_embedded.clock.jitter import level, place
from sregym_cluster_embedded.telemetry.prometheus.parameters import BadRequest
from sregym_cluster_embedded.telemetry.rules import (
    Alert,
    AlertingRule,
    State,
    active,
    groups_of,
    observed,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.telemetry.rules import Group, RecordingRule
    from sregym_cluster_embedded.telemetry.rules.evaluation import Evaluated
    from sregym_cluster_embedded.world import World

# About how long a rule takes to be evaluated.
_EVALUATION_S = 0.0006
_KINDS = {"": "both", "alert": "alert", "record": "record"}


def alerts_data(world: World) -> dict[str, Any]:
    """`data` of /api/v1/alerts."""
    return {"alerts": [_alert(alert) for alert in active(world)]}


def rules_data(world: World, request: Request) -> dict[str, Any]:
    """`data` of /api/v1/rules.

    Raises:
        BadRequest: Rules of a kind that there is not are asked for.
    """
    kind = _KINDS.get(request.parameter("type").lower())
    if kind is None:
        given = request.parameter("type").lower()
        message = f'invalid parameter "type": not supported value "{given}"'
        raise BadRequest(message)
    evaluated = observed(world)
    wanted = (
        request.parameters("file[]"),
        request.parameters("rule_group[]"),
        request.parameters("rule_name[]"),
    )
    groups = []
    for group in groups_of(world):
        if (wanted[0] and group.file not in wanted[0]) or (
            wanted[1] and group.name not in wanted[1]
        ):
            continue
        found = _group(evaluated, group, kind, wanted[2])
        if found["rules"] or not (kind != "both" or wanted[2]):
            groups.append(found)
    return {"groups": groups}


def _group(evaluated: Evaluated, group: Group, kind: str, names: tuple[str, ...]) -> dict[str, Any]:
    last = evaluated.last_evaluation_ms(group)
    at = time_text(last) if last is not None else "0001-01-01T00:00:00Z"
    rules = []
    for rule in group.rules:
        if names and rule.name not in names:
            continue
        if isinstance(rule, AlertingRule):
            if kind != "record":
                rules.append(_alerting(evaluated, group, rule, at))
        elif kind != "alert":
            rules.append(_recording(rule, at))
    return {
        "name": group.name,
        "file": group.file,
        "rules": rules,
        "interval": moment(group.interval_ms),
        "limit": 0,
        "evaluationTime": round(sum(_took_s(rule.name, at) for rule in group.rules), 9),
        "lastEvaluation": at,
    }


def _alerting(evaluated: Evaluated, group: Group, rule: AlertingRule, at: str) -> dict[str, Any]:
    alerts = evaluated.alerts(group, rule)
    states = {alert.state for alert in alerts}
    state = "firing" if State.FIRING in states else "pending" if states else "inactive"
    return {
        "state": state,
        "name": rule.name,
        "query": line(parse_as_written(rule.expr)),
        "duration": moment(rule.hold_ms),
        "keepFiringFor": moment(rule.keep_ms),
        "labels": dict(rule.labels),
        "annotations": dict(rule.annotations),
        "alerts": [_alert(alert) for alert in alerts],
        "health": "ok",
        "evaluationTime": _took_s(rule.name, at),
        "lastEvaluation": at,
        "type": "alerting",
    }


def _recording(rule: RecordingRule, at: str) -> dict[str, Any]:
    found: dict[str, Any] = {"name": rule.name, "query": line(parse_as_written(rule.expr))}
    if rule.labels:
        found["labels"] = dict(rule.labels)
    return {
        **found,
        "health": "ok",
        "evaluationTime": _took_s(rule.name, at),
        "lastEvaluation": at,
        "type": "recording",
    }


def _took_s(name: str, at: str) -> float:
    """How long an evaluation took: of no rule the same each time."""
    rule, now = level(place("rule", name)), level(place("rule", name, at))
    return round(_EVALUATION_S * (1.2 + rule) * (1 + 0.2 * now), 9)


def _alert(alert: Alert) -> dict[str, Any]:
    return {
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
        "state": alert.state.value,
        "activeAt": time_text(alert.since_ms),
        "value": exponent_text(alert.value),
    }


def time_text(at_ms: int) -> str:
    """RFC 3339 with milliseconds where there are any."""
    whole = datetime.fromtimestamp(at_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    rest = f".{at_ms % 1000:03}".rstrip("0") if at_ms % 1000 else ""
    return f"{whole}{rest}Z"
