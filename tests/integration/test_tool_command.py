"""`sregym tool`: the tools of a session for people and agents that have nothing but a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
Typing: TypeAlias = "Callable[..., Any]"


@pytest.fixture(scope="module")
def typed(module_project: SregymProject, request: pytest.FixtureRequest) -> Iterator[Typing]:
    """Types `sregym tool ...` beside a world in which documents and a channel are offered."""
    up = request.getfixturevalue("module_up")
    with up(module_project, PROBLEM, "--mode", "on-call") as world:
        here = {"KUBECONFIG": world.ready["kubeconfig"]}
        yield lambda *words: world.project.run("tool", *words, env=here)


def test_tools_are_listed_with_their_arguments(typed: Typing) -> None:
    listed = typed().assert_success().out
    assert (
        "query_metrics_range query= [page=] [minutes=] [end=] [step_seconds=]\n"
        "    Evaluate a PromQL expression over a window. One line a series, its points in order.\n"
    ) in listed
    names = {line.split()[0] for line in listed.splitlines() if not line.startswith(" ")}
    assert names == {tool["name"] for tool in typed("--json").assert_success().json()}
    assert {"kubectl", "query_logs", "read_document", "post_update", "submit"} <= names


def test_documents_are_read_and_updates_posted(typed: Typing) -> None:
    names = typed("read_document").assert_success().out
    assert "handbook" in names
    assert typed("read_document", "name=handbook").assert_success().out != names
    typed("post_update", "text=Users cannot reach the frontend; we are looking.").assert_success()


def test_arguments_that_are_no_text_are_json(typed: Typing) -> None:
    answer = typed("query_logs", 'query={container="geo"}', "limit=1", "--json").assert_success()
    assert sorted(answer.json()) == ["ok", "page", "pages", "text"]


def test_what_a_tool_refuses_is_its_answer(typed: Typing) -> None:
    refused = typed("query_metrics_range", "query=up", "minutes=x")
    assert (refused.exit_code, refused.out, refused.err) == (
        ExitCode.FAILED,
        "query_metrics_range: argument 'minutes': must be a number, not 'x'\n",
        "",
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("quer_metrics",),
            "this session has no tool 'quer_metrics'; did you mean 'query_metrics'?",
        ),
        (("heal",), "this session has no tool 'heal'; list them with: sregym tool"),
        (
            ("query_metrics", "qury=up"),
            "'qury=up' is no argument of the tool 'query_metrics'; "
            "it is used as: sregym tool query_metrics query= [page=] [time=]",
        ),
        (
            ("wait", "5"),
            "'5' is no argument of the tool 'wait'; it is used as: sregym tool wait seconds=",
        ),
    ],
)
def test_mistakes_are_told(typed: Typing, words: tuple[str, ...], message: str) -> None:
    done = typed(*words)
    assert (done.exit_code, done.out, done.err) == (ExitCode.USAGE, "", f"sregym: {message}\n")
