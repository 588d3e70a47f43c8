"""Answers that people read: the order of fields, lines, and what is escaped."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.api.pretty_print import in_order, is_pretty
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.api.server import handle

MAP = "/api/v1/namespaces/shop/configmaps/c"
RAW = {"accept": "application/json, */*", "user-agent": "kubectl/v1.37.1 (linux/amd64)"}


def get(world, path, query=(), **headers):
    answer = handle(world, Request("GET", path, query, headers))
    assert isinstance(answer, Response)
    return answer.body.decode()


@pytest.fixture
def made(client, world):
    body = {"data": {"b": "<&>", "a": "1"}, "metadata": {"labels": {"z": "1", "y": "2"}}}
    body["metadata"]["name"] = "c"
    made = client("POST", "/api/v1/namespaces/shop/configmaps", body)["metadata"]
    text = get(world, MAP, **{"user-agent": "curl/8"})
    for name in ("uid", "resourceVersion", "creationTimestamp"):
        text = text.replace(f'"{made[name]}"', f'"{name.upper()}"')
    return text[: text.index('    "managedFields"')] + text[text.index('  "data"') :]


def test_curl_is_shown_the_order_of_the_struct_on_lines(made):
    assert made == (
        "{\n"
        '  "kind": "ConfigMap",\n'
        '  "apiVersion": "v1",\n'
        '  "metadata": {\n'
        '    "name": "c",\n'
        '    "namespace": "shop",\n'
        '    "uid": "UID",\n'
        '    "resourceVersion": "RESOURCEVERSION",\n'
        '    "creationTimestamp": "CREATIONTIMESTAMP",\n'
        '    "labels": {\n'
        '      "y": "2",\n'
        '      "z": "1"\n'
        "    },\n"
        '  "data": {\n'
        '    "a": "1",\n'
        '    "b": "\\u003c\\u0026\\u003e"\n'
        "  }\n"
        "}"
    )


def test_raw_is_shown_the_order_on_one_line(world, made):
    line = get(world, MAP, **RAW)
    assert line.startswith('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c",')
    assert line.endswith('"data":{"a":"1","b":"\\u003c\\u0026\\u003e"}}\n')
    other = get(world, MAP, **RAW, **{"kubectl-command": "kubectl describe"})
    assert other.endswith("\n")
    assert not other.startswith('{"kind"')


def test_failures_and_lists_are_shown_too(world, made):
    curl = {"user-agent": "curl/8"}
    assert get(world, f"{MAP}x", **curl) == (
        '{\n  "kind": "Status",\n  "apiVersion": "v1",\n  "metadata": {},\n  "status": "Failure",\n'
        '  "message": "configmaps \\"cx\\" not found",\n  "reason": "NotFound",\n  "details": {\n'
        '    "name": "cx",\n    "kind": "configmaps"\n  },\n  "code": 404\n}'
    )
    listed = get(world, MAP[:-2], (("limit", "1"),), **curl)
    assert listed.startswith(
        '{\n  "kind": "ConfigMapList",\n  "apiVersion": "v1",\n  "metadata": {'
    )
    assert '  "items": [\n    {\n      "metadata": {\n        "name": "c",\n' in listed
    assert get(world, "/version").startswith('{\n  "major": "1",\n  "minor": "36",\n')


def test_custom_resources_are_in_the_order_of_the_alphabet():
    widget = {"kind": "W", "spec": {"b": 1, "a": {"d": 1, "c": 2}}, "metadata": {"name": "w"}}
    found = in_order({**widget, "apiVersion": "example.com/v1"})
    assert list(found) == ["apiVersion", "kind", "metadata", "spec"]
    assert list(found["spec"]["a"]) == ["c", "d"]


@pytest.mark.parametrize(
    ("agent", "query", "expected"),
    [
        ("curl/8", (), True),
        ("Wget/1", (), True),
        ("Mozilla/5.0 (X11)", (), True),
        ("kubectl/v1.37", (), False),
        ("kubectl/v1.37", (("pretty", "true"),), True),
        ("curl/8", (("pretty", "false"),), False),
        ("curl/8", (("pretty", ""),), True),
        ("curl/8", (("pretty", "yes"),), False),
    ],
)
def test_who_gets_lines(agent, query, expected):
    assert is_pretty(Request("GET", "/api", query, {"user-agent": agent})) is expected
