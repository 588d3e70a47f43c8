"""Budgets of a campaign, and providers that fail: real episodes with a scripted provider."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest
from sregym_agents.testing.provider import Provider
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

Campaign = Callable[..., SregymProject]


def _agent(url: str, **keys: Any) -> dict[str, Any]:
    options = {"model": "scripted", "base_url": f"{url}/v1"}
    return {"name": "scripted", "agent": "react", "options": options, **keys}


def test_what_a_provider_refuses_is_tried_again_and_counted_apart(
    campaign: Campaign, kept: Callable[..., Any], provider: Provider
) -> None:
    provider.status = 400
    project = campaign(agents=[_agent(provider.url), "noop"], retries=1)
    done = project.run("campaign", "run", "campaign.yaml", "--json").assert_exit(ExitCode.FAILED)
    told = done.json()
    assert told["tries"] == {"graded": 1, "provider or adapter failed": 2}
    assert (told["played"], told["given_up"], told["left"]) == (1, 1, 0)
    assert (told["agents"]["scripted"]["errors"], told["agents"]["scripted"]["graded"]) == (1, 0)
    assert told["agents"]["noop"]["graded"] == 1
    assert len(provider.asked) == 2
    assert sorted(kept(project)) == ["e00001-1", "e00001-2", "e00002-1"]
    # More retries are played when the provider is well again; what is settled is not.
    provider.status = 200
    project = campaign(agents=[_agent(provider.url), "noop"], retries=2)
    told = project.run("campaign", "run", "campaign.yaml", "--json").assert_success().json()
    assert told["tries"] == {"graded": 2, "provider or adapter failed": 2}


def test_the_budget_ends_a_campaign_and_more_of_it_goes_on(
    campaign: Campaign, provider: Provider
) -> None:
    project = campaign(agents=[_agent(provider.url, prices={"prompt": 1e6, "completion": 0})])
    told = project.run("campaign", "run", "campaign.yaml", "--json").assert_success().json()
    one, cost = told["tokens"], told["cost"]
    assert 0 < cost <= one
    again = {"name": "more", "seeds": [0, 1, 2], "runner": {"jobs": 2}}
    agent = _agent(provider.url, expected_tokens=one // 4)
    project = campaign(agents=[agent], budget={"tokens": 2 * one}, **again)
    done = project.run("campaign", "run", "campaign.yaml", "--json").assert_exit(ExitCode.FAILED)
    told = done.json()
    assert (told["played"], told["left"]) == (2, 1)
    assert told["tokens"] == 2 * one
    project = campaign(agents=[agent], budget={"tokens": 3 * one}, **again)
    told = project.run("campaign", "run", "campaign.yaml", "--json").assert_success().json()
    assert (told["played"], told["left"], told["tokens"]) == (3, 0, 3 * one)


@pytest.mark.thorough
def test_a_provider_that_hangs_costs_one_episode(
    campaign: Campaign, kept: Callable[..., Any]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        project = campaign(agents=[_agent(url), "noop"], retries=0, limits={"wall_s": 2})
        done = project.run("campaign", "run", "campaign.yaml", "--json").assert_exit(
            ExitCode.FAILED
        )
    assert done.json()["tries"] == {"graded": 1, "provider or adapter hung": 1}
    assert kept(project)["e00001-1"]["why"].startswith("no sign of it for ")
