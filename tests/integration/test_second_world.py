"""The second world: a cluster behind a kubeconfig, with no line of difference for the rest.

The cluster is an embedded one, served over HTTP with its time running two hundred times as fast
as the wall clock; all that reaches it is HTTP, websockets and the unmodified kubectl.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_cluster_kubernetes.provider import Kubeconfig
from sregym_cluster_kubernetes.telemetry.installing import manifests
from sregym_core.conductor import ComponentFactory
from sregym_core.errors import ExitCode
from sregym_core.interfaces import Cluster, ClusterError, ClusterProvider, ClusterSpec, Finding
from sregym_core.model import ObjectRef
from sregym_testing import ClusterContract, SregymProject

PACE = 200.0
NAMESPACE = "hotel-reservation"


@pytest.fixture(scope="module")
def world(
    factory: ComponentFactory, serve: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    with serve(factory, tmp_path_factory.mktemp("served"), PACE) as cluster:
        yield cluster


class _Given(ClusterProvider):
    """The provider under test with the options of one cluster; what it left is removed."""

    name = "kubeconfig"

    def __init__(self, options: dict[str, str]) -> None:
        self._options = options
        self._inner = Kubeconfig()

    def provision(self, spec: ClusterSpec) -> Cluster:
        cluster = self._inner.provision(ClusterSpec(seed=spec.seed, options=self._options))
        namespace = ObjectRef(api_version="v1", kind="Namespace", namespace="", name="contract")
        cluster.delete(namespace)
        assert cluster.clock.wait_until(lambda: cluster.get(namespace) is None, 600.0)
        return cluster

    def examine(self, options: Any) -> Any:
        return self._inner.examine({**self._options, **options})


class TestContract(ClusterContract):
    @pytest.fixture
    def provider(self, world: Any) -> ClusterProvider:
        return _Given(world.options)


@pytest.fixture
def cluster(world: Any) -> Iterator[Cluster]:
    made = Kubeconfig().provision(ClusterSpec(options=world.options))
    yield made
    made.close()


def test_logs_and_commands_in_containers(cluster: Cluster) -> None:
    pod = cluster.list("v1", "Pod", "kube-system", "k8s-app=kube-dns")[0]["metadata"]["name"]
    assert isinstance(cluster.logs("kube-system", pod), str)
    with pytest.raises(ClusterError) as absent:
        cluster.logs("kube-system", "absent")
    assert (absent.value.status, absent.value.reason) == (404, "NotFound")
    assert absent.value.message == 'pods "absent" not found'
    with pytest.raises(ClusterError) as nowhere:
        cluster.exec("kube-system", "absent", ["true"])
    assert nowhere.value.message == 'pods "absent" not found'


def test_the_clock_is_the_clusters(world: Any, cluster: Cluster) -> None:
    """Not this machine's: the cluster's time runs ahead, and log lines carry it."""
    cluster.clock.advance(30.0)
    before = world.cluster.clock.now()
    said = cluster.clock.now()
    after = world.cluster.clock.now()
    # The header that tells has whole seconds; reading it takes a moment, which is long at this pace.
    assert before - 2.0 <= said <= after + 2.0 + 0.2 * PACE


def test_doctor(world: Any, module_project: SregymProject, tmp_path: Path) -> None:
    words = ("doctor", "--cluster", world.choice, "--json")
    content = module_project.run(*words, env={"TMPDIR": str(tmp_path)}).json()
    assert list(tmp_path.iterdir()) == []
    findings = {finding["subject"]: finding for finding in content["findings"]}
    url = world.access.endpoints["kubernetes"]
    assert findings[f"cluster {url}"]["ok"] is True
    assert findings["right to create pods/exec"] == vars(
        Finding("right to create pods/exec", True, "allowed", "use a context with more rights")
    )
    assert content["ok"] is True


def test_doctor_says_what_agents_will_observe(world: Any, module_project: SregymProject) -> None:
    endpoints = world.access.endpoints
    named = ("prometheus", "loki", "alertmanager")
    words = ",".join(f"{name}={endpoints[name]}" for name in named)
    content = module_project.run("doctor", "--cluster", f"{world.choice},{words}", "--json").json()
    found = {one["subject"]: (one["ok"], one["detail"]) for one in content["findings"]}
    assert {
        what: found[f"telemetry, {what}"] for what in ("metrics", "logs", "traces", "alerts")
    } == {
        "metrics": (
            True,
            f"prometheus at {endpoints['prometheus']} answers, with metrics of objects "
            "(kube-state-metrics) and containers (cAdvisor)",
        ),
        "logs": (True, f"loki at {endpoints['loki']} answers"),
        "traces": (
            True,
            "none: agents will have no traces, or install a small set: sregym telemetry install",
        ),
        "alerts": (True, f"alertmanager at {endpoints['alertmanager']} answers"),
    }


def test_the_api_takes_the_telemetry_that_can_be_installed() -> None:
    """Each object as it stands, with what it is checked by."""
    cluster = Embedded().provision(ClusterSpec(seed=1))
    for obj in manifests():
        cluster.create(obj)
    cluster.clock.advance(5.0)
    pods = cluster.list("v1", "Pod", "observability")
    assert len(pods) == 6
    cluster.close()


def test_doctor_of_a_dead_address(module_project: SregymProject) -> None:
    file = module_project.folder / "dead"
    user = {"name": "me", "user": {}}
    cluster = {"name": "dead", "cluster": {"server": "http://127.0.0.1:9"}}
    context = {"name": "dead", "context": {"cluster": "dead", "user": "me"}}
    parts = {"clusters": [cluster], "users": [user], "contexts": [context]}
    file.write_text(json.dumps({"current-context": "dead", **parts}))
    done = module_project.run("doctor", "--cluster", f"kubeconfig:kubeconfig={file}")
    assert (done.exit_code, done.err) == (ExitCode.FAILED, "")
    lines = done.out.splitlines()
    start = next(i for i, line in enumerate(lines) if "cluster http://127.0.0.1:9" in line)
    assert lines[start].startswith(
        "MISSING  cluster http://127.0.0.1:9: the cluster does not answer: "
    )
    assert lines[start + 1] == "         check address and network"
    words = ("run", "resource_request_too_small", "--agent", "noop", "--out", "dead-run", "--json")
    played = module_project.run(*words, "--cluster", f"kubeconfig:kubeconfig={file}")
    [episode] = played.assert_exit(ExitCode.FAILED).json()["episodes"]
    assert episode["outcome"] == "error"
    assert episode["reason"].startswith("the cluster does not answer: ")


def test_the_expert_passes_and_nothing_stays(
    world: Any, cluster: Cluster, module_project: SregymProject
) -> None:
    problems = ("wrong_service_selector_hotel_reservation", "storage_user_unregistered-2")
    words = ("run", *problems, "--agent", "expert", "--cluster", world.choice, "--json")
    content = module_project.run(*words, "--out", "second").assert_success().json()
    assert [episode["outcome"] for episode in content["episodes"]] == ["pass", "pass"]
    assert [episode["recovered"] for episode in content["episodes"]] == [True, True]
    assert _standing(cluster) == []


@pytest.mark.thorough
def test_a_problem_is_proved(world: Any, cluster: Cluster, module_project: SregymProject) -> None:
    words = ("verify", "scale_to_zero_hotel_reservation", "--cluster", world.choice, "--json")
    content = module_project.run(*words, timeout_s=300).assert_success().json()
    failed = [check for check in content["problems"][0]["checks"] if not check["ok"]]
    assert (content["proved"], failed) == (1, [])
    assert _standing(cluster) == []


def test_what_stands_there_already_is_not_touched(
    world: Any, cluster: Cluster, module_project: SregymProject
) -> None:
    owned = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    cluster.create(owned)
    try:
        words = (
            "run",
            "resource_request_too_small",
            "--agent",
            "noop",
            "--out",
            "refused",
            "--json",
        )
        done = module_project.run(*words, "--cluster", world.choice).assert_exit(ExitCode.FAILED)
        [episode] = done.json()["episodes"]
        assert (episode["outcome"], episode["reason"]) == (
            "error",
            "application 'hotel-reservation' cannot be deployed: the cluster has Namespace "
            "hotel-reservation already; delete what is there, or use another cluster",
        )
        assert _standing(cluster) == [NAMESPACE]
    finally:
        ref = ObjectRef(api_version="v1", kind="Namespace", namespace="", name=NAMESPACE)
        cluster.delete(ref)
        assert cluster.clock.wait_until(lambda: cluster.get(ref) is None, 600.0)


def test_an_interrupted_run_removes_what_it_deployed(
    world: Any, cluster: Cluster, start: Callable[..., Any]
) -> None:
    words = ("run", "scale_to_zero_hotel_reservation", "--agent", "human", "--out", "cut")
    run = start(*words, "--cluster", world.choice)
    assert cluster.clock.wait_until(lambda: NAMESPACE in _standing(cluster), 6000.0)
    run.interrupt()
    code, _, err = run.end()
    assert (code, err) == (
        ExitCode.INTERRUPTED,
        "interrupted; what was playing is recovered and recorded in cut\n",
    )
    assert _standing(cluster) == []
    assert not run.children_left()


def test_several_share_a_cluster_and_stay_for_the_next_run(
    world: Any, cluster: Cluster, module_project: SregymProject
) -> None:
    problems = ("scale_to_zero_hotel_reservation", "wrong_service_selector_hotel_reservation")
    words = ("run", *problems, "--agent", "expert", "--cluster", world.choice, "--json")
    words = (*words, "--jobs", "2", "--timing", "window_s=10", "--timing", "warm_up_s=20")

    def uids() -> dict[str, str]:
        return {
            item["metadata"]["name"]: item["metadata"]["uid"]
            for item in cluster.list("v1", "Namespace")
            if item["metadata"]["name"].startswith((NAMESPACE, "load"))
        }

    content = module_project.run(*words, "--keep", "--out", "kept").assert_success().json()
    assert [(one["outcome"], one["recovered"]) for one in content["episodes"]] == [
        ("pass", True),
        ("pass", True),
    ]
    first = uids()
    assert sorted(first) == [f"{NAMESPACE}-1", f"{NAMESPACE}-2", "load-1", "load-2"]
    again = module_project.run(*words, "--keep", "--out", "again").assert_success().json()
    assert [one["outcome"] for one in again["episodes"]] == ["pass", "pass"]
    assert uids() == first
    module_project.run(*words, "--out", "gone").assert_success()
    assert uids() == {}


def test_keep_is_for_real_clusters(module_project: SregymProject) -> None:
    words = ("run", "scale_to_zero_hotel_reservation", "--agent", "noop", "--keep", "--out", "no")
    assert module_project.run(*words).assert_exit(ExitCode.USAGE).err == (
        "sregym: --keep leaves the application on a real cluster; cluster 'embedded' ends with the "
        "run: leave out --keep\n"
    )


def _standing(cluster: Cluster) -> list[str]:
    names = [item["metadata"]["name"] for item in cluster.list("v1", "Namespace")]
    return [name for name in names if name in (NAMESPACE, "load")]


def test_the_kubeconfig_may_stand_anywhere(world: Any, module_project: SregymProject) -> None:
    """Without options the usual variable counts."""
    here = {"KUBECONFIG": str(Path(world.access.kubeconfig))}
    done = module_project.run("doctor", "--cluster", "kubeconfig", env=here).assert_success()
    assert f"ok       cluster {world.access.endpoints['kubernetes']}: answers" in done.out
