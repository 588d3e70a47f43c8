"""Rule files: what is read, and what is refused."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.telemetry.rules import (
    AlertingRule,
    Group,
    RecordingRule,
    RuleFileError,
    parse_rules,
    standard_groups,
)

GOOD = """
groups:
  - name: pods
    interval: 30s
    rules:
      - record: job:up:sum
        expr: sum by (job) (up)
        labels: {team: a}
      - alert: Down
        expr: up == 0
        for: 1m30s
        keep_firing_for: 2m
        labels: {severity: page}
        annotations: {summary: "{{ $labels.job }} is down"}
  - name: empty
"""
NAMES = {
    *("PodStatusError", "FailedPodsDetected", "PendingPodsDetected", "PodSchedulingFailure"),
    *("KubePodNotReady", "DeploymentNotReady", "StatefulSetNotReady", "ContainerCPUThrottling"),
    *("HighRequestErrorRate", "HighWorkloadFailureRate", "HighRequestRate", "HighRequestLatency"),
    *("ServiceEndpointDown", "HTTPProbeFailure", "HighCallErrorRate"),
}


def test_groups_are_read() -> None:
    assert parse_rules(GOOD, "a.yaml") == (
        Group(
            "pods",
            "a.yaml",
            30_000,
            (
                RecordingRule("job:up:sum", "sum by (job) (up)", {"team": "a"}),
                AlertingRule(
                    "Down",
                    "up == 0",
                    90_000,
                    120_000,
                    {"severity": "page"},
                    {"summary": "{{ $labels.job }} is down"},
                ),
            ),
        ),
        Group("empty", "a.yaml", 60_000, ()),
    )


def test_the_standard_alerts_are_there() -> None:
    rules = [rule for group in standard_groups() for rule in group.rules]

    assert {rule.name for rule in rules if isinstance(rule, AlertingRule)} == NAMES


def one(rule: str) -> str:
    return f"groups: [{{name: g, rules: [{rule}]}}]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "r.yaml: a mapping is wanted"),
        ("groups: 1", "r.yaml: groups: a list is wanted"),
        ("group: []", "r.yaml: field group not found"),
        ("groups: [{rules: []}]", "r.yaml: group without a name: Groupname must not be empty"),
        (
            "groups: [{name: g}, {name: g}]",
            'r.yaml: groupname: "g" is repeated in the same file',
        ),
        (
            "groups: [{name: g, interval: 5x}]",
            'r.yaml: group "g": interval: not a valid duration string: "5x"',
        ),
        (
            one("{expr: up}"),
            "r.yaml: group \"g\", rule 0, \"\": one of 'record' and 'alert' must be set",
        ),
        (
            one("{alert: A, record: b, expr: up}"),
            "r.yaml: group \"g\", rule 0, \"A\": one of 'record' and 'alert' must be set",
        ),
        (
            one("{alert: A}"),
            'r.yaml: group "g", rule 0, "A": field \'expr\' must be set in rule',
        ),
        (
            one("{alert: A, expr: 'up['}"),
            'r.yaml: group "g", rule 0, "A": could not parse expression: '
            "1:4: parse error: missing unit character in duration",
        ),
        (
            one("{record: b, expr: up, for: 1m}"),
            'r.yaml: group "g", rule 0, "b": invalid field \'for\' in recording rule',
        ),
        (
            one("{record: 'b-c', expr: up}"),
            'r.yaml: group "g", rule 0, "b-c": invalid recording rule name: b-c',
        ),
        (
            one("{alert: A, expr: up, labels: {a-b: c}}"),
            'r.yaml: group "g", rule 0, "A": labels: invalid name: a-b',
        ),
        (
            one("{alert: A, expr: up, labels: c}"),
            'r.yaml: group "g", rule 0, "A": labels: a mapping is wanted',
        ),
        (
            one("{alert: A, expr: up, annotations: {s: '{{ $labels.a | shout }}'}}"),
            'r.yaml: group "g", rule 0, "A": s: function "shout" not defined',
        ),
        (
            one("{alert: A, expr: up, annotations: {s: '{{ $value'}}"),
            'r.yaml: group "g", rule 0, "A": s: unclosed action',
        ),
        (
            one("{alert: A, expr: up, annotations: {s: '{{ | humanize }}'}}"),
            'r.yaml: group "g", rule 0, "A": s: unexpected "|" in command',
        ),
        (
            one("{alert: A, expr: up, annotations: {s: '{{ }}'}}"),
            'r.yaml: group "g", rule 0, "A": s: missing value for command',
        ),
        (
            one("{alert: A, expr: up, severity: x}"),
            'r.yaml: group "g", rule 0: field severity not found',
        ),
    ],
)
def test_files_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(RuleFileError) as refused:
        parse_rules(text, "r.yaml")

    assert str(refused.value) == message


def test_what_is_no_yaml_is_refused() -> None:
    with pytest.raises(RuleFileError, match=r"^r\.yaml: not YAML: "):
        parse_rules("groups: [", "r.yaml")
