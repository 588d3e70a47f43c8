"""What is wrong, and how it is repaired, can be said of every pair and every problem."""

from __future__ import annotations

from typing import NoReturn

import pytest
from sregym_core.api import Workspace, instruction, problems, solution
from sregym_core.conductor import offline
from sregym_core.modes import STANDARD
from sregym_mode_basic.modes import MODES
from sregym_runs import Pair, pair, pairs


class _AskedForAClusterError(Exception):
    pass


@pytest.fixture
def deploys_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise _AskedForAClusterError

    monkeypatch.setattr(offline, "_deployed", refuse)


def _chosen(found: tuple[Pair, ...]) -> list[Pair]:
    """The last target of each fault in each application, of the kinds that need no nodes."""
    return list({(one.fault, one.application): one for one in found}.values())


def _without_truth(one: Pair, workspace: Workspace) -> bool:
    asked = pair(one.fault, one.application, str(one.target), workspace=workspace)
    return not all(solution(asked, workspace=workspace).fixes)


@pytest.mark.usefixtures("deploys_nothing")
def test_only_faults_that_look_at_nodes_or_records_need_a_cluster_for_their_truth(
    workspace: Workspace,
) -> None:
    needing = set()
    for one in _chosen(pairs(workspace=workspace)):
        try:
            assert not _without_truth(one, workspace), one
        except _AskedForAClusterError:
            needing.add(one.fault)
    # Those that change something below the API say so.
    assert {name for name in needing if not workspace.factory.fault(name).needs} <= {
        "poison-record",
        "preemption",
        "proxy-stale",
        "request-too-large",
        "store-sized-for-hits",
        "routes-lost",
        "spread-impossible",
        "taint",
        "volume-elsewhere",
    }


def test_such_a_truth_is_that_of_a_simulated_cluster(workspace: Workspace) -> None:
    known = solution("priority_preemption_cascade_hotel_reservation", workspace=workspace)
    assert [truth.mechanism for truth in known.ground_truths] == ["priority-class-preempts"]
    assert all(known.fixes)


@pytest.mark.usefixtures("deploys_nothing")
def test_instructions_of_problems(workspace: Workspace) -> None:
    told = {
        (one.id, mode.name): instruction(one, mode.name, workspace=workspace)
        for one in problems(workspace=workspace)
        for mode in (STANDARD, *MODES)
        if not mode.reveals_cause
    }
    assert [key for key, text in told.items() if "Namespace" not in text] == []
