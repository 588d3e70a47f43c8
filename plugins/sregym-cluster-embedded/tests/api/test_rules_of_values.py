"""Rules of custom resources meet values of their types, as formats, lists and numbers give them."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.api.structural.rules import causes, exposed

TEXT = {"type": "string"}


def schema(properties, *rules):
    spec = {"type": "object", "properties": properties}
    spec["x-kubernetes-validations"] = [{"rule": rule} for rule in rules]
    return {"type": "object", "properties": {"spec": spec}}


def refused(spec, given, old=None):
    """The rules that do not hold."""
    found = causes({"spec": given}, None if old is None else {"spec": old}, spec, [])
    return [cause.message.partition("failed rule: ")[2] or cause.message for cause in found]


def test_moments_and_spans_of_time_are_reckoned_with():
    rule = "has(self.expired) && self.created + self.ttl < self.expired"
    given = {
        "created": {**TEXT, "format": "date-time"},
        "ttl": {**TEXT, "format": "duration"},
        "expired": {**TEXT, "format": "date-time"},
    }
    times = {"created": "2026-01-01T00:00:00Z", "ttl": "10m"}
    early, late = ({**times, "expired": f"2026-01-01T00:{m}:00Z"} for m in ("05", "15"))
    assert refused(schema(given, rule), early) == [rule]
    assert refused(schema(given, rule), late) == []


def test_formats_and_numbers_have_the_types_of_expressions():
    given = {
        "day": {**TEXT, "format": "date"},
        "raw": {**TEXT, "format": "byte"},
        "share": {"type": "number"},
    }
    rules = (
        "self.day.getFullYear() == 2026",
        "self.raw == b'abc'",
        "self.share / 2.0 == 0.5",
        "type(self.share) == double",
    )
    assert refused(schema(given, *rules), {"day": "2026-03-01", "raw": "YWJj", "share": 1}) == []


def test_what_is_of_no_such_format_stays_a_text():
    assert exposed("soon", {**TEXT, "format": "date-time"}) == "soon"


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("self.names == ['b', 'a']", True),
        ("self.names == ['a', 'b', 'c']", False),
        ("self.names + ['c', 'a'] == ['a', 'b', 'c']", True),
        ("(self.names + ['c', 'a']).size() == 3", True),
        ("self.ports + self.ports == self.ports", True),
        ("self.ports == [self.ports[1], self.ports[0]]", True),
        ("self.plain == ['b', 'a']", False),
        ("self.plain + ['a'] == ['a', 'b', 'a']", True),
        ("self.names.all(n, n in self.plain)", True),
    ],
)
def test_lists_whose_order_means_nothing_are_equal_in_any_order(rule, holds):
    port = {"type": "object", "properties": {"name": TEXT, "port": {"type": "integer"}}}
    given = {
        "names": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT},
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": port,
        },
        "plain": {"type": "array", "items": TEXT},
    }
    ports = [{"name": "a", "port": 1}, {"name": "b", "port": 2}]
    values = {"names": ["a", "b"], "plain": ["a", "b"], "ports": ports}
    assert refused(schema(given, rule), values) == ([] if holds else [rule])


def test_what_was_before_may_be_an_optional_value():
    rule = "oldSelf.hasValue() || self == 'first'"
    text = {
        **TEXT,
        "x-kubernetes-validations": [
            {"rule": rule, "optionalOldSelf": True},
            {"rule": "self == oldSelf"},
        ],
    }
    given = {"type": "object", "properties": {"spec": text}}

    def failing(new, old=None):
        found = causes({"spec": new}, None if old is None else {"spec": old}, given, [])
        return [cause.message.partition("failed rule: ")[2] for cause in found]

    assert failing("other") == [rule]
    assert failing("first") == []
    assert failing("other", "first") == ["self == oldSelf"]
