"""Expressions: values, failures and what does not compile."""

from __future__ import annotations

import inspect
import sys

import pytest
from sregym_cel import CelError, CompileError, compile_expression

VARIABLES = {
    "object": {
        "spec": {"replicas": 3, "names": ["a", "b"], "limits": {"memory": "64Mi"}},
        "metadata": {"name": "web", "labels": {"app.kubernetes.io/name": "x"}},
    },
    "oldObject": None,
}


def value(text: str) -> object:
    return compile_expression(text, tuple(VARIABLES)).evaluate(VARIABLES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("object.spec.replicas <= 3", True),
        ("object.spec.replicas * 2 - 1 == 5 && !(1 > 2)", True),
        ("has(object.spec.paused) || object.spec.replicas in [1, 3]", True),
        ("object.spec.names.all(n, n.size() == 1)", True),
        ("object.spec.names.exists_one(n, n == 'b')", True),
        ("object.spec.names.map(n, n + '!')", ["a!", "b!"]),
        ("object.spec.names.filter(n, n > 'a').join(',')", "b"),
        ("object.metadata.labels['app.kubernetes.io/name']", "x"),
        ("object.metadata.?annotations[?'a'].orValue('none')", "none"),
        ("oldObject == null ? 'new' : 'old'", "new"),
        ("quantity(object.spec.limits.memory).isLessThan(quantity('1Gi'))", True),
        ("'%s has %d of %.2f' % 1 == ''", None),
        ("'%s has %d'.format([object.metadata.name, 2])", "web has 2"),
        ("object.metadata.name.matches('^w.b$')", True),
        ("duration('90s').getMinutes() == 1", True),
        (
            "timestamp('2026-01-01T00:00:00Z') + duration('1h') > timestamp('2026-01-01T00:30:00Z')",
            True,
        ),
        ("cidr('10.0.0.0/8').containsIP('10.1.2.3')", True),
        ("url('https://a.example:8443/x').getPort()", "8443"),
        ("semver('1.10.0').isGreaterThan(semver('1.9.3'))", True),
        ("{'a': 1, ?'b': optional.none()}.size()", 1),
        ("[3, 1, 2].sort().indexOf(3)", 2),
        ("cel.bind(x, 2, x * x)", 4),
        ("object.missing.a == 1 || true", True),
        ("false && object.missing == 1", False),
        ("1u + 2u == 3u", True),
        ('"a\\n\\"b\\"" + r"\\d"', 'a\n"b"\\d'),
        ("type(1) == int && type('') == string", True),
        ("-7 / 2 == -3 && -7 % 2 == -1", True),
        ("1 == 1.0 && 1 != '1'", True),
    ],
)
def test_values(text, expected):
    if expected is None:
        with pytest.raises(CelError):
            value(text)
        return
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("object.spec.missing > 1", "no such key: missing"),
        ("object.spec.names[7] == 'x'", "index out of bounds: 7"),
        ("object.spec.replicas / 0 == 1", "division by zero"),
        ("object.metadata.name > 1", "no such overload"),
        ("9223372036854775807 + 1 > 0", "integer overflow"),
        ("int('x') == 1", "type conversion error from 'string' to 'int'"),
        ("duration('soon') == duration('1s')", 'time: invalid duration "soon"'),
    ],
)
def test_failures(text, message):
    with pytest.raises(CelError) as failure:
        value(text)
    assert str(failure.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "object.x > thing",
            "ERROR: <input>:1:12: undeclared reference to 'thing' (in container '')\n"
            " | object.x > thing\n | ...........^",
        ),
        (
            "frob(object)",
            "ERROR: <input>:1:5: undeclared reference to 'frob' (in container '')\n"
            " | frob(object)\n | ....^",
        ),
        (
            "object.x >",
            "ERROR: <input>:1:11: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', "
            "'-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n"
            " | object.x >\n | ..........^",
        ),
    ],
)
def test_what_does_not_compile(text, message):
    with pytest.raises(CompileError) as failure:
        compile_expression(text, ("object",))
    assert str(failure.value) == message


def test_deep_and_endless_expressions_end():
    with pytest.raises(CompileError):
        compile_expression("(" * 5000 + "1" + ")" * 5000, ())
    long = "lists.range(2000).all(a, lists.range(2000).all(b, a + b >= 0))"
    with pytest.raises(CelError) as failure:
        compile_expression(long, ()).evaluate({})
    assert str(failure.value) == "operation cancelled: actual cost limit exceeded"


def test_the_limit_of_items_can_be_told():
    program = compile_expression("items.all(x, x > 0)", ("items",))
    assert program.evaluate({"items": [1, 2, 3]}, items=3) is True
    with pytest.raises(CelError) as failed:
        program.evaluate({"items": [1, 2, 3]}, items=2)
    assert str(failed.value) == "operation cancelled: actual cost limit exceeded"


LIMIT = "expression recursion limit exceeded"


def test_a_long_chain_does_not_compile():
    text = "+".join(["1"] * 2000)
    with pytest.raises(CompileError) as failed:
        compile_expression(text, ())
    assert str(failed.value) == f"ERROR: <input>:1:1: {LIMIT}\n | {text}\n | ^"


def test_evaluation_that_nests_too_deep_ends():
    program = compile_expression("+".join(["1"] * 60), ())

    def below(depth):
        return below(depth - 1) if depth else program.evaluate({})

    taken = len(inspect.stack(0))
    with pytest.raises(CelError) as failed:
        below(sys.getrecursionlimit() - taken - 80)
    assert str(failed.value) == LIMIT
