"""What a proof shows of problems that are said to be metastable."""

from __future__ import annotations

import pytest
from sregym_core.api import Workspace
from sregym_core.model import Problem
from sregym_core.problems import parse_problem
from sregym_core.proof import ProofCheck
from sregym_core.proof.tipping import tipping_checks, without_occasion
from sregym_core.settings import Settings
from sregym_runs import pair

APPLICATION = "blueprint-hotel-reservation"
TEXT = """\
id: held_down
title: A store is sized for a warm cache
application: blueprint-hotel-reservation
layer: application
modes: [metastable]
faults:
  - {{fault: {fault}, target: {target}, parameters: {parameters}}}
"""


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace(Settings())


def problem(fault: str, target: str, parameters: str) -> Problem:
    text = TEXT.format(fault=fault, target=target, parameters=parameters)
    return parse_problem(text, "held_down.yaml")


def checks(workspace: Workspace, of: Problem) -> list[ProofCheck]:
    application = workspace.application(APPLICATION)
    return [*tipping_checks(workspace.factory, workspace.worlds("embedded"), of, application, 0)]


def test_neither_half_does_it_and_both_do(workspace: Workspace) -> None:
    found = checks(
        workspace, problem("store-sized-for-hits", "reserv-db", "{millicores: 100, cold: true}")
    )
    assert [(check.name, check.got, check.ok) for check in found] == [
        ("condition-alone-is-borne", "users are well", True),
        ("occasion-alone-passes", "users are well", True),
        ("both-stay-down", "users are not well", True),
    ]


def test_a_system_that_comes_back_is_not_metastable(workspace: Workspace) -> None:
    patient = "{timeout: 1s, attempts: 2, peak: {times: 3, seconds: 20}}"
    found = checks(workspace, problem("retry-policy", "search-service", patient))
    assert [(check.name, check.got) for check in found if not check.ok] == [
        ("both-stay-down", "users are well")
    ]


def test_without_an_occasion_nothing_tips_over(workspace: Workspace) -> None:
    (check,) = checks(workspace, problem("retry-policy", "search-service", "{attempts: 30}"))
    assert (check.name, check.ok) == ("condition-alone-is-borne", False)
    assert check.detail == (
        "problem 'held_down' is said to be metastable, but the parameters of retry-policy bring no "
        "occasion about that tips it over; give it one, or take the mode away"
    )


def test_what_is_left_without_the_occasion(workspace: Workspace) -> None:
    whole = problem("retry-policy", "search-service", "{attempts: 30, peak: {times: 3}}")
    (ref,) = without_occasion(workspace.factory, whole).faults
    assert ref.parameters == {"attempts": 30}


@pytest.mark.parametrize(
    ("parameters", "modes"),
    [
        ({}, ("latent",)),
        ({"millicores": 30, "cold": False}, ("latent",)),
        ({"millicores": 30, "cold": True}, ("metastable", "latent")),
    ],
)
def test_a_pair_stays_down_only_with_what_tips_it_over(
    workspace: Workspace, parameters: dict[str, object], modes: tuple[str, ...]
) -> None:
    found = pair("store-sized-for-hits", APPLICATION, "user-db", parameters, workspace=workspace)
    assert found.modes == modes
