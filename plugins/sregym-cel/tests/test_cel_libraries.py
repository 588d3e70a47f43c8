"""The function libraries of expressions: what they give, and which calls are refused beforehand."""

from __future__ import annotations

import pytest
from sregym_cel import CelError, check, compile_expression
from sregym_cel.formats import STANDARD


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("string(ip('10.0.0.1')) + ' ' + string(cidr('10.0.0.0/8'))", "10.0.0.1 10.0.0.0/8"),
        ("type(ip('10.0.0.1')) == net.IP && type(quantity('1')) == kubernetes.Quantity", True),
        ("type(timestamp('2026-01-01T00:00:00Z')) == google.protobuf.Timestamp", True),
        ("ip('224.0.0.1').isLinkLocalMulticast()", True),
        ("ip('224.0.1.1').isLinkLocalMulticast()", False),
        ("ip('ff02::1').isLinkLocalMulticast()", True),
        ("ip('255.255.255.255').isGlobalUnicast()", False),
        ("ip('10.0.0.1').isGlobalUnicast()", True),
        ("quantity('9999999999999999999G').isInteger()", False),
        ("quantity('50k').isInteger()", True),
        ("semver('01.01.01', true) == semver('1.1.1')", True),
        ("semver('v01.01', true) == semver('1.1.0')", True),
        ("isSemver('1.0-alpha', true)", False),
        ("url('https://a.example/path with spaces/').getEscapedPath()", "/path%20with%20spaces/"),
        ("'123 abc 456'.findAll('[0-9]*')", ["123", "", "", "", "", "456"]),
        ("{'a': 1, 'b': 9}.transformMap(k, v, v < 5, v + 1)", {"a": 2}),
        ("[1, 7].transformList(i, v, v < 5, v + i)", [1]),
        ("{'a': 1}.transformMapEntry(k, v, {v: k})", {1: "a"}),
        ("{'a': 1, 'b': 9}.transformMapEntry(k, v, v > 5, {k: v})", {"b": 9}),
        ("format.uuid().validate('x').value()", ["does not match the UUID format"]),
        ("format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()", False),
        ("format.byte().validate('aGVsbG8=').hasValue()", False),
        ("format.byte().validate('a').value()", ["invalid base64"]),
        ("format.date().validate('2020-01-32').value()", ["invalid date"]),
        ("format.datetime().validate('2020-01-32T00:00:00Z').value()", ["invalid datetime"]),
        ("format.datetime().validate('2020-01-01T00:00:00Z').hasValue()", False),
        ("format.uri().validate('http://a.example/x').hasValue()", False),
        ("format.uri().validate('a').value()", ['parse "a": invalid URI for request']),
        ("format.uri().validate('').value()", ['parse "": empty url']),
        ("format.named('date').hasValue() && !format.named('unknown').hasValue()", True),
    ],
)
def test_functions_give_what_the_libraries_say(text, expected):
    assert compile_expression(text, ()).evaluate({}) == expected
    assert not check(text, {}).errors


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("quantity('9999999999999999999G').asInteger()", "cannot convert value to integer"),
        (
            "semver('1.0-a', true)",
            "short version cannot contain PreRelease/Build meta data",
        ),
        (
            "[1, 2].transformMapEntry(i, v, {'a': v})",
            "insert failed: key a already exists",
        ),
    ],
)
def test_functions_fail_in_their_words(text, words):
    with pytest.raises(CelError) as failed:
        compile_expression(text, ()).evaluate({})
    assert str(failed.value) == words


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("quantity('1Gi').add(5)", "kubernetes.Quantity"),
        ("quantity('1Gi').compareTo(quantity('1G'))", "int"),
        ("cidr('10.0.0.0/8').ip()", "net.IP"),
        ("url('https://a.example').getQuery()", "map(string, list(string))"),
        ("[3, 1].min()", "int"),
        ("['b', 'a'].max()", "string"),
        ("[1.5].sum()", "double"),
        ("duration('1h').getHours()", "int"),
        ("timestamp('2026-01-01T00:00:00Z').getFullYear('UTC')", "int"),
        ("'a-b'.split('-').join('+')", "string"),
        ("sets.contains([1], [2])", "bool"),
        ("semver('1.0.0').major()", "int"),
    ],
)
def test_types_of_calls_are_known(text, kind):
    assert (str(check(text, {}).kind), check(text, {}).text) == (kind, "")


@pytest.mark.parametrize(
    ("text", "name", "applied"),
    [
        ("isQuantity([1, 2])", "isQuantity", "(list(int))"),
        ("isIP(cidr('10.0.0.0/8'))", "isIP", "(net.CIDR)"),
        ("quantity('1').add('1')", "add", "kubernetes.Quantity.(string)"),
        (
            "quantity('1') < quantity('2')",
            "_<_",
            "(kubernetes.Quantity, kubernetes.Quantity)",
        ),
        ("quantity('1') == 1", "_==_", "(kubernetes.Quantity, int)"),
        (
            "quantity('1').isLessThan(semver('1.0.0'))",
            "isLessThan",
            "kubernetes.Quantity.(kubernetes.Semver)",
        ),
        ("['a'].sum()", "sum", "list(string).()"),
        ("sets.contains([1], ['a'])", "sets.contains", "(list(int), list(string))"),
        ("int(['a'])", "int", "(list(string))"),
        ("'a'.getHours()", "getHours", "string.()"),
        ("[1].join()", "join", "list(int).()"),
    ],
)
def test_calls_that_no_function_takes_are_refused(text, name, applied):
    said = check(text, {}).text.splitlines()[0]
    words = f"found no matching overload for '{name}' applied to '{applied}'"
    assert said.partition(": ")[2].partition(": ")[2] == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("has(nothing.spec)", False),
        ("nothing.?spec.orValue('none')", "none"),
        ("nothing == null || nothing.spec == 1", True),
        ("has(one.spec) || one.?spec.hasValue()", False),
    ],
)
def test_what_has_no_fields_has_none_of_a_name(text, expected):
    names = ("nothing", "one")
    assert compile_expression(text, names).evaluate({"nothing": None, "one": 1}) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nothing.spec", "no such key: spec"),
        ("nothing['spec']", "no such key: spec"),
        ("has([1].spec)", "unsupported index type 'string' in list"),
        ("[1].?spec", "unsupported index type 'string' in list"),
    ],
)
def test_fields_of_what_has_none_are_missing(text, words):
    with pytest.raises(CelError) as failed:
        compile_expression(text, ("nothing",)).evaluate({"nothing": None})
    assert str(failed.value) == words


def test_each_format_is_a_function():
    for name in STANDARD:
        assert check(f"format.{name}()", {}).kind.name == "kubernetes.NamedFormat"
