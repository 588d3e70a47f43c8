"""The life of alerts on samples, and what rules leave to be queried."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.telemetry.rules import AlertingRule, State, parse_rules
from sregym_cluster_embedded.telemetry.rules.evaluation import Evaluated
from sregym_promql import Engine, Matcher, Memory, parse_openmetrics
from sregym_regex.budget import Budget, under

RULES = """
groups:
  - name: g
    interval: 30s
    rules:
      - {record: "job:up:sum", expr: sum by (job) (up), labels: {team: a}}
      - alert: Down
        expr: up == 0
        for: 1m
        labels: {severity: page}
        annotations: {summary: "{{ $labels.job }}: {{ $value }}"}
      - {alert: DownForAWhile, expr: up == 0, keep_firing_for: 1m}
      - {alert: OfRecorded, expr: 'job:up:sum < 1'}
"""
GROUPS = parse_rules(RULES, "r.yaml")


def storage(now_s: int, *, down: range = range(120, 300)) -> Evaluated:
    """One target, scraped every 15 s from the beginning; down for a while."""
    lines = [f'up{{job="web"}} {int(at not in down)} {at}' for at in range(0, 901, 15)]
    memory = Memory(parse_openmetrics("\n".join(lines)))
    return Evaluated(memory, GROUPS, 0, now_s * 1000)


def states(now_s: int) -> dict[str, tuple[str, int, int | None]]:
    given = storage(now_s)
    return {
        dict(alert.labels)["alertname"]: (alert.state.value, alert.since_ms, alert.fired_ms)
        for group in GROUPS
        for rule in group.rules
        if isinstance(rule, AlertingRule)
        for alert in given.alerts(group, rule)
    }


def test_alerts_are_pending_then_fire_then_are_gone() -> None:
    at_once = ("firing", 120_000, 120_000)
    assert states(119) == {}
    assert states(125) == {
        "Down": ("pending", 120_000, None),
        "DownForAWhile": at_once,
        "OfRecorded": at_once,
    }
    assert states(179)["Down"] == ("pending", 120_000, None)
    assert states(180)["Down"] == ("firing", 120_000, 180_000)
    assert states(299)["Down"] == ("firing", 120_000, 180_000)
    assert states(300) == {"DownForAWhile": at_once}
    assert states(359) == {"DownForAWhile": at_once}
    assert states(360) == {}


def test_a_long_alert_keeps_its_beginning() -> None:
    given = storage(900, down=range(120, 901))
    rule = GROUPS[0].rules[1]
    assert isinstance(rule, AlertingRule)

    (alert,) = given.alerts(GROUPS[0], rule)

    assert alert.labels == (("alertname", "Down"), ("job", "web"), ("severity", "page"))
    assert alert.annotations == {"summary": "web: 0"}
    assert (alert.state, alert.since_ms, alert.fired_ms) == (State.FIRING, 120_000, 180_000)


def test_states_and_recorded_series_can_be_queried() -> None:
    engine = Engine(storage(600))
    labels = {"alertname": "Down", "job": "web", "severity": "page"}

    shown = engine.range('ALERTS{alertname="Down"}', 90, 330, 30)
    since = engine.instant('ALERTS_FOR_STATE{alertname="Down"}', 200)
    recorded = engine.range("job:up:sum", 90, 150, 30)

    assert [(dict(row.labels), row.times.tolist()) for row in shown.series] == [
        (
            {"__name__": "ALERTS", "alertstate": "firing", **labels},
            [180_000, 210_000, 240_000, 270_000],
        ),
        ({"__name__": "ALERTS", "alertstate": "pending", **labels}, [120_000, 150_000]),
    ]
    assert [(dict(row), value) for row, value in since.rows] == [
        ({"__name__": "ALERTS_FOR_STATE", **labels}, 120.0)
    ]
    assert [(dict(row.labels), row.values.tolist()) for row in recorded.series] == [
        ({"__name__": "job:up:sum", "job": "web", "team": "a"}, [1.0, 0.0, 0.0])
    ]


def test_an_answer_does_not_depend_on_what_was_asked_before() -> None:
    matchers = [Matcher("__name__", "=", "ALERTS")]
    given = storage(600)
    late = given.select(matchers, 240_000, 330_000)

    whole = storage(600).select(matchers, 0, 600_000)

    points = {
        (series.labels, at): value
        for series in whole
        for at, value in zip(
            series.times.tolist(), series.values.view("int64").tolist(), strict=True
        )
    }
    assert late
    assert all(
        points[series.labels, at] == value
        for series in late
        for at, value in zip(
            series.times.tolist(), series.values.view("int64").tolist(), strict=True
        )
    )


LABELLED = """
groups:
  - name: g
    interval: 30s
    rules:
      - {record: x, expr: 'label_replace(up, "room", "$1", "job", "(.*)")'}
      - {record: y, expr: 'count_values("worth", up == 7)', labels: {kind: z}}
      - {alert: Gone, expr: 'absent(down{floor="1"})'}
      - {alert: Never, expr: up == 7, labels: {severity: page}}
"""


@pytest.mark.parametrize("start_s", [-300, 0, 60, 120])
def test_names_of_labels_are_those_of_the_series(start_s: int) -> None:
    memory = Memory(parse_openmetrics('up{job="web"} 1 60\nup{job="web"} 1 75'))
    span = (start_s * 1000, 130_000)

    def told() -> Evaluated:
        return Evaluated(memory, parse_rules(LABELLED, "r.yaml"), 0, 130_000)

    written = {name for labels in told().listed([], *span) for name, _ in labels}
    scraped = {"__name__", "job"}
    assert told().label_names(*span, scraped) == written | scraped
    assert written - scraped == {"room", "alertname", "alertstate", "floor"}
    # What is known already is not looked for.
    every = {*scraped, "room", "worth", "kind", "alertname", "alertstate", "floor", "severity"}
    assert told().label_names(*span, every) == every


def test_series_of_months_are_listed_without_a_look_at_each_evaluation() -> None:
    days = 86_400
    now_s = 90 * days
    lines = [f'up{{job="{job}"}} 0 {at}' for job, at in (("old", days), ("new", now_s - 3600))]
    memory = Memory(parse_openmetrics("\n".join([*lines, "# EOF"])))
    given = Evaluated(memory, GROUPS, 0, now_s * 1000)
    with under(Budget(100_000, 32 << 20)):
        found = {dict(labels).get("job") for labels in given.listed([], 0, now_s * 1000)}
        names = given.names(0, now_s * 1000)
    assert (found, names) == ({"new"}, {"ALERTS", "ALERTS_FOR_STATE", "job:up:sum"})
    earlier = given.listed([], days * 1000, (days + 900) * 1000)
    assert {dict(labels).get("job") for labels in earlier} == {"old"}
