"""The taskset as verifiers loads it, and what it says of its tasks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sregym_core.errors import UsageError
from sregym_rollouts import Rollouts
from sregym_verifiers import SregymConfig, SregymEnv, SregymTask, SregymTaskset
from verifiers.v1.utils.loaders import environment_class, load_taskset, taskset_config_type

PROBLEM = "wrong_service_selector_hotel_reservation"


def loaded(**settings: Any) -> SregymTaskset:
    return load_taskset(SregymConfig(id="sregym_verifiers", problems=[PROBLEM], **settings))


def test_is_found_by_its_id() -> None:
    assert taskset_config_type("sregym_verifiers") is SregymConfig
    assert environment_class("sregym_verifiers") is SregymEnv
    assert isinstance(loaded(), SregymTaskset)


def test_tasks_have_lasting_keys_and_tell_no_answer() -> None:
    tasks = list(loaded(seeds=2, max_steps=9))
    assert [task.key for task in tasks] == [f"{PROBLEM}@0", f"{PROBLEM}@1"]
    told = tasks[0].data.model_dump(exclude_none=True)
    prompt = told.pop("prompt") + told.pop("system_prompt")
    assert "selector" not in prompt
    assert "claims" in prompt
    assert {name: told[name] for name in ("idx", "id", "mode", "max_steps")} == {
        "idx": 0,
        "id": f"{PROBLEM}@0",
        "mode": "standard",
        "max_steps": 9,
    }
    assert "kubectl patch" not in str(told)


class Generous(SregymTask):
    """With a reward that everybody gets."""

    def played(self) -> Rollouts:
        return Rollouts(mode=self.data.mode, reward=lambda record: 1.0)


def test_the_reference_earns_the_reward_and_doing_nothing_none() -> None:
    [task] = loaded(max_steps=1)
    assert asyncio.run(task.validate(None)) is True
    assert asyncio.run(Generous(task.data).validate(None)) is False


def test_what_there_is_not_is_told() -> None:
    with pytest.raises(UsageError) as error:
        list(load_taskset(SregymConfig(id="sregym_verifiers", suite="light")))
    assert str(error.value).startswith("no suite named 'light'; did you mean 'lite'? Known: ")
