"""Environments by Gymnasium's own checker, and through episodes from begin to end."""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest
import sregym_gymnasium
from gymnasium.utils.env_checker import check_env
from sregym_core.api import Budget
from sregym_core.errors import UsageError
from sregym_gymnasium import AnyText, MovesEnv, TextEnv, WordCounts, vector
from sregym_rollouts import Rollouts, RolloutTask

PROBLEM = "wrong_service_selector_hotel_reservation"
TASK = RolloutTask(PROBLEM, 7)


@pytest.fixture(scope="module")
def rollouts() -> Iterator[Rollouts]:
    with Rollouts(budget=Budget(steps=12)) as made:
        yield made


@pytest.fixture
def env(rollouts: Rollouts) -> TextEnv:
    return TextEnv([PROBLEM], seeds=[7], rollouts=rollouts, render_mode="ansi")


def lines(rollouts: Rollouts) -> list[str]:
    """What solves the task, as a policy types it."""
    tools = rollouts.start(TASK).description.tools
    return [action.line(tools) for action in rollouts.reference(TASK)]


def test_gymnasium_finds_nothing_wrong_with_either(rollouts: Rollouts) -> None:
    """Its checker warns of what it does not like, and warnings are errors here."""
    shared = {"problems": [PROBLEM], "rollouts": rollouts, "render_mode": "ansi"}
    moves = ["kubectl get pods -n load", "submit something"]
    made = [
        gymnasium.make("sregym_gymnasium:SREGym/Text-v0", **shared),
        gymnasium.make("sregym_gymnasium:SREGym/Moves-v0", moves=moves, **shared),
    ]
    assert [type(env.unwrapped) for env in made] == [TextEnv, MovesEnv]
    for env in made:
        check_env(env.unwrapped)


def test_what_solves_the_problem_earns_the_reward_at_the_end(
    env: TextEnv, rollouts: Rollouts
) -> None:
    text, info = env.reset(seed=1)
    assert (text, info) == (env.rollout.prompt, {"task": TASK.id})
    assert "claims" in text
    steps = [env.step(line) for line in lines(rollouts)]
    assert [reward for _, reward, *_ in steps] == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert [(end, cut) for _, _, end, cut, _ in steps] == [(False, False)] * 4 + [(True, False)]
    last = steps[-1][-1]
    assert last.pop("at_s") > 0
    assert last == {
        "ok": True,
        "counts": True,
        "outcome": "pass",
        "reason": "diagnosis and mitigation passed",
        "success": True,
        "metrics": {"diagnosis": 1.0, "mitigation": 1.0, "steps": 5.0, "seconds": 6.0},
    }
    assert env.render().endswith("mitigation received; the episode ends")


def test_a_used_up_budget_truncates(env: TextEnv) -> None:
    env.reset(seed=1)
    *_, last = [env.step("status") for _ in range(13)]
    assert last[:4] == ("the budget of 12 tool calls is used up", 0.0, False, True)
    assert last[4]["outcome"] == "fail"


def test_what_is_no_action_is_answered_and_counts(env: TextEnv) -> None:
    env.reset(seed=1)
    text, reward, *_, info = env.step("Let me think.")
    assert text.startswith("there is no tool 'Let'; there are: kubectl, wait, ")
    assert (reward, info["ok"]) == (0.0, False)


def test_seed_draws_the_task_and_options_name_one(rollouts: Rollouts) -> None:
    env = TextEnv([PROBLEM], seeds=range(7, 9), rollouts=rollouts)
    drawn = [env.reset(seed=seed)[1]["task"] for seed in (1, 1, 2, 3, 4, 5)]
    assert drawn[0] == drawn[1]
    assert set(drawn) == {f"{PROBLEM}@7", f"{PROBLEM}@8"}
    assert env.reset(options={"task": f"{PROBLEM}@9"})[1]["task"] == f"{PROBLEM}@9"


def test_a_vector_shares_checkpoints_and_each_goes_its_own_way() -> None:
    together = vector(3, problems=[PROBLEM], seeds=[7], max_steps=5)
    texts, _ = together.reset(seed=1)
    assert texts[0] == texts[1] == texts[2]
    namespace = "-n hotel-reservation"
    together.step([f"kubectl delete deployment geo {namespace}", "status", "status"])
    seen, *_ = together.step([f"kubectl get deployments {namespace}"] * 3)
    assert ["\ngeo " in text for text in seen] == [False, True, True]
    assert seen[1] == seen[2]
    shared = {id(one.unwrapped.rollouts) for one in together.envs}
    assert len(shared) == 1
    together.close()


def test_moves_are_numbers_and_observations_are_vectors(rollouts: Rollouts) -> None:
    env = MovesEnv(lines(rollouts), problems=[PROBLEM], seeds=[7], rollouts=rollouts, max_steps=12)
    seen, _ = env.reset(seed=1)
    assert seen["left"] == np.array([1.0], np.float32)
    rewards = []
    for move in range(5):
        seen, reward, terminated, _, info = env.step(np.int64(move))
        rewards.append(reward)
    assert rewards == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert terminated
    assert info["text"] == "mitigation received; the episode ends"
    assert seen["made"].tolist() == [1] * 5
    assert seen["left"][0] == pytest.approx(7 / 12)


def test_words_of_a_text_are_the_same_numbers_everywhere() -> None:
    features = WordCounts(8)
    assert (
        features("connection refused")[[0, 6]].tolist()
        == features("refused connection")[[0, 6]].tolist()
    )
    assert np.linalg.norm(features("x y geo-7d8f is down")) == pytest.approx(1.0)
    assert not features("123").any()


def test_any_text_holds_what_programs_print() -> None:
    space = AnyText(20, seed=1)
    assert "│ Übergröße 100 %" in space
    assert "x" * 21 not in space
    assert 7 not in space
    assert space.sample() in space
    assert repr(space) == "AnyText(20)"


def test_misuse_is_told(rollouts: Rollouts) -> None:
    with pytest.raises(ValueError) as without_moves:
        MovesEnv([])
    assert str(without_moves.value) == (
        "MovesEnv: no moves were given; give lines such as 'kubectl get pods -n shop'"
    )
    env = TextEnv([PROBLEM], rollouts=rollouts)
    with pytest.raises(gymnasium.error.ResetNeeded) as too_early:
        env.step("status")
    assert str(too_early.value) == "no episode was begun; call reset() first"
    with pytest.raises(UsageError) as no_seed:
        env.reset(options={"task": "x@y"})
    assert str(no_seed.value) == "task 'x@y': PROBLEM@SEED is needed, with a whole number as seed"
    assert sregym_gymnasium.TextEnv is TextEnv
