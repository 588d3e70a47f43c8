"""An application with workloads of all kinds, several containers and Services is played."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sregym_core.api import Workspace, play
from sregym_core.interfaces import Cluster, ClusterSpec, Command
from sregym_core.model import EpisodeRecord, Outcome
from sregym_core.settings import Settings
from sregym_runs import pair

PAIRS = (
    ("image-wrong", "container prepare of desk"),
    ("service-selector", "Service web-internal of web"),
    ("image-wrong", "sweep"),
    ("image-wrong", "fill"),
    ("replicas-zero", "ledger-operator"),
)
# A second container, a workload and a Service whose like are proved above and in each application.
FURTHER_PAIRS = (
    ("image-wrong", "container app of web"),
    ("image-wrong", "archive"),
    ("service-missing", "ledger"),
)
RIGHT_IMAGE = "example.com/parcels/batch:1.0"


def sregym(path: list[str], *words: str) -> str:
    """What `sregym` prints in a process that finds the application."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    done = subprocess.run(
        [sys.executable, "-m", "sregym_core", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def workspace(path: list[str]) -> Workspace:
    assert path
    return Workspace(Settings())


@pytest.fixture(scope="module")
def cluster(workspace: Workspace) -> Iterator[Cluster]:
    application = workspace.factory.application("parcels")
    spec = ClusterSpec(seed=7, applications=(application,))
    made = workspace.factory.provider("embedded").provision(spec)
    application.deploy(made)
    assert made.clock.wait_until(lambda: not application.ready(made), 300.0, 5.0)
    made.clock.advance(200.0)
    yield made
    made.close()


def kubectl(cluster: Cluster, words: str) -> str:
    result = cluster.kubectl(Command(("kubectl", *words.split())))
    assert result.ok, result.stderr
    return result.stdout


def repaired(repair: Callable[[Any], object], workspace: Workspace) -> EpisodeRecord:
    """The record of an episode in which a wrong image of the CronJob is repaired somehow."""

    def act(session: Any) -> None:
        session.submit("sweep")
        repair(session)
        session.submit("repaired")

    problem = pair("image-wrong", "parcels", "sweep", workspace=workspace)
    return play(problem, act, seed=7, workspace=workspace)


def failed_checks(record: EpisodeRecord) -> dict[str, str]:
    assert record.mitigation is not None
    checks = record.mitigation.verdict.checks
    return {check.name: check.got for check in checks if check.outcome is not Outcome.PASS}


def by_hand(session: Any, *words: str) -> None:
    assert session.kubectl(f"kubectl {' '.join(words)} -n parcels").ok


def right_image(session: Any) -> None:
    by_hand(session, "set image cronjob/sweep", f"sweep={RIGHT_IMAGE}")
    by_hand(session, "delete jobs --field-selector status.successful=0")


def test_faults_fit_every_container_and_service(path: list[str]) -> None:
    listed = sregym(path, "faults", "pairs").splitlines()
    found = [line.split(None, 2) for line in listed if " parcels " in line]
    targets = [target for fault, _, target in found if fault == "image-wrong"]
    assert targets == [
        *("archive", "desk", "fill", "ledger-operator", "sweep", "web"),
        "container prepare of desk",
        "container app of web",
    ]
    targets = [target for fault, _, target in found if fault == "service-selector"]
    assert targets == ["desk", "ledger", "web", "Service web-internal of web"]


@pytest.mark.parametrize("pairs", [PAIRS, pytest.param(FURTHER_PAIRS, marks=pytest.mark.thorough)])
def test_pairs_of_all_kinds_are_proved(path: list[str], pairs: tuple[tuple[str, str], ...]) -> None:
    options = [word for fault, target in pairs for word in ("--pair", fault, "parcels", target)]
    said = sregym(path, "verify", *options)
    count = len(pairs)
    assert said.splitlines()[-1].startswith(f"{count} of {count} problems proved"), said


def test_all_containers_run_their_own_program(cluster: Cluster) -> None:
    proxy = kubectl(cluster, "logs deployment/web -c proxy -n parcels")
    assert proxy == "proxy: 8000 -> localhost:8080\n"
    assert kubectl(cluster, "logs deployment/web -c app -n parcels") == ""


def test_a_job_and_a_cronjob_did_their_work(cluster: Cluster) -> None:
    log = kubectl(cluster, "logs job/fill -n parcels").splitlines()
    assert log[-2:] == ["writing 100 entries", "done"]
    assert kubectl(cluster, "logs -l app=sweep -n parcels").splitlines()[-1] == "done"
    written = kubectl(cluster, "logs -l ledger=main --tail=-1 -n parcels").count("entry written")
    listed = kubectl(cluster, "get jobs -n parcels --no-headers").splitlines()
    runs = [line.split()[1] for line in listed if line.startswith("sweep-")]
    assert set(runs) == {"Complete"}
    # 100 of the Job, 5 of the init container, 60 of each run of the CronJob.
    assert written == pytest.approx(105 + 60 * len(runs), abs=6)


def test_an_operator_makes_the_pods_that_serve(cluster: Cluster) -> None:
    owner = "get statefulset main-ledger -n parcels -o jsonpath={.metadata.ownerReferences[0].kind}"
    assert kubectl(cluster, owner) == "Ledger"
    status = "get ledger main -n parcels -o jsonpath={.status.ready}"
    assert kubectl(cluster, status) == "2"


def test_the_right_image_and_no_run_that_hangs_is_a_repair(workspace: Workspace) -> None:
    record = repaired(right_image, workspace)
    assert failed_checks(record) == {}


def test_a_run_that_hangs_is_no_repair(workspace: Workspace) -> None:
    def repair(session: Any) -> None:
        by_hand(session, "set image cronjob/sweep", f"sweep={RIGHT_IMAGE}")

    failed = failed_checks(repaired(repair, workspace))
    assert sorted(failed) == ["stays-healthy", "workloads-ready"]
    assert failed["workloads-ready"].startswith(
        "CronJob parcels/sweep has container sweep of pod sweep-"
    )


def test_a_suspended_cronjob_is_no_repair(workspace: Workspace) -> None:
    def repair(session: Any) -> None:
        right_image(session)
        by_hand(session, 'patch cronjob sweep -p \'{"spec":{"suspend":true}}\'')

    failed = failed_checks(repaired(repair, workspace))
    assert failed["workloads-present"] == "CronJob parcels/sweep is suspended"


def test_a_custom_resource_that_is_gone_is_noticed(workspace: Workspace) -> None:
    def repair(session: Any) -> None:
        right_image(session)
        by_hand(session, "delete ledger main")

    failed = failed_checks(repaired(repair, workspace))
    assert failed["workloads-present"] == "Ledger parcels/main does not exist"
    assert failed["workloads-ready"] == "StatefulSet parcels/main-ledger does not exist"
