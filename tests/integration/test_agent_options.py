"""Options of agents: a misspelt one may have been for the walls, so it is refused before anything starts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sregym_core.conductor import ComponentFactory
from sregym_core.errors import ExitCode, UsageError
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"


def test_a_misspelt_option(sregym_project: Callable[..., SregymProject]) -> None:
    options = ("--agent-option", "command=touch ran", "--agent-option", "isolaton=bubblewrap")
    project = sregym_project()
    done = project.run("run", PROBLEM, "--agent", "shell", *options, "--out", "run")
    assert (done.exit_code, done.out, done.err) == (
        ExitCode.USAGE,
        "",
        "sregym: agent 'shell' has no option 'isolaton'; it has: command, isolation, share, reach, "
        "pass_env, image, memory_mib, processors\n",
    )
    assert list(project.folder.glob("run/*")) == []


@pytest.mark.parametrize(
    ("agent", "options", "message"),
    [
        ("noop", {"seed": "1"}, "agent 'noop' has no option 'seed'; it has none"),
        ("human", {"x": "1"}, "agent 'human' has no option 'x'; it has none"),
        ("random", {"sed": "1"}, "agent 'random' has no option 'sed'; it has: seed"),
        (
            "react",
            {"model": "openai:x", "modle": "y"},
            "agent 'react' has no option 'modle'; it has: model, base_url, api_key_env",
        ),
        (
            "stratus",
            {"model": "openai:x", "attempt": "1"},
            "agent 'stratus' has no option 'attempt'; it has: model, base_url, api_key_env, "
            "detection_steps, diagnosis_steps, mitigation_steps, attempts",
        ),
        ("http", {"uri": "x"}, "agent 'http' has no option 'uri'; it has: url, secret"),
    ],
)
def test_each_agent_knows_its_own(
    factory: ComponentFactory, agent: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError) as refused:
        factory.agent(agent, options)
    assert str(refused.value) == message


def test_of_several_agents_each_gets_what_it_knows(factory: ComponentFactory) -> None:
    given = {"seed": "7", "command": "true", "isolation": "none"}
    agents = factory.agents(["random", "noop", "shell"], given)
    assert [(agent.name, dict(agent.options)) for agent in agents] == [
        ("random", {"seed": "7"}),
        ("noop", {}),
        ("shell", {"command": "true", "isolation": "none"}),
    ]
    with pytest.raises(UsageError) as refused:
        factory.agents(["noop", "shell"], {"command": "true", "comand": "false"})
    assert str(refused.value) == "agent 'noop' has no option 'comand'; it has none"
