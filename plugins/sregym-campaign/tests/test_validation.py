"""A campaign's file is validated as a whole before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_campaign.file import read
from sregym_campaign.plan import planned
from sregym_core.api.workspace import shared
from sregym_core.errors import UsageError
from sregym_testing import SregymProject

Campaign = Callable[..., SregymProject]
MODEL = {"agent": "react", "options": {"model": "scripted", "base_url": "http://127.0.0.1:9/v1"}}
HEAD = "campaign file 'campaign.yaml': "


def _refused(project: SregymProject) -> str:
    """As the command does it, in this process: plugins are loaded once."""
    path = project.folder / "campaign.yaml"
    with pytest.raises(UsageError) as refused:
        planned(read(path), path, shared(), "salt")
    return str(refused.value).replace(str(path), "campaign.yaml") + "\n"


def test_the_command_refuses_before_it_writes(campaign: Campaign) -> None:
    project = campaign(agent=["noop"])
    done = project.run("campaign", "run", "campaign.yaml")
    assert (done.exit_code, done.out) == (4, "")
    assert done.err == (
        f"sregym: {HEAD}1 mistake, nothing was begun\n  line 1, agent: unknown; did you mean 'agents'?\n"
    )
    assert not (project.folder / "campaigns").exists()


def test_a_suite_without_problems(campaign: Campaign) -> None:
    names = "campaign,agent-baselines,cluster-embedded,agent-react"
    project = campaign(suites=["gray"], problems=[])
    done = project.run("campaign", "run", "campaign.yaml", env={"SREGYM_PLUGINS": names})
    assert done.err == (
        f"sregym: {HEAD}1 mistake, nothing was begun\n"
        "  line 10, suites[0]: suite 'gray' has no problem that is installed\n"
    )


def test_all_mistakes_of_a_file_are_told_at_once(campaign: Campaign) -> None:
    said = _refused(
        campaign(
            agents=["exprt", {"agent": "noop", "options": {"a": 1}}, "noop"],
            suites=["light"],
            problems=["no_such_problem"],
            runner={"name": "cloud"},
            name="all",
            baselines=["expert"],
        )
    )
    lines = said.splitlines()
    assert lines[0] == f"{HEAD}5 mistakes, nothing was begun"
    assert [line.split(":")[0] for line in lines[1:]] == [
        "  line 1, agents",
        "  line 2, agents[0]",
        "  line 3, agents[1]",
        "  line 12, problems[0]",
        "  line 16, suites[0]",
    ]
    assert lines[1] == "  line 1, agents: two are called 'noop'; give one another name"
    assert lines[2].startswith(
        "  line 2, agents[0]: no agent named 'exprt'; did you mean 'expert'? Known: "
    )
    assert lines[3] == "  line 3, agents[1]: agent 'noop' has no option 'a'; it has none"


def test_conditions_that_there_are_not(campaign: Campaign) -> None:
    said = _refused(
        campaign(
            modes=["standart"], noise={"much": ["storm"]}, cluster="moon", runner={"name": "sky"}
        )
    )
    lines = said.splitlines()
    assert lines[0] == f"{HEAD}4 mistakes, nothing was begun"
    assert [line.split(":")[0] for line in lines[1:]] == [
        "  line 5, cluster",
        "  line 7, modes[0]",
        "  line 10, noise.much",
        "  line 14, runner",
    ]
    assert lines[4].startswith("  line 14, runner: no runner named 'sky'. Known: processes")


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"agents": None}, "line 1, agents: missing"),
        ({"agent": ["noop"]}, "line 1, agent: unknown; did you mean 'agents'?"),
        ({"attempts": 0}, "line 3, attempts: must be greater than 0, not 0"),
        ({"problems": None}, "line 1, a campaign file needs one of the keys suites and problems"),
        ({"noise": {}}, "line 6, noise: there is no level; leave the key out, or write {none: []}"),
        (
            {"noise": {"quiet": 0, "loud": 4}},
            "line 7, noise.loud: noise_level is 4; it must be 0 (none), 1, 2 or 3 (most)",
        ),
        (
            {"reward": "stages:much"},
            "line 8, reward: reward 'stages:much': 'much' is not of the form key=value",
        ),
        (
            {"runner": {"options": {"nodes": 3}}},
            "line 8, runner: runner 'processes' has no option 'nodes'; it has none",
        ),
    ],
)
def test_one_mistake(campaign: Campaign, keys: dict[str, Any], told: str) -> None:
    assert _refused(campaign(**keys)) == f"{HEAD}1 mistake, nothing was begun\n  {told}\n"


def test_a_file_that_is_none(sregym_project: Callable[..., SregymProject]) -> None:
    project = sregym_project({"broken.yaml": "a: [", "list.yaml": "[]"})
    (project.folder / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    done = project.run("campaign", "run", "bytes.yaml")
    assert done.err == "sregym: campaign file 'bytes.yaml' cannot be read: it is not UTF-8\n"
    done = project.run("campaign", "run", "gone.yaml")
    assert done.err == (
        "sregym: campaign file 'gone.yaml' cannot be read: No such file or directory\n"
    )
    done = project.run("campaign", "run", "broken.yaml")
    assert (done.exit_code, done.err) == (
        4,
        "sregym: campaign file 'broken.yaml' is no YAML: while parsing a flow node expected the node "
        "content, but found '<stream end>' in \"<unicode string>\", line 1, column 5: a: [ ^\n",
    )
    done = project.run("campaign", "run", "list.yaml")
    assert done.err.splitlines()[1] == ("  line 1, a campaign file must be a mapping, not a list")


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (
            {"budget": {"tokens": 900}},
            "line 13, budget.tokens: 900 cannot suffice: all episodes take at least 1,000",
        ),
        (
            {"budget": {"money": 0.001}},
            "line 13, budget.money: 0.001 cannot suffice: all episodes cost at least 0.00",
        ),
        (
            {"budget": {"tokens": 5000}, "limits": {"tokens": 6000}},
            "line 13, budget.tokens: 5,000 is less than one episode may take (limits.tokens: 6,000)",
        ),
    ],
)
def test_a_budget_that_cannot_suffice(campaign: Campaign, keys: dict[str, Any], told: str) -> None:
    agent = {**MODEL, "prices": {"prompt": 3, "completion": 15}, "expected_tokens": 1000}
    said = _refused(campaign(agents=[agent], **keys))
    assert said == f"{HEAD}1 mistake, nothing was begun\n  {told}\n"


def test_no_model_reads_its_instruction_for_nothing(campaign: Campaign) -> None:
    said = _refused(campaign(agents=[MODEL], seeds=[0, 1, 2], budget={"tokens": 10}))
    assert said.splitlines()[1].startswith(
        "  line 9, budget.tokens: 10 cannot suffice: all episodes take at least "
    )


def test_a_budget_in_money_needs_prices(campaign: Campaign) -> None:
    said = _refused(campaign(agents=[MODEL], budget={"money": 5}))
    assert said == (
        f"{HEAD}1 mistake, nothing was begun\n"
        "  line 2, agents[0]: agent 'react' has no prices, and the budget is in money\n"
    )


def test_a_key_of_a_provider_that_is_not_set(campaign: Campaign) -> None:
    mine = {**MODEL, "name": "mine", "options": {**MODEL["options"], "api_key_env": "MY_KEY"}}  # type: ignore[dict-item]
    named = {"name": "named", "agent": "react", "options": {"model": "anthropic:some"}}
    assert _refused(campaign(agents=[mine, named])) == (
        f"{HEAD}2 mistakes, nothing was begun\n"
        "  line 2, agents[0]: agent 'mine' lacks the key of its provider: set MY_KEY\n"
        "  line 8, agents[1]: agent 'named' lacks the key of its provider: set ANTHROPIC_API_KEY\n"
    )


def test_a_check_alone_plays_nothing(campaign: Campaign) -> None:
    project = campaign(seeds=[0, 1], attempts=2, baselines=["expert", "random", "noop"])
    done = project.run("campaign", "run", "campaign.yaml", "--check", "--json").assert_success()
    # The agent noop is named itself: 2 seeds x 2 attempts; two scripts besides, once in each world.
    assert done.json() == {"campaign": "small", "episodes": 2 * 2 + 2 * 2}
    assert not (project.folder / "campaigns").exists()
    done = project.run("campaign", "run", "campaign.yaml", "--check")
    assert done.out == "small: 8 episodes can be played\n"


def test_no_jobs(campaign: Campaign) -> None:
    done = campaign().run("campaign", "run", "campaign.yaml", "--jobs", "0")
    assert (done.exit_code, done.err) == (4, "sregym: --jobs 0: give a number from 1 on\n")
