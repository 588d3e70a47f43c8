"""FleetCast on its database: what is there, and what users and operators see when a part is away."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from sregym_app_fleetcast.application import FleetCast
from sregym_core.interfaces import ClusterSpec, Command
from sregym_core.problems import parse_problem

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster

FOLDER = files("sregym_app_fleetcast") / "problems"


def kubectl(cluster: Cluster, *words: str) -> str:
    done = cluster.kubectl(Command(("kubectl", *words)))
    assert done.ok, done.stderr
    return done.stdout


def test_problems_of_upstream_and_what_they_break() -> None:
    broken = {}
    for file in sorted(FOLDER.iterdir(), key=lambda file: file.name):
        problem = parse_problem(file.read_text(encoding="utf-8"), file.name)
        assert f"{problem.id}.yaml" == file.name
        if problem.upstream:
            assert problem.upstream == problem.id
            broken[problem.id] = [(fault.fault, fault.target) for fault in problem.faults]
    assert broken == {
        "operator_invalid_affinity_toleration": [("cr-misoperation", "basic-tidb")],
        "operator_non_existent_storage": [("cr-misoperation", "basic-pd")],
        "operator_overload_replicas": [("cr-misoperation", "basic-tidb")],
        "operator_security_context_fault": [("cr-misoperation", "basic-tidb")],
        "operator_wrong_operator_image": [("image-wrong", "tidb-controller-manager")],
        "operator_wrong_update_strategy_fault": [("cr-misoperation", "basic-tidb")],
    }


def test_the_notes_say_what_the_operator_makes(running: Cluster) -> None:
    for part in FleetCast().components():
        if part.workload.kind != "TidbCluster":
            continue
        live = running.get(part.workloads[0])
        assert live is not None
        template = live["spec"]["template"]
        assert template["spec"]["containers"][0]["image"] == part.image
        assert part.pod_labels.items() <= template["metadata"]["labels"].items()
        for use in part.services:
            service = running.get(use.ref)
            assert service is not None
            assert use.selector.items() <= service["spec"]["selector"].items()


def test_people_look_into_the_database(running: Cluster) -> None:
    client = "mysql -h basic-tidb.tidb-cluster -P 4000 -u root -N"
    query = "SELECT satellite_id FROM satellite_sim.telemetry WHERE battery_level < 30"
    words = ("run", "look", "-n", "fleetcast", "--image=mysql:8.0", "--restart=Never", "--command")
    kubectl(running, *words, "--", "sh", "-c", f'{client} -e "{query}"')
    running.clock.advance(30.0)
    assert kubectl(running, "logs", "-n", "fleetcast", "look") == "SAT-017\n"


@pytest.mark.parametrize(
    ("part", "words"),
    [("basic-tikv", "TiKV server timeout"), ("basic-pd", "PD server timeout")],
)
def test_without_a_store_the_backend_says_why(running: Cluster, part: str, words: str) -> None:
    checkpoint = running.checkpoint()
    assert checkpoint is not None
    cluster = checkpoint.fork(ClusterSpec(seed=7, applications=(FleetCast(),)))
    stop = '{"spec": {"paused": true}}'
    kubectl(cluster, "-n", "tidb-cluster", "patch", "tc", "basic", "--type=merge", "-p", stop)
    kubectl(cluster, "-n", "tidb-cluster", "scale", f"statefulset/{part}", "--replicas=0")
    cluster.clock.advance(120.0)
    traffic = FleetCast().traffic(cluster, 30.0)
    rates = {name: seen.success_rate for name, seen in traffic.operations.items()}
    assert rates == {"index": 1.0, "dashboard": 0.0, "station": 0.0, "simulate": 0.0}
    log = kubectl(cluster, "-n", "fleetcast", "logs", "deployment/satellite-app-backend")
    assert words in log
