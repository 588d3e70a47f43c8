"""The standard rules about what users come to, and about all other services."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from sregym_cluster_embedded.telemetry.rules import AlertingRule, State, standard_groups
from sregym_cluster_embedded.telemetry.rules.evaluation import Evaluated
from sregym_promql import Memory, parse_openmetrics

# Requests a second of two kinds at a front end that other services follow.
POD = 'k8s_namespace_name="shop",k8s_pod_name="web-7bd96f76c5-d8vm6",service_name="front-page"'
BEHIND = 'k8s_namespace_name="shop",k8s_pod_name="stock-585dc57f94-x2k4b",service_name="stock"'
CALLS = "traces_span_metrics_calls_total"
BUCKETS = "traces_span_metrics_duration_milliseconds_bucket"
SERVER = 'span_kind="SPAN_KIND_SERVER"'
PROBE = 'probe_success{job="blackbox-http",namespace="shop",service="web",instance="http://web/"}'

Alerts = set[tuple[str, str, str]]


def served(where: str, span: str, good: float, bad: float) -> dict[str, float]:
    kinds = {"STATUS_CODE_UNSET": good, "STATUS_CODE_ERROR": bad}
    return {
        f'{CALLS}{{{where},span_name="{span}",{SERVER},status_code="{code}"}}': rate
        for code, rate in kinds.items()
    }


def slow(where: str) -> dict[str, float]:
    bounds = {"1000": 0.0, "5000": 4.0, "+Inf": 4.0}
    return {
        f'{BUCKETS}{{{where},span_name="GET /",{SERVER},le="{le}"}}': rate
        for le, rate in bounds.items()
    }


def firing(rates: Mapping[str, float], *, probed: bool = True) -> Alerts:
    """Names, severities and subjects of what fires after ten minutes."""
    lines = [f"{name} {rate * at} {at}" for at in range(0, 601, 15) for name, rate in rates.items()]
    lines += [f"{PROBE} 1 {at}" for at in range(0, 601, 15) if probed]
    groups = standard_groups()
    given = Evaluated(Memory(parse_openmetrics("\n".join(lines))), groups, 0, 600_000)
    return {
        (labels["alertname"], labels["severity"], labels.get("span_name", labels["service_name"]))
        for group in groups
        for rule in group.rules
        if isinstance(rule, AlertingRule)
        for alert in given.alerts(group, rule)
        if alert.state is State.FIRING and (labels := dict(alert.labels))
    }


RARE = {**served(POD, "GET /", 90, 0), **served(POD, "POST /order", 0, 5)}
FEW = {**served(POD, "GET /", 90, 2)}
ALL = {**served(POD, "GET /", 0, 90)}


@pytest.mark.parametrize(
    ("rates", "probed", "expected"),
    [
        # Of all requests few fail, but all of those who order.
        (RARE, True, {("HighRequestErrorRate", "critical", "POST /order")}),
        # Nobody knows that users come in here.
        (RARE, False, set()),
        (FEW, True, set()),
        # Once, not twice, for the same requests.
        (ALL, True, {("HighRequestErrorRate", "critical", "GET /")}),
        (ALL, False, {("HighRequestErrorRate", "warning", "front-page")}),
        (served(BEHIND, "Reserve", 5, 5), True, {("HighRequestErrorRate", "warning", "stock")}),
        (
            {**served(POD, "GET /", 4, 0), **slow(POD)},
            True,
            {("HighRequestLatency", "critical", "front-page")},
        ),
        (
            {**served(BEHIND, "Reserve", 4, 0), **slow(BEHIND)},
            True,
            {("HighRequestLatency", "warning", "stock")},
        ),
    ],
)
def test_what_users_come_to_is_told_apart(
    rates: Mapping[str, float], probed: bool, expected: Alerts
) -> None:
    assert firing(rates, probed=probed) == expected
