"""The agent `react` with a model on loopback."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_agent_react.react import React
from sregym_agents.testing import final_message, use
from sregym_core.errors import BudgetExceededError, UsageError
from sregym_core.interfaces import Budget, CommandResult, Stage
from sregym_core.model import Tokens
from sregym_mode_basic.modes import mode_named
from sregym_testing import Provision, ScriptedSession, Shop


def agent(provider: Any, **options: str) -> React:
    return React({"model": "scripted", "base_url": f"{provider.url}/v1", **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {},
            "agent 'react' needs a model: --agent-option model=openai:NAME, or model=NAME with "
            "base_url=http://...",
        ),
        (
            {"model": "small"},
            "agent 'react' cannot tell whose model 'small' is: put the provider in front "
            "(openai:small) or give base_url",
        ),
    ],
)
def test_what_it_needs(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        React(options)
    assert str(refused.value) == message


def test_a_whole_episode(provider: Any, provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    session.watched.behind.answers["kubectl version"] = CommandResult(0, "v1.37.1\n")
    provider.script = [
        use("kubectl", command="kubectl version"),
        use("submit", text="the cart"),
        use("submit", text="repaired"),
        use("kubectl", command="kubectl delete namespace shop"),
    ]
    agent(provider).run(session)
    assert session.submissions == ["the cart", "repaired"]
    assert [(call.tool, call.tokens) for call in session.transcript] == [
        ("kubectl", Tokens(prompt=100, completion=10, cached=60)),
        ("submit", Tokens(prompt=100, completion=10, cached=60)),
        ("submit", Tokens(prompt=100, completion=10, cached=60)),
    ]
    first, second, _ = provider.asked  # and no more, once all is handed in
    assert first["messages"] == [{"role": "user", "content": session.instruction}]
    assert [tool["function"]["name"] for tool in first["tools"]] == [
        tool.name for tool in session.tools
    ]
    assert second["messages"][-1]["content"] == "v1.37.1"


def test_a_model_that_stops_is_asked_to_go_on(provider: Any, provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    provider.script = [
        final_message("Everything looks fine to me."),
        use("submit", text="the cart"),
        final_message("I repaired it."),
        use("submit", text="repaired"),
    ]
    agent(provider).run(session)
    assert session.submissions == ["the cart", "repaired"]
    reminders = [asked["messages"][-1]["content"] for asked in provider.asked]
    assert reminders == [
        session.instruction,
        "You have not submitted a diagnosis yet. Go on with the tools, then call submit.",
        "diagnosis received; mitigation comes next",
        "The diagnosis was received. Repair the cause with kubectl, then call submit once more.",
    ]


def test_a_model_that_only_talks_is_left(provider: Any, provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    agent(provider).run(session)
    assert (session.stage, session.submissions) == (Stage.DIAGNOSIS, [])
    assert len(provider.asked) == 4


def test_wrong_arguments_come_back_to_the_model(provider: Any, provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    provider.script = [use("kubectl", cmd="get pods"), final_message("I give up.")]
    agent(provider).run(session)
    assert provider.asked[1]["messages"][-1]["content"] == (
        "kubectl: argument 'command': missing; argument 'cmd': unknown; did you mean 'command'?"
    )


def test_tokens_run_out(provider: Any, provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision, budget=Budget(tokens=300))
    provider.script = [use("status")]
    with pytest.raises(BudgetExceededError) as over:
        agent(provider).run(session)
    assert str(over.value) == "the budget of 300 tokens is used up"
    assert len(session.transcript) == 2


def test_the_key_comes_from_the_environment(
    provider: Any, provision: Provision, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "abc")
    agent(provider, api_key_env="MY_KEY").run(ScriptedSession(Shop(), provision))
    assert set(provider.keys) == {"Bearer abc"}


def test_a_provider_that_refuses(provider: Any, provision: Provision) -> None:
    provider.status = 401
    session = ScriptedSession(Shop(), provision)
    with pytest.raises(Exception, match="status_code: 401"):
        agent(provider).run(session)
    assert session.transcript == []


@pytest.mark.parametrize(
    ("mode", "reminder"),
    [
        (
            "proactive",
            "You have not reported an incident yet. Go on watching; call submit when you are sure "
            "of one.",
        ),
        ("mitigation-only", "Repair the cause with kubectl, then call submit."),
    ],
)
def test_it_is_reminded_of_what_the_mode_asks_for(
    provider: Any, provision: Provision, mode: str, reminder: str
) -> None:
    session = ScriptedSession(Shop(), provision, mode=mode_named(mode))
    agent(provider).run(session)
    assert [asked["messages"][-1]["content"] for asked in provider.asked] == [
        session.instruction,
        *[reminder] * 3,
    ]
