"""Types of the parts of expressions."""

from __future__ import annotations

import pytest
from sregym_cel import check, compile_expression
from sregym_cel.kinds import DYN, INT, STRING, list_of, map_of, struct


def pointed(what, text, column):
    return f"ERROR: <input>:1:{column}: {what}\n | {text}\n | {'.' * (column - 1)}^"


@pytest.mark.parametrize(
    ("text", "kind", "issue"),
    [
        ("o.count + 1 > 2", "bool", ""),
        ("o.count + 1", "int", ""),
        ("o.any + 1", "int", ""),
        ("o.any + o.any", "dyn", ""),
        ("o.names.map(n, n + 'x')", "list(string)", ""),
        ("o.labels.all(k, k != '' && o.labels[k] != '')", "bool", ""),
        ("o.names.filter(n, size(n) > 3).size()", "int", ""),
        ("has(o.name) ? o.name : 'none'", "string", ""),
        ("{'a': 1}", "map(string, int)", ""),
        ("o.count < 1.5", "bool", ""),
        ("o == null", "bool", ""),
        ("o.other", "dyn", "undefined field 'other'@2"),
        ("has(o.other)", "bool", "undefined field 'other'@6"),
        ("o.name.first", "dyn", "type 'string' does not support field selection@7"),
        ("o.names.x", "dyn", "type 'list(string)' does not support field selection@8"),
        (
            "o.count == 'a'",
            "dyn",
            "found no matching overload for '_==_' applied to '(int, string)'@9",
        ),
        (
            "o.count == 1.5",
            "dyn",
            "found no matching overload for '_==_' applied to '(int, double)'@9",
        ),
        (
            "o.name + 1",
            "dyn",
            "found no matching overload for '_+_' applied to '(string, int)'@8",
        ),
        (
            "o.count && true",
            "dyn",
            "found no matching overload for '_&&_' applied to '(int, bool)'@9",
        ),
        (
            "1 in o.names",
            "dyn",
            "found no matching overload for '@in' applied to '(int, list(string))'@3",
        ),
        (
            "o.names['a']",
            "dyn",
            "found no matching overload for '_[_]' applied to '(list(string), string)'@8",
        ),
        (
            "o.count.startsWith('a')",
            "dyn",
            "found no matching overload for 'startsWith' applied to 'int.(string)'@19",
        ),
        ("size(o.count)", "dyn", "found no matching overload for 'size' applied to '(int)'@5"),
        (
            "true ? 1 : 'a'",
            "dyn",
            "found no matching overload for '_?_:_' applied to '(bool, int, string)'@6",
        ),
        ("[1, 'a']", "list(dyn)", "expected type 'int' but found 'string'@5"),
        (
            "o.count.all(x, true)",
            "bool",
            "expression of type 'int' cannot be range of a comprehension (must be list, map, or "
            "dynamic)@2",
        ),
    ],
)
def test_types_of_the_parts_go_together(text, kind, issue):
    own = struct(
        "o",
        {
            "name": STRING,
            "count": INT,
            "any": DYN,
            "names": list_of(STRING),
            "labels": map_of(STRING),
        },
    )
    compile_expression(text, ("o",))
    checked = check(text, {"o": own})
    what, _, column = issue.rpartition("@")
    assert (str(checked.kind), checked.text) == (kind, issue and pointed(what, text, int(column)))


def test_all_that_does_not_go_together_is_said_in_order():
    text = "o.b == 1 && o.a == 2"
    first, second = (
        pointed("undefined field 'b'", text, 2),
        pointed("undefined field 'a'", text, 14),
    )
    assert check(text, {"o": struct("o", {})}).text == f"{first}\n{second}"
