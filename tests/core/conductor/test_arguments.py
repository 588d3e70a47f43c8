"""The public interface refuses what it is not annotated with, before it does anything, in one form of words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from sregym_core.api import (
    Budget,
    Environment,
    EpisodeRequest,
    Workspace,
    instruction,
    play,
    play_request,
    problems,
    solution,
    verify,
)
from sregym_core.api.arguments import checked
from sregym_core.errors import UsageError
from sregym_core.modes import check_start
from sregym_mode_basic.modes import mode_named
from sregym_runs import pair, pairs
from sregym_testing import MemoryProvider

from .conftest import PROBLEM, Theatre

PROBLEM_TEXT = "argument 'problem': must be text or an instance of Problem, not 5"
LIST = "must be an instance of Sequence, not 5"
LIMIT = "must be a number of 0 or more, or None for no limit"


class Simulated(MemoryProvider):
    """Each cluster is a world of its own."""

    simulated: ClassVar[bool] = True


@pytest.fixture
def workspace(theatre: Theatre) -> Workspace:
    theatre.components["clusters"] = [Simulated]
    return Workspace(factory=theatre.factory())


def refused(use: Callable[..., object], *arguments: Any, **named: Any) -> str:
    with pytest.raises(UsageError) as caught:
        use(*arguments, **named)
    return str(caught.value)


@pytest.mark.parametrize(
    ("use", "arguments", "text"),
    [
        (pair, (5, "shop", "geo"), "pair: argument 'fault': must be text, not 5"),
        (pair, ("x", None, "geo"), "pair: argument 'application': must be text, not null"),
        (pair, ("x", "shop", 5), "pair: argument 'target': must be text, not 5"),
        (pair, ("x", "shop", "a", 5), "pair: argument 'parameters': must be a mapping, not 5"),
        (
            pair,
            ("x", "shop", "a", {5: 1}),
            "pair: argument 'parameters[5]': must be text, not 5",
        ),
        (
            pair,
            ("x",),
            "pair: missing a required argument: 'application'; "
            "it takes: fault, application, target, parameters, workspace",
        ),
        (pairs, (5,), f"pairs: argument 'faults': {LIST}"),
        (pairs, ("abc",), "pairs: argument 'faults': must be a list, not 'abc'"),
        (pairs, (None, [5]), "pairs: argument 'applications[0]': must be text, not 5"),
        (instruction, (5,), f"instruction: {PROBLEM_TEXT}"),
        (instruction, ("a", 5), "instruction: argument 'mode': must be text, not 5"),
        (solution, (5,), f"solution: {PROBLEM_TEXT}"),
        (verify, ([],), f"verify: {PROBLEM_TEXT.removesuffix('5')}a list"),
        (play, (5, "expert"), f"play: {PROBLEM_TEXT}"),
        (
            play,
            ("a", 5),
            "play: argument 'agent': must be text or an instance of Agent or a function, not 5",
        ),
        (
            play_request,
            (5,),
            "play_request: argument 'request': must be an instance of EpisodeRequest, not 5",
        ),
        (
            Workspace,
            (5,),
            "Workspace: argument 'settings': must be an instance of Settings, not 5",
        ),
        (Budget, ("a",), f"Budget: episode_s {LIMIT}, not 'a'"),
        (Budget, (1.0, float("nan")), f"Budget: wall_s {LIMIT}, not nan"),
        (Budget, (1.0, 1.0, -1), f"Budget: steps {LIMIT}, not -1"),
    ],
)
def test_functions(use: Callable[..., object], arguments: tuple[Any, ...], text: str) -> None:
    assert refused(use, *arguments) == text


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("seed", "a", "a whole number, not 'a'"),
        ("seed", 1.5, "a whole number, not 1.5"),
        ("seed", True, "a whole number, not true"),
        ("salt", 5, "text, not 5"),
        ("mode", 3, "text, not 3"),
        ("cluster", 5, "text, not 5"),
        ("cluster_options", 5, "a mapping, not 5"),
        ("noise", "crawler", "a list, not 'crawler'"),
        ("noise_level", "a", "a whole number, not 'a'"),
        ("budget", {"steps": 5}, "an instance of Budget, not a mapping"),
        ("start_before_s", "a", "a number, not 'a'"),
        ("reward", 5, "text or an instance of Reward, not 5"),
        ("recover", "no", "true or false, not 'no'"),
        ("agent", "expert", "an instance of AgentDescription, not 'expert'"),
        ("attempt", "a", "a whole number, not 'a'"),
        ("folder", "out", "an instance of Path, not 'out'"),
        ("prepare", 5, "a function, not 5"),
        ("on_event", 5, "a function, not 5"),
        ("workspace", 5, "an instance of Workspace, not 5"),
    ],
)
def test_options_of_an_environment(name: str, value: Any, what: str) -> None:
    text = refused(Environment, PROBLEM, **{name: value})
    assert text == f"Environment: argument '{name}': must be {what}"


def test_several_arguments_at_once() -> None:
    request = EpisodeRequest("key", 5, 5)  # type: ignore[arg-type]  # is what is refused
    assert refused(play_request, request) == (
        f"play: {PROBLEM_TEXT}; argument 'agent': must be text or an instance of Agent or a function, "
        "not 5"
    )


def test_an_option_that_there_is_not(workspace: Workspace) -> None:
    text = refused(play, PROBLEM, print, sed=5, workspace=workspace)
    assert text == (
        "Environment: got an unexpected keyword argument 'sed'; it takes: problem, seed, salt, mode, "
        "cluster, cluster_options, noise, noise_level, budget, start_before_s, reward, recover, agent, "
        "episode, attempt, folder, session_folder, broken, prepare, on_event, workspace"
    )


def test_methods_of_an_environment(workspace: Workspace) -> None:
    with Environment(PROBLEM, cluster="memory", workspace=workspace) as environment:
        environment.reset()
        told = [
            refused(environment.reset, "a"),
            refused(environment.step, 5),
            refused(environment.call, "wait", 5),
            refused(environment.submit, None),
            refused(environment.submit, "it is cart", [5]),
            refused(environment.act, 5),
        ]
        assert told == [
            "Environment.reset: argument 'seed': must be a whole number, not 'a'",
            "Environment.step: argument 'tool': must be text, not 5",
            "Environment.call: argument 'arguments': must be a mapping, not 5",
            "Environment.submit: argument 'text': must be text, not null",
            "Environment.submit: argument 'claims': must be an instance of Claims or a mapping, "
            "not a list",
            "Environment.act: argument 'part': must be a function, not 5",
        ]
        assert environment.close().steps == 0


def test_names_of_a_workspace(workspace: Workspace) -> None:
    for name in ("problem", "application", "agent", "oracle", "mode", "reward"):
        use = getattr(workspace, name)
        assert refused(use, 5) == f"Workspace.{name}: argument 'name': must be text, not 5"
    assert refused(workspace.agent, "expert", {"a": 5}) == (
        "Workspace.agent: argument 'options.a': must be text, not 5"
    )
    assert refused(workspace.worlds, "memory", None, 5) == (
        "Workspace.worlds: argument 'salt': must be text, not 5"
    )


def test_problems_of_an_application_that_there_is_not(workspace: Workspace) -> None:
    assert refused(problems, application="shopp", workspace=workspace) == (
        "no application named 'shopp'; did you mean 'shop'? Known: shop"
    )
    assert problems(application="shop", workspace=workspace) == ()


@pytest.mark.parametrize("seconds", [0, -5.0, float("nan")])
def test_a_system_breaks_within_some_time(seconds: float) -> None:
    assert refused(check_start, mode_named("proactive"), seconds) == (
        f"start_before_s must be a number of seconds greater than 0, not {seconds!r}"
    )


def test_what_is_right_passes_as_it_is() -> None:
    """Nothing is converted, and positional names of a function do not clash with those of its mapping."""

    @checked
    def function(tool: str, /, folder: Path | None = None, **arguments: object) -> Any:
        return tool, folder, arguments

    given: dict[str, Any] = {"tool": 5, "folder_": []}
    assert function("a", **given) == ("a", None, given)
    assert function("a", Path("b")) == ("a", Path("b"), {})


def test_arguments_of_a_tool_are_given_by_name() -> None:
    @checked
    def step(tool: str, /, **arguments: object) -> Any:
        return tool, arguments

    assert refused(step, "kubectl", {"command": "get pods"}).endswith(
        ".step: too many positional arguments; it takes: tool, and others by name"
    )
