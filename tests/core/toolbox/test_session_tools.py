"""Tools of a session by name: schemas, budgets, pages, and what the transcript keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_core.errors import BudgetExceededError
from sregym_core.interfaces import CommandResult, Stage, ToolResult
from sregym_core.model import Claims, Tokens
from sregym_testing import ScriptedSession

NewSession = Callable[..., ScriptedSession]

PROMISED = {
    "metrics": ["query_metrics", "query_metrics_range", "list_metrics", "alerts"],
    "logs": ["query_logs", "log_labels"],
    "traces": ["list_services", "search_traces", "get_trace", "service_dependencies"],
    "cluster": ["kubectl", "wait"],
    "submission": ["status", "submit"],
}


def test_all_promised_tools_are_there_with_schemas(new_session: NewSession) -> None:
    tools = new_session().tools
    by_group: dict[str, list[str]] = {}
    for tool in tools:
        by_group.setdefault(str(tool.group), []).append(tool.name)
    assert by_group == PROMISED
    assert [tool.name for tool in tools if not tool.reads_only] == ["kubectl", "submit"]
    submit = next(tool for tool in tools if tool.name == "submit")
    properties = dict(submit.parameters["properties"])
    claims = properties.pop("claims")
    assert list(claims["properties"]) == list(Claims.model_fields)
    assert [name for name, about in claims["properties"].items() if not about["description"]] == []
    assert {**submit.parameters, "properties": properties} == {
        "type": "object",
        "properties": {
            "text": {
                "type": "string",
                "description": (
                    "What the instruction asks for next: a diagnosis (component, what is wrong with "
                    "it, what it should be, who suffers), or a short note that the repair is done."
                ),
            }
        },
        "required": ["text"],
        "additionalProperties": False,
    }


def test_kubectl_by_name(new_session: NewSession) -> None:
    session = new_session()
    answers = session.watched.behind.answers
    answers["kubectl version"] = CommandResult(0, "v1.37.1\n")
    answers["kubectl get x"] = CommandResult(1, "", "error: no resource type x\n")
    answers["kubectl delete pod a"] = CommandResult(0)
    said = [
        session.call("kubectl", {"command": line}) for line in ("version", "get x", "delete pod a")
    ]
    assert said == [
        ToolResult("v1.37.1"),
        ToolResult("error: no resource type x\n(exit code 1)", ok=False),
        ToolResult("(no output)"),
    ]
    assert [(c.tool, c.arguments, c.exit_code, c.ok) for c in session.transcript] == [
        ("kubectl", {"command": "version"}, 0, True),
        ("kubectl", {"command": "get x"}, 1, False),
        ("kubectl", {"command": "delete pod a"}, 0, True),
    ]


def test_standard_input_of_kubectl(new_session: NewSession) -> None:
    session = new_session()
    session.watched.behind.answers["kubectl apply -f - <<'EOF'\nkind: A\nEOF"] = CommandResult(
        0, "a"
    )
    assert session.call("kubectl", {"command": "apply -f -", "stdin": "kind: A\n"}).text == "a"
    [call] = session.transcript
    assert call.arguments == {"command": "kubectl apply -f - <<'EOF'\nkind: A\nEOF"}


def test_refused_commands_are_recorded_and_do_not_run(new_session: NewSession) -> None:
    session = new_session()
    refused = session.call("kubectl", {"command": "get pods | wc -l", "stdin": "x"})
    text = "there is no shell behind this: '|' cannot be used; run one kubectl command at a time"
    assert refused == ToolResult(f"error: {text}\n(exit code 1)", ok=False)
    assert (session.watched.writes, session.watched.reads) == ([], 0)
    assert [(call.ok, call.output) for call in session.transcript] == [(False, f"error: {text}\n")]


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("kubectl", {}, "kubectl: argument 'command': missing"),
        ("wait", {"seconds": "soon"}, "wait: argument 'seconds': must be a number, not 'soon'"),
        ("alerts", {"all": 1}, "alerts: argument 'all': unknown; there are: page"),
        ("get_logs", {}, "there is no tool 'get_logs'; there are: kubectl, wait, query_metrics, query_metrics_range, list_metrics, alerts, query_logs, log_labels, list_services, search_traces, get_trace, service_dependencies, status, submit"),
    ],
)  # fmt: skip
def test_wrong_calls_are_answered(
    new_session: NewSession, tool: str, arguments: dict[str, Any], text: str
) -> None:
    session = new_session()
    assert session.call(tool, arguments) == ToolResult(text, ok=False)
    assert [(call.tool, call.arguments, call.ok) for call in session.transcript] == [
        (tool, arguments, False)
    ]


def test_long_answers_come_in_pages_and_run_once(new_session: NewSession) -> None:
    session = new_session()
    lines = [f"line {number:04d} {'x' * 40}" for number in range(500)]
    session.watched.behind.answers["kubectl delete pods --all"] = CommandResult(0, "\n".join(lines))
    arguments = {"command": "kubectl delete pods --all"}
    read = [session.call("kubectl", {**arguments, "page": page}) for page in (1, 2, 3)]
    assert [(result.page, result.pages, result.ok) for result in read] == [
        (1, 3, True),
        (2, 3, True),
        (3, 3, True),
    ]
    notes = [result.text.rpartition("\n")[2] for result in read]
    assert notes == [
        "[page 1 of 3, lines 1 to 235 of 500; repeat the call with page=2 for more]",
        "[page 2 of 3, lines 236 to 470 of 500; repeat the call with page=3 for more]",
        "[page 3 of 3, lines 471 to 500 of 500]",
    ]
    assert [line for result in read for line in result.text.split("\n")[:-1]] == lines
    assert session.watched.writes == ["kubectl delete"]
    assert session.call("kubectl", {**arguments, "page": 4}) == ToolResult(
        "there is no page 4 of this answer; call kubectl without page first", ok=False, page=4
    )


def test_a_page_that_was_never_asked_for_runs_nothing(new_session: NewSession) -> None:
    session = new_session()
    result = session.call("kubectl", {"command": "delete pod a", "page": 2})
    assert not result.ok
    assert session.watched.writes == []


def test_a_line_longer_than_a_page_is_cut(new_session: NewSession) -> None:
    session = new_session()
    session.watched.behind.answers["kubectl version"] = CommandResult(0, "y" * 30_000)
    first = session.call("kubectl", {"command": "version"})
    assert (first.pages, first.text.split("\n")[0]) == (3, "y" * 12_000)


def test_both_submissions_and_the_status(new_session: NewSession) -> None:
    session = new_session(steps=20, tokens=1_000, wall_s=None)
    before = session.clock.now()
    assert session.call("submit", {"text": "the cart"}) == ToolResult(
        "diagnosis received; mitigation comes next"
    )
    session.note_tokens(100, 20)
    status = session.call("status", {}).text.split("\n")
    assert (
        status[0] == "the diagnosis was received; next: repair, then submit a note that it is done"
    )
    assert status[2:] == [
        "time left: 1800 of 1800 s",
        "tool calls left after this: 18 of 20",
        "tokens left: 880 of 1000",
    ]
    assert session.call("submit", {"text": "done"}).text == "mitigation received; the episode ends"
    assert session.call("submit", {"text": "again"}) == ToolResult(
        "both stages were submitted already; nothing was changed", ok=False
    )
    assert session.stage is Stage.DONE
    assert session.clock.now() == before
    assert [(call.tool, call.ok, call.tokens) for call in session.transcript] == [
        ("submit", True, None),
        ("status", True, Tokens(prompt=100, completion=20)),
        ("submit", True, None),
        ("submit", False, None),
    ]
    assert session.tokens == Tokens(prompt=100, completion=20)


def test_oversized_submissions_are_refused_and_recorded(new_session: NewSession) -> None:
    session = new_session()
    assert session.call("submit", {"text": "x" * 64_001}) == ToolResult(
        "a submission may have 64000 characters, this has 64001; nothing was submitted", ok=False
    )
    assert session.stage is Stage.DIAGNOSIS
    assert [(call.ok, call.truncated) for call in session.transcript] == [(False, False)]


def test_tokens_run_out(new_session: NewSession) -> None:
    session = new_session(tokens=100)
    session.note_tokens(60, 40)
    with pytest.raises(BudgetExceededError) as over:
        session.note_tokens(1, 0)
    assert str(over.value) == "the budget of 100 tokens is used up"
    with pytest.raises(BudgetExceededError):
        session.call("status", {})


def test_what_it_said_and_did_by_itself(new_session: NewSession) -> None:
    session = new_session(steps=3, tokens=1_000)
    session.note_agent(version="1.2.3", model="small")
    session.note_agent(model="large")
    assert (session.agent_version, session.model) == ("1.2.3", "large")
    session.note_message("I look at the pods first.\n")
    session.note_message("  ")
    session.note_message("Then at the logs.")
    session.note_tokens(100, 20, 80)
    session.call("status", {})
    session.note_own_call("Bash", {"command": "ls"}, "notes.txt", ok=True)
    session.call("alerts", {})
    session.note_message("That is all.")
    noted = [(call.tool, call.own, call.said, call.tokens) for call in session.transcript]
    assert noted == [
        (
            "status",
            False,
            "I look at the pods first.\n\nThen at the logs.",
            Tokens(prompt=100, completion=20, cached=80),
        ),
        ("Bash", True, "", None),
        ("alerts", False, "", None),
    ]
    assert session.last_words == "That is all."
    with pytest.raises(BudgetExceededError) as over:
        session.note_own_call("Bash", {"command": "rm notes.txt"}, "no", ok=False)
    assert str(over.value) == "the budget of 3 tool calls is used up"
    assert [(call.output, call.ok, call.said) for call in session.transcript[1:]] == [
        ("notes.txt", True, ""),
        (session.transcript[2].output, False, ""),
        ("no", False, "That is all."),
    ]


def test_calls_run_out(new_session: NewSession) -> None:
    session = new_session(steps=1)
    session.call("status", {})
    with pytest.raises(BudgetExceededError) as over:
        session.call("alerts", {})
    assert str(over.value) == "the budget of 1 tool calls is used up"


def test_time_passes_with_each_call(new_session: NewSession) -> None:
    session = new_session()
    began = session.clock.now()
    session.call("wait", {"seconds": 30})
    session.call("kubectl", {"command": "version"})
    session.call("alerts", {})
    assert session.clock.now() - began == 33.0
    assert [call.cost_s for call in session.transcript] == [30.0, 2.0, 1.0]
