"""Targeting of feature flags: operators of JsonLogic and of flagd."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.userland.flag_files import read_flags
from sregym_cluster_embedded.userland.targeting import (
    TargetingError,
    applied,
    unknown_operators,
)

WHO = {
    "targetingKey": "user-1",
    "email": "ann@example.com",
    "version": "1.4.2",
    "age": 30,
    "address": {"city": "Bern"},
    "$flagd": {"flagKey": "colour", "timestamp": 1_700_000_000},
}


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ("on", "on"),
        ({"var": "email"}, "ann@example.com"),
        ({"var": "address.city"}, "Bern"),
        ({"var": ["nobody", "x"]}, "x"),
        ({"var": "$flagd.flagKey"}, "colour"),
        ({"==": [{"var": "age"}, "30"]}, True),
        ({"===": [{"var": "age"}, "30"]}, False),
        ({"!=": [{"var": "nobody"}, None]}, False),
        ({"in": ["@example.com", {"var": "email"}]}, True),
        ({"in": [{"var": "address.city"}, ["Bern", "Basel"]]}, True),
        ({"<": [18, {"var": "age"}, 65]}, True),
        ({">=": [{"var": "age"}, 31]}, False),
        ({"!": [[]]}, True),
        ({"and": [{"var": "email"}, {"var": "nobody"}]}, None),
        ({"or": [{"var": "nobody"}, "else"]}, "else"),
        ({"if": [False, "a", {"starts_with": [{"var": "email"}, "ann"]}, "b", "c"]}, "b"),
        ({"if": [False, "a"]}, None),
        ({"ends_with": [{"var": "email"}, ".org"]}, False),
        ({"starts_with": [{"var": "age"}, "3"]}, False),
        ({"cat": [{"var": "age"}, "-", {"var": "address.city"}]}, "30-Bern"),
        ({"missing": ["email", "nobody"]}, ["nobody"]),
        ({"%": [{"var": "age"}, 7]}, 2.0),
        ({"sem_ver": [{"var": "version"}, ">=", "1.4.0"]}, True),
        ({"sem_ver": [{"var": "version"}, "^", "1.9.9"]}, True),
        ({"sem_ver": [{"var": "version"}, "~", "1.3.0"]}, False),
        ({"sem_ver": ["1.4.2-rc.1", "<", {"var": "version"}]}, True),
        ({"sem_ver": [{"var": "email"}, "=", "1.0.0"]}, False),
        ({"fractional": [["red", 100], ["blue", 0]]}, "red"),
        ({"fractional": ["", ["red"], ["blue"]]}, "red"),
        ({"fractional": [["red", 0], ["blue", 0]]}, None),
    ],
)
def test_what_rules_come_to(rule: Any, found: Any) -> None:
    assert applied(rule, WHO) == found


def test_fractions_are_kept_by_who_asks() -> None:
    rule = {"fractional": [["red", 25], ["blue", 75]]}
    told = [applied(rule, {**WHO, "targetingKey": f"user-{n}"}) for n in range(2000)]

    assert told == [applied(rule, {**WHO, "targetingKey": f"user-{n}"}) for n in range(2000)]
    assert told.count("red") == pytest.approx(500, abs=60)
    assert applied(rule, {**WHO, "targetingKey": None}) is None


def test_what_cannot_be_applied() -> None:
    with pytest.raises(TargetingError) as caught:
        applied({"ends_whit": ["a", "b"]}, WHO)
    assert str(caught.value) == 'The operator "ends_whit" is not supported'
    deep: Any = "on"
    for _ in range(80):
        deep = {"if": [True, deep]}
    with pytest.raises(TargetingError) as caught:
        applied(deep, WHO)
    assert str(caught.value) == "rules are nested too deep"
    assert unknown_operators([{"if": [{"is": 1}, {"or": [{"sem": 2}]}]}]) == ["is", "sem"]


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("oops", "transposing evaluators: unmarshal: invalid character 'o' looking for beginning of value"),
        ('{"flags": {', "transposing evaluators: unmarshal: unexpected end of JSON input"),
        ('{"flags": {"a": {"state": "ENABLED", "variants": {"on": 1}, "defaultVariant": "of"}}}', "default variant: 'of' isn't a valid variant of flag: 'a'"),
    ],
)  # fmt: skip
def test_files_that_are_refused(text: str, refused: str) -> None:
    found = read_flags(text)
    assert (found.flags, found.refused) == ({}, refused)


def test_rules_may_be_shared() -> None:
    text = (
        '{"$evaluators": {"ann": {"in": ["ann", {"var": "email"}]}}, "flags": {"a": {"state": '
        '"ENABLED", "variants": {"on": 1}, "targeting": {"if": [{"$ref": "ann"}, "on"]}}}}'
    )
    rule = read_flags(text).flags["a"]["targeting"]
    assert applied(rule, WHO) == "on"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000 + "]" * 20_000,
        '{"flags": {"a": {"targeting": ' + '{"!": ' * 900 + "1" + "}" * 900 + "}}}",
    ],
)
def test_a_file_that_is_nested_too_deeply_is_refused(text: str) -> None:
    refused = "transposing evaluators: unmarshal: exceeded max depth"
    assert (read_flags(text).flags, read_flags(text).refused) == ({}, refused)
