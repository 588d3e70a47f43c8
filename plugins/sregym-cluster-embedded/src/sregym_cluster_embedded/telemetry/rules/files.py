"""Rule files in the format of Prometheus."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml
from sregym_gotemplate import ParseError as TemplateError
from sregym_promql import ParseError, parse
from sregym_promql.formats import duration_ms

from sregym_cluster_embedded.telemetry.rules.templates import check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT_INTERVAL_MS = 60_000
_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_OF_RULES = frozenset(
    {"record", "alert", "expr", "for", "keep_firing_for", "labels", "annotations"}
)
_OF_GROUPS = frozenset({"name", "interval", "limit", "rules"})


class RuleFileError(ValueError):
    """A rule file that cannot be read; says which group and rule."""


@dataclass(frozen=True)
class RecordingRule:
    """Stores the value of an expression under a name.

    Attributes:
        name: Of the new series.
        expr: What is evaluated.
        labels: Set on the new series.
    """

    name: str
    expr: str
    labels: Mapping[str, str]


@dataclass(frozen=True)
class AlertingRule:
    """Alerts on each row of an expression.

    Attributes:
        name: The label `alertname`.
        expr: What is evaluated.
        hold_ms: For how long a row must be there until its alert fires.
        keep_ms: For how long an alert fires on after its row is gone.
        labels: Templates; set on the alert.
        annotations: Templates.
    """

    name: str
    expr: str
    hold_ms: int
    keep_ms: int
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


Rule: TypeAlias = RecordingRule | AlertingRule


@dataclass(frozen=True)
class Group:
    """Rules that are evaluated together, in their order.

    Attributes:
        name: Of the group.
        file: Where it stands.
        interval_ms: Between two evaluations.
        rules: Of the group.
    """

    name: str
    file: str
    interval_ms: int
    rules: tuple[Rule, ...]


def parse_rules(text: str, file: str) -> tuple[Group, ...]:
    """The groups of a rule file.

    Args:
        text: YAML.
        file: Its name, for messages and for the API.

    Raises:
        RuleFileError: It is not one.
    """
    try:
        whole = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise RuleFileError(f"{file}: not YAML: {error}") from None
    groups = _mapping(whole, frozenset({"groups"}), file).get("groups") or []
    found = tuple(_group(group, file) for group in _list(groups, f"{file}: groups"))
    names = [group.name for group in found]
    for name in names:
        if names.count(name) > 1:
            raise RuleFileError(f'{file}: groupname: "{name}" is repeated in the same file')
    return found


def _group(given: Any, file: str) -> Group:
    group = _mapping(given, _OF_GROUPS, f"{file}: group")
    name = group.get("name")
    if not name:
        raise RuleFileError(f"{file}: group without a name: Groupname must not be empty")
    where = f'{file}: group "{name}"'
    interval = _duration(group.get("interval", ""), f"{where}: interval") or DEFAULT_INTERVAL_MS
    rules = _list(group.get("rules") or [], f"{where}: rules")
    return Group(
        str(name), file, interval, tuple(_rule(rule, where, at) for at, rule in enumerate(rules))
    )


def _rule(given: Any, group: str, number: int) -> Rule:
    rule = _mapping(given, _OF_RULES, f"{group}, rule {number}")
    alert, record = rule.get("alert"), rule.get("record")
    where = f'{group}, rule {number}, "{alert or record or ""}"'
    if bool(alert) == bool(record):
        raise RuleFileError(f"{where}: one of 'record' and 'alert' must be set")
    expr = str(rule.get("expr") or "")
    if not expr:
        raise RuleFileError(f"{where}: field 'expr' must be set in rule")
    try:
        parse(expr)
    except ParseError as error:
        raise RuleFileError(f"{where}: could not parse expression: {error}") from None
    labels = _words(rule.get("labels"), f"{where}: labels")
    if record:
        for field in ("for", "keep_firing_for", "annotations"):
            if field in rule:
                raise RuleFileError(f"{where}: invalid field '{field}' in recording rule")
        if not _METRIC.fullmatch(str(record)):
            raise RuleFileError(f"{where}: invalid recording rule name: {record}")
        return RecordingRule(str(record), expr, labels)
    annotations = _words(rule.get("annotations"), f"{where}: annotations")
    for name, template in (*labels.items(), *annotations.items()):
        try:
            check(template)
        except TemplateError as error:
            raise RuleFileError(f"{where}: {name}: {error.what}") from None
    hold = _duration(rule.get("for", ""), f"{where}: for")
    keep = _duration(rule.get("keep_firing_for", ""), f"{where}: keep_firing_for")
    return AlertingRule(str(alert), expr, hold, keep, labels, annotations)


def _mapping(given: Any, known: frozenset[str], where: str) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise RuleFileError(f"{where}: a mapping is wanted")
    for name in given:
        if name not in known:
            raise RuleFileError(f"{where}: field {name} not found")
    return given


def _list(given: Any, where: str) -> Sequence[Any]:
    if not isinstance(given, list):
        raise RuleFileError(f"{where}: a list is wanted")
    return given


def _words(given: Any, where: str) -> Mapping[str, str]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise RuleFileError(f"{where}: a mapping is wanted")
    for name in given:
        if not _LABEL.fullmatch(str(name)) or name == "__name__":
            raise RuleFileError(f"{where}: invalid name: {name}")
    return {str(name): str(value) for name, value in given.items()}


def _duration(given: Any, where: str) -> int:
    if given == "":
        return 0
    found = duration_ms(str(given))
    if found is None:
        raise RuleFileError(f'{where}: not a valid duration string: "{given}"')
    return found
