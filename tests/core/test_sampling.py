"""Samples of pairs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from sregym_core.api import Workspace
from sregym_core.errors import SregymError, UsageError
from sregym_core.model import FaultRef, Problem
from sregym_core.settings import Settings
from sregym_runs import WorkerPool, pairs
from sregym_runs.fitting_pairs import sampled_pairs
from sregym_sample.command import check_empty, write
from sregym_sample.proving import in_order
from sregym_sample.sampling import Sampler

PROBLEM = Problem(
    id="p",
    title="Wrong port",
    layer="kubernetes",
    application="shop",
    faults=(FaultRef(fault="service-target-port", targets=("cart",)),),
)


def test_pairs_that_no_such_cluster_can_prove_are_left_out() -> None:
    clusters, oracles = ("embedded", "kubernetes"), ("checklist", "state")
    names = {f"cluster-{one}" for one in clusters} | {f"oracle-{one}" for one in oracles}
    names |= {"injector-khaos", "app-fleetcast"}
    workspace = Workspace(Settings(allowed=frozenset(names)))

    def drawn(cluster: str) -> set[str]:
        found = sampled_pairs(workspace, None, 0, cluster)
        return {ref.fault for problem in found for ref in problem.faults}

    embedded, real = drawn("embedded"), drawn("kubeconfig")
    assert {"khaos-close-fail", "khaos-memleak-munmap"} <= real - embedded
    assert "khaos-packet-loss-sendto" in embedded < real


def test_pairs_count_what_breaks_once() -> None:
    machines = ["node-link-delay", "node-power-off", "zone-lost"]
    shared = ["namespace-policy", "proxy-stale", "finalizer-stuck"]
    own = ["khaos-mmap-fail", "bad-sectors", "service-missing"]
    variants = ["khaos-mmap-oom", "khaos-dram-module-failure"]
    applications = ["hotel-reservation", "fleetcast"]
    workspace = Workspace()

    def counts(faults: list[str], whole: bool = False) -> list[list[int]]:
        found = pairs(faults, applications, whole=whole, workspace=workspace)
        of = Counter((one.fault, one.application) for one in found)
        return [[of[fault, name] for name in applications] for fault in faults]

    # Three machines; fleetcast keeps files for users at two places, hotel-reservation at many.
    assert counts(machines) == [[3, 3], [3, 2], [2, 2]]
    # FleetCast, its database and the operator of that have a namespace each.
    assert counts(shared) == [[1, 2], [1, 1], [1, 3]]
    every = counts([*machines, *shared], whole=True)
    assert [one > few for one, few in zip(every, counts([*machines, *shared]), strict=True)]
    assert counts(own) == counts(own, whole=True)
    assert counts(variants) == [[0, 0], [0, 0]]
    assert counts(variants, whole=True) == [counts(own)[0]] * 2


def test_which_component_stands_for_a_machine_is_always_the_same() -> None:
    def drawn() -> list[str]:
        found = pairs(["node-cut-off"], ["train-ticket"], workspace=Workspace())
        return [str(one.target) for one in found]

    assert drawn() == drawn()
    assert len(set(drawn())) == 3


def test_a_mode_that_there_is_not() -> None:
    workspace: Any = None  # it is not asked for anything
    with pytest.raises(UsageError) as caught:
        Sampler(workspace, mode="grey")
    assert str(caught.value) == (
        "there is no failure mode 'grey' (there are: cascading, concurrent, correlated, gray, "
        "latent, metastable, recurring, slow, worsening); did you mean 'gray'?"
    )


@pytest.mark.parametrize(
    ("mode", "application", "message"),
    [
        ("", "", "no pair hurts users with the plugins that are installed"),
        (
            "gray",
            "shop",
            "no pair of application 'shop' fails in mode 'gray' with the plugins that are installed",
        ),
    ],
)
def test_nothing_to_choose_from(mode: str, application: str, message: str) -> None:
    workspace = Workspace(Settings(allowed=frozenset()))
    with pytest.raises(UsageError) as caught:
        Sampler(workspace, mode=mode, application=application)
    assert str(caught.value) == message


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("")
    with pytest.raises(UsageError) as caught:
        write(PROBLEM, folder, 1)
    assert str(caught.value) == (
        f"folder {str(folder)!r} cannot be written: File exists; choose another with --out"
    )


def test_a_folder_that_holds_another_suite(tmp_path: Path) -> None:
    check_empty(tmp_path / "none")
    (tmp_path / "README.md").write_text("")
    check_empty(tmp_path)
    write(PROBLEM, tmp_path, 20)
    with pytest.raises(UsageError) as caught:
        check_empty(tmp_path)
    assert str(caught.value) == (
        f"folder {str(tmp_path)!r} holds 020.yaml, which would be taken for a part of the suite; "
        "empty it, or choose another with --out"
    )


def test_a_process_that_ended_before_its_proof_was_there() -> None:
    pool: WorkerPool[Any, Any, Any] = WorkerPool(_ends, _nothing, 1)
    with pytest.raises(SregymError) as caught:
        list(in_order(iter([PROBLEM]), pool, 3))
    pool.close()
    assert str(caught.value) == (
        "sample, problem 'p': its worker process was ended from outside, by lack of memory for instance; "
        "prove fewer at once with --jobs"
    )


def test_proofs_come_in_the_order_of_the_draws() -> None:
    drawn: list[str] = []

    def problems() -> Iterator[Problem]:
        for number in count():
            drawn.append(f"p{number}")
            yield PROBLEM.model_copy(update={"id": drawn[-1]})

    pool: WorkerPool[Any, Any, Any] = WorkerPool(_echoes, _nothing, 2)
    proved: list[tuple[str, Any]] = [
        (problem.id, proof) for problem, proof in islice(in_order(problems(), pool, 3), 7)
    ]
    pool.close()
    assert proved == [(f"p{number}", f"proof of p{number}") for number in range(7)]
    assert len(drawn) <= 7 + 3


@contextmanager
def _nothing(_number: int, _tell: Callable[[Any], None]) -> Iterator[None]:
    yield


def _ends(_context: None, _numbered: tuple[int, Problem]) -> None:
    os._exit(1)


def _echoes(_context: None, numbered: tuple[int, Problem]) -> str:
    return f"proof of {numbered[1].id}"
