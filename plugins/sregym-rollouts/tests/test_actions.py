"""Calls of tools as text: what a policy says, and how tools are told to it."""

from __future__ import annotations

import json

import pytest
from sregym_core.api import Workspace
from sregym_rollouts import Action, function_schemas, parse_action, tools_text, word_places

TOOLS = tuple(
    {"name": one.name, "description": one.description, "parameters": one.parameters}
    for one in Workspace().factory.toolset.tools()
)
PODS = Action("kubectl", {"command": "get pods -n shop"})
LOGS = {"query": '{namespace="shop"}', "minutes": 5}


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("kubectl get pods -n shop", PODS),
        ("  kubectl   get pods -n shop\n", PODS),
        ("I look at pods.\n```bash\nkubectl get pods -n shop\n```\nThen I go on.", PODS),
        ("```\nstatus\n```\nor\n```\nkubectl get pods -n shop\n```", PODS),
        ('{"tool": "kubectl", "arguments": {"command": "get pods -n shop"}}', PODS),
        ('{"name": "kubectl", "arguments": "{\\"command\\": \\"get pods -n shop\\"}"}', PODS),
        ('{"function": {"name": "kubectl", "arguments": {"command": "get pods -n shop"}}}', PODS),
        (json.dumps({"tool": "query_logs", "arguments": LOGS}), Action("query_logs", LOGS)),
        ("kubectl apply -f - <<'EOF'\na: 1\nEOF", Action("kubectl", {"command": "apply -f - <<'EOF'\na: 1\nEOF"})),
        ("submit It is ```geo```.", Action("submit", {"text": "It is ```geo```."})),
        ("status", Action("status")),
        ("list_metrics http", Action("list_metrics", {"contains": "http"})),
        ("alerts now", Action("alerts", {"text": "now"})),
        ("Hello there", Action("Hello", {"text": "there"})),
        ('{"tool": 7}', Action('{"tool":', {"text": "7}"})),
        ('{"tool": "kubectl", "arguments": "get pods"}', Action('{"tool":', {"text": '"kubectl", "arguments": "get pods"}'})),
        ("[1]", Action("[1]")),
        ("", Action("")),
    ],
)  # fmt: skip
def test_what_a_policy_says_is_read_as_a_call(text: str, action: Action) -> None:
    assert parse_action(text, TOOLS) == action


@pytest.mark.parametrize(
    ("action", "line"),
    [
        (PODS, "kubectl get pods -n shop"),
        (Action("status"), "status"),
        (Action("query_logs", LOGS), json.dumps({"tool": "query_logs", "arguments": LOGS})),
        (Action("wait", {"seconds": 5}), '{"tool": "wait", "arguments": {"seconds": 5}}'),
        (Action("nothing", {"a": "b"}), '{"tool": "nothing", "arguments": {"a": "b"}}'),
    ],
)
def test_an_action_is_written_so_that_it_is_read_as_the_same(action: Action, line: str) -> None:
    assert action.line(TOOLS) == line
    assert parse_action(line, TOOLS) == action


def test_tools_are_told_in_text() -> None:
    lines = tools_text(TOOLS).splitlines()
    assert lines[0].startswith("Each answer of yours is one action:")
    assert [line.partition(":")[0] for line in lines[2:6]] == [
        "- kubectl COMMAND (also page, stdin)",
        "- wait SECONDS",
        "- query_metrics QUERY (also page, time)",
        "- query_metrics_range QUERY (also page, minutes, end, step_seconds)",
    ]
    assert [line.partition(":")[0] for line in lines[-2:]] == [
        "- status",
        "- submit TEXT (also claims)",
    ]


def test_tools_are_told_as_functions() -> None:
    told = function_schemas(TOOLS)
    assert [one["type"] for one in told] == ["function"] * len(TOOLS)
    assert [one["function"] for one in told] == [dict(one) for one in TOOLS]


def test_words_have_the_same_places_whatever_is_generated_around_them() -> None:
    here = word_places("Pod geo-7d9f8 is CrashLoopBackOff since 12:00", 64)
    there = word_places("since crashloopbackoff is pod geo", 64)
    assert here - word_places("d f", 64) == there
    assert word_places("1 2 3", 64) == frozenset()
