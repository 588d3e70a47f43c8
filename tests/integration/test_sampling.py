"""Samples of pairs: the same seed makes the same suite, and faults of one problem leave each other alone."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice

import pytest
from sregym_core.api import Workspace, verify
from sregym_core.problems import parse_problem
from sregym_core.settings import Settings
from sregym_sample.sampling import Sampler
from sregym_testing import SregymProject

APPLICATION = "hotel-reservation"
MASKED = """\
id: masked
title: A Service whose selector is wrong is missing as well
application: hotel-reservation
layer: kubernetes
faults:
  - {fault: service-selector, target: mongodb-rate}
  - {fault: service-missing, target: mongodb-rate, after_s: 5}
"""


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace(Settings())


def test_the_same_seed_makes_the_same_bytes(module_project: SregymProject) -> None:
    def made(folder: str, seed: str) -> dict[str, bytes]:
        arguments = ("--count", "6", "--seed", seed, "--out", folder, "--no-prove")
        done = module_project.run("sample", *arguments).assert_success()
        assert "none of them is proved; sregym verify proves files of problems" in done.err
        return {file.name: file.read_bytes() for file in (module_project.folder / folder).iterdir()}

    first = made("first", "7")
    assert sorted(first) == [f"{number:03d}.yaml" for number in range(1, 7)]
    assert first == made("second", "7")
    assert first != made("third", "8")


@pytest.mark.thorough
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_is_sampled_is_proved(
    module_project: SregymProject, workspace: Workspace, jobs: str
) -> None:
    """In the order in which it is drawn, however many are proved at once."""
    asked = ("--application", APPLICATION, "--seed", "5", "--count", "2", "--json", "--jobs", jobs)
    done = module_project.run("sample", *asked).assert_success()
    told = [line.split(": ")[:2] for line in done.err.splitlines()]
    drawn = [one.id for one in islice(Sampler(workspace, 5, "", APPLICATION).problems(), len(told))]
    assert [name for _, name in told] == drawn
    proved = [name for how, name in told if how != "left out"]
    assert [problem["id"] for problem in json.loads(done.out)] == proved
    assert len(proved) == 2


def test_faults_are_drawn_before_targets(workspace: Workspace) -> None:
    """Those that fit many targets are not drawn more often: a suite is of many kinds."""
    found = [*islice(Sampler(workspace, 3, "", APPLICATION).problems(), 40)]
    drawn = Counter(ref.fault for problem in found for ref in problem.faults)
    assert len(drawn) > 30
    assert max(drawn.values()) <= 4


def test_several_faults_hurt_users_apart(workspace: Workspace) -> None:
    parts = {one.name: one for one in workspace.application(APPLICATION).components()}
    found = [*islice(Sampler(workspace, 1, "concurrent", APPLICATION).problems(), 6)]
    assert len({problem.id for problem in found}) == 6
    for problem in found:
        own = [parts[ref.target].operations for ref in problem.faults]
        counts = Counter(name for operations in own for name in operations)
        assert len(own) in (2, 3)
        assert all(any(counts[name] == 1 for name in operations) for operations in own)


def test_one_fault_on_several_components(workspace: Workspace) -> None:
    for problem in islice(Sampler(workspace, 1, "correlated", APPLICATION).problems(), 3):
        assert (len(problem.faults), problem.modes[0]) == (1, "correlated")
        assert len(problem.faults[0].targets) > 1


def test_faults_that_mask_each_other_are_refused(workspace: Workspace) -> None:
    proof = verify(parse_problem(MASKED, "masked.yaml"), workspace=workspace)
    refused = {check.name: check.detail for check in proof.checks if not check.ok}
    assert refused["fault-1-is-not-masked"] == (
        "with every fault repaired but service-selector on mongodb-rate the system passes: another "
        "fault masks it; choose targets that do not share what is broken"
    )
    assert "fault-2-is-not-masked" not in refused


def test_what_keeps_a_system_down_and_what_tips_it_over(workspace: Workspace) -> None:
    made = [*Sampler(workspace, 1, "metastable", "blueprint-hotel-reservation").problems()]
    services = ("frontend", "search", "geo", "rate", "profile", "recomd", "user", "reserv")
    # Twice and three times what comes with a warm cache.
    sizes = {"profile-db": (18, 27), "rate-db": (11, 17), "reserv-db": (16, 24)}
    assert {problem.id for problem in made} == {
        f"{fault}.blueprint-hotel-reservation.{target}.{occasion}"
        for fault, targets, occasions in (
            ("retry-policy", ("frontend-service", "search-service"), ("peak", "dip")),
            ("heap-limit", tuple(f"{name}-service" for name in services), ("peak",)),
            *(
                ("store-sized-for-hits", (name,), tuple(f"cold-{many}m" for many in each))
                for name, each in sizes.items()
            ),
        )
        for target in targets
        for occasion in occasions
    }
    for problem in made:
        assert (problem.silent, problem.modes) == (False, ("metastable",))
        assert problem.oracles.mitigation == ("replay",)
