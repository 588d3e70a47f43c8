from __future__ import annotations

from typing import Any

import pytest
from sregym_apps.table.filling import FillingError, filled, names_used

VALUES = {
    "name": "web",
    "port": 8080,
    "calls": [{"to": "stock", "port": 1}, {"to": "price", "port": 2}],
    "stores": {"db": {"port": 5432}, "cache": None},
    "none": [],
    "yes": True,
}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ port }}", 8080),
        ("{{ name }}-{{ port }}:{{yes}}", "web-8080:true"),
        ("${{{ name }}_port}", "${web_port}"),
        ("{ name }", "{ name }"),
        ({"{{ name }}": ["{{ port }}"]}, {"web": [8080]}),
        ({"a": 1, "{{ each c in calls }}": {"{{ c.to }}": "{{ c.port }}"}}, {"a": 1, "stock": 1, "price": 2}),
        (["x", {"{{ each c in calls }}": "{{ c.to }}"}], ["x", "stock", "price"]),
        ([{"{{ each c in calls }}": ["{{ c.to }}", "{{ name }}"]}], ["stock", "web", "price", "web"]),
        ([{"{{ each s in stores }}": {"{{ s.name }}": 1}}], [{"db": 1}, {"cache": 1}]),
        ({"{{ if calls }}": {"a": 1}, "{{ if none }}": {"b": 1}, "{{ if not none }}": {"c": 1}}, {"a": 1, "c": 1}),
        ([{"{{ if none }}": "x"}, {"{{ if not none }}": "y"}], ["y"]),
        ("{{ port or 1 }} {{ lost or a b }} {{ name.first or 'x' }}", "8080 a b x"),
        (["{{ lost or [1, {a: 2}] }}", "{{ lost or '' }}"], [[1, {"a": 2}], ""]),
        ([{"{{ each c in calls }}": {"{{ if c.port }}": {"p": 1}, "{{ if c.lost }}": {"q": 1}}}], [{"p": 1}, {"p": 1}]),
        ([{"{{ each c in calls }}": [{"{{ each d in c.lost }}": 1}]}], []),
        (None, None),
    ],
)  # fmt: skip
def test_what_stands_in_braces_is_filled_in(template: Any, expected: Any) -> None:
    assert filled(template, VALUES) == expected


def test_values_are_copies() -> None:
    made = filled({"a": "{{ calls }}"}, VALUES)
    made["a"][0]["to"] = "changed"

    assert VALUES["calls"] == [{"to": "stock", "port": 1}, {"to": "price", "port": 2}]


@pytest.mark.parametrize(
    ("template", "location", "message"),
    [
        (
            {"a": ["{{ prot }}"]},
            ("a", 0),
            "there is no 'prot'; there is: calls, name, none, port, stores, yes",
        ),
        ("{{ name.first }}", (), "there is no 'name.first'; there is: 'web'"),
        ("{{ lost or [ }}", (), "'[' behind 'or' is no YAML"),
        ("{{ 1 + 1 }}", (), "{{ 1 + 1 }} is no name in braces; 'each' and 'if' stand in keys of their own"),
        ("to {{ none }}", (), "'none' is [], which fits into no text"),
        ({"{{ each x in port }}": {}}, ("{{ each x in port }}",), "'port' is 8080, neither a list nor a mapping"),
        ({"{{ if yes }}": [1]}, ("{{ if yes }}",), "its content is merged into a mapping, so it is one"),
    ],
)  # fmt: skip
def test_what_cannot_be_filled_in(
    template: Any, location: tuple[str | int, ...], message: str
) -> None:
    with pytest.raises(FillingError) as raised:
        filled(template, VALUES)

    assert (raised.value.location, raised.value.text) == (location, message)


def test_names_that_a_template_uses() -> None:
    template = {
        "{{ each c in calls }}": {"{{ c.to }}": "{{ port }}"},
        "x": ["{{ name }}-a", {"{{ if not none }}": 1}],
    }

    assert names_used(template) == {"calls", "port", "name", "none"}
