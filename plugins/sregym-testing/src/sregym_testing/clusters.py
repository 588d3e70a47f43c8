"""Contract tests for every cluster, and the clusters that other contracts use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TypeAlias

import pytest
from sregym_core.interfaces import (
    Actor,
    Cluster,
    ClusterError,
    ClusterProvider,
    ClusterSpec,
    Command,
    PodFailures,
    no_such_service,
)
from sregym_core.model import ObjectRef
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

from sregym_testing.memory import MemoryProvider
from sregym_testing.worlds import ReadyWorlds

Provision: TypeAlias = Callable[[ClusterSpec], Cluster]

_DOWN = 503
_ROUNDED = 0.01
_NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "contract"}}


@contextmanager
def open_clusters(provider: ClusterProvider) -> Iterator[Provision]:
    """Provision clusters and close all of them at the end."""
    clusters: list[Cluster] = []

    def provision(spec: ClusterSpec) -> Cluster:
        clusters.append(provider.provision(spec))
        return clusters[-1]

    try:
        yield provision
    finally:
        for cluster in clusters:
            cluster.close()


@contextmanager
def provision_by_name(name: str) -> Iterator[Provision]:
    """Clusters of an installed kind by its name, `embedded` for instance; all closed at the end.

    Raises:
        UsageError: No plugin offers clusters of that kind.
    """
    with open_clusters(Registry(Plugins(Settings())).load("cluster", name)()) as give:
        yield give


@pytest.fixture(scope="session")
def ready_worlds_by_kind() -> Callable[[str], ReadyWorlds]:
    """The ready worlds of the session by name of the cluster plugin; see `ready_worlds`."""

    @cache
    def made(name: str) -> ReadyWorlds:
        return ReadyWorlds(Registry(Plugins(Settings())).load("cluster", name)())

    return made


@pytest.fixture
def ready_worlds(
    ready_worlds_by_kind: Callable[[str], ReadyWorlds],
) -> Iterator[Callable[[str], ReadyWorlds]]:
    """Clusters of an installed kind by its name, for `provision` to return: `"embedded"` for instance.

    As `provision_by_name`, but an application is brought up once a session, and each test has a
    fork of the moment at which it was ready. All clusters are closed at the end of the test.
    """
    used: list[ReadyWorlds] = []

    def of_kind(name: str) -> ReadyWorlds:
        used.append(ready_worlds_by_kind(name))
        return used[-1]

    yield of_kind
    for worlds in used:
        worlds.close()


@pytest.fixture
def provision() -> Iterator[Provision]:
    """Where contracts get clusters: memory clusters, unless a test class overrides this."""
    with open_clusters(MemoryProvider()) as give:
        yield give


class ClusterContract:
    """Override `provider`."""

    @pytest.fixture
    def provider(self) -> ClusterProvider:
        """The provider under test."""
        raise NotImplementedError("override the fixture `provider`")

    @pytest.fixture
    def cluster(self, provider: ClusterProvider) -> Iterator[Cluster]:
        """A cluster of the provider, with the namespace `contract` in it."""
        with open_clusters(provider) as give:
            cluster = give(ClusterSpec(seed=7))
            cluster.create(_NAMESPACE)
            yield cluster

    def test_what_was_created_can_be_read(self, cluster: Cluster) -> None:
        """An object comes back as it was created, with what the server adds."""
        cluster.create(_config_map("one", {"key": "value"}))
        read = cluster.get(_ref("one"))
        assert read is not None
        assert read["data"] == {"key": "value"}
        assert read["metadata"]["resourceVersion"]
        assert read["metadata"]["uid"]

    def test_who_wrote_can_be_read(self, cluster: Cluster) -> None:
        """Each write is entered under the field manager of its actor, and none is anonymous."""
        helm = Actor("helm", "Helm/3.18.6")
        cluster.create(_config_map("one", {"key": "value"}), helm)
        cluster.create(_config_map("two", {"key": "value"}))
        cluster.patch(_ref("two"), {"data": {"key": "new"}}, "merge", helm)
        cluster.patch(_ref("two"), {"data": {"other": "x"}}, "merge")
        read = cluster.get(_ref("two"))
        assert read is not None
        cluster.replace({**read, "data": {**read["data"], "third": "y"}})
        assert _managers(cluster, "one") == ["helm"]
        assert _managers(cluster, "two") == [
            "helm",
            "kubectl-create",
            "kubectl-patch",
            "kubectl-replace",
        ]

    def test_what_is_not_there_reads_as_none(self, cluster: Cluster) -> None:
        """Absence is no error."""
        assert cluster.get(_ref("absent")) is None

    def test_lists_are_sorted(self, cluster: Cluster) -> None:
        """By namespace and name, whatever the order of creation."""
        for name in ("b", "c", "a"):
            cluster.create(_config_map(name))
        names = [o["metadata"]["name"] for o in cluster.list("v1", "ConfigMap", "contract")]
        assert [name for name in names if name in ("a", "b", "c")] == ["a", "b", "c"]

    def test_selectors_select(self, cluster: Cluster) -> None:
        """A label selector leaves out the others."""
        cluster.create(_config_map("red", labels={"colour": "red"}))
        cluster.create(_config_map("blue", labels={"colour": "blue"}))
        found = cluster.list("v1", "ConfigMap", "contract", "colour=red")
        assert [o["metadata"]["name"] for o in found] == ["red"]

    def test_answers_are_no_way_in(self, cluster: Cluster) -> None:
        """Changing an answer does not change what is stored; the same answer may be given again."""
        cluster.create(_config_map("one", {"key": "value"}))
        first = cluster.get(_ref("one"))
        assert first is not None
        first["data"]["key"] = "scribbled"
        stored = cluster.patch(_ref("one"), {"data": {"other": "x"}}, "merge")
        assert stored["data"] == {"key": "value", "other": "x"}

    def test_a_second_creation_is_refused(self, cluster: Cluster) -> None:
        """409 AlreadyExists."""
        cluster.create(_config_map("one"))
        _refused(409, "AlreadyExists", lambda: cluster.create(_config_map("one")))

    def test_patching_nothing_is_refused(self, cluster: Cluster) -> None:
        """404 NotFound."""
        _refused(404, "NotFound", lambda: cluster.patch(_ref("absent"), {"data": {}}))

    def test_deleting_nothing_is_no_error(self, cluster: Cluster) -> None:
        """And what was deleted is gone."""
        cluster.create(_config_map("one"))
        cluster.delete(_ref("one"))
        cluster.delete(_ref("one"))
        assert cluster.clock.wait_until(lambda: cluster.get(_ref("one")) is None, 60.0)

    def test_an_outdated_replacement_is_a_conflict(self, cluster: Cluster) -> None:
        """409 Conflict when the resourceVersion is not the newest."""
        old = cluster.create(_config_map("one", {"key": "old"}))
        cluster.patch(_ref("one"), {"data": {"key": "new"}}, "merge")
        _refused(409, "Conflict", lambda: cluster.replace(old))

    @pytest.mark.parametrize(
        ("kind", "patch"),
        [
            ("strategic", {"data": {"key": "new", "gone": None}}),
            ("merge", {"data": {"key": "new", "gone": None}}),
            (
                "json",
                [
                    {"op": "replace", "path": "/data/key", "value": "new"},
                    {"op": "remove", "path": "/data/gone"},
                ],
            ),
        ],
    )
    def test_three_kinds_of_patch(self, cluster: Cluster, kind: str, patch: object) -> None:
        """Each replaces a value and removes one."""
        cluster.create(_config_map("one", {"key": "old", "gone": "x", "kept": "y"}))
        assert cluster.patch(_ref("one"), patch, kind)["data"] == {"key": "new", "kept": "y"}

    def test_kubectl_changes_objects(self, cluster: Cluster) -> None:
        """`kubectl delete` answers as kubectl does, first with 0, then with 1."""
        cluster.create(_config_map("one"))
        command = Command(("kubectl", "-n", "contract", "delete", "configmap", "one"))
        assert cluster.kubectl(command).exit_code == 0
        assert cluster.kubectl(command).exit_code == 1
        assert cluster.get(_ref("one")) is None

    def test_time_passes_when_told(self, cluster: Cluster) -> None:
        """`advance` moves the clock by at least what was asked."""
        before = cluster.clock.now()
        cluster.clock.advance(1.0)
        assert cluster.clock.now() >= before + 1.0

    def test_waiting_ends(self, cluster: Cluster) -> None:
        """`wait_until` returns whether the condition was true before the timeout."""
        assert cluster.clock.wait_until(lambda: True, 0.0) is True
        assert cluster.clock.wait_until(lambda: False, 1.0, 0.5) is False

    def test_a_service_that_is_not_offered_is_refused(self, cluster: Cluster) -> None:
        """The error names the services that exist."""
        assert list(cluster.services) == sorted(cluster.services)
        refusal = no_such_service("abacus", cluster.services)
        try:
            cluster.observe("abacus", "/")
        except ClusterError as error:
            assert (error.status, error.reason) == (404, "NotFound")
            assert error.message == refusal.message
        else:
            pytest.fail("not refused; 404 NotFound was due")

    def test_services_answer(self, cluster: Cluster) -> None:
        """Each responds, if only with 404; one that does not run responds with 503."""
        for name in cluster.services:
            answer = cluster.observe(name, "/no/such/page")
            down = answer.status == _DOWN and answer.body
            assert 200 <= answer.status < 500 or down, f"{name}: {answer}"

    def test_failures_add_up(self, cluster: Cluster) -> None:
        """Where a cluster tells whose calls made whose requests fail; None from one that cannot."""
        now = cluster.clock.now()
        cluster.clock.advance(1.0)
        self.adds_up(cluster.failures(now - 60.0, now + 1.0))
        assert not cluster.failures(now, now)

    @staticmethod
    def adds_up(failures: tuple[PodFailures, ...] | None) -> None:
        """Sorted, no more failed than there was, and no more by calls than failed."""
        found = failures or ()
        assert list(found) == sorted(found)
        for one in found:
            by_calls = sum(call.requests for call in one.calls)
            assert 0 <= by_calls <= one.failed + _ROUNDED
            assert one.failed <= one.requests + _ROUNDED
            assert list(one.calls) == sorted(one.calls)
            assert all(call.requests > 0 or call.starts > 0 for call in one.calls)

    def test_clusters_are_worlds_of_their_own(self, provider: ClusterProvider) -> None:
        """A checkpoint, where there is one, gives forks that do not share what follows."""
        with open_clusters(provider) as give:
            cluster = give(ClusterSpec(seed=7))
            cluster.create(_NAMESPACE)
            checkpoint = cluster.checkpoint()
            if checkpoint is None:
                return  # this kind of cluster cannot be forked: nothing is promised
            forks = [checkpoint.fork(ClusterSpec(seed=7)) for _ in range(2)]
            forks[0].create(_config_map("one"))
            assert forks[0].get(_ref("one")) is not None
            assert (forks[1].get(_ref("one")), cluster.get(_ref("one"))) == (None, None)
            for fork in forks:
                fork.close()

    def test_closing_twice_is_harmless(self, cluster: Cluster) -> None:
        """The fixture closes it once more."""
        cluster.close()


def _config_map(
    name: str, content: dict[str, str] | None = None, labels: dict[str, str] | None = None
) -> dict[str, object]:
    metadata = {"name": name, "namespace": "contract", "labels": labels or {}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": content or {}}


def _managers(cluster: Cluster, name: str) -> list[str]:
    obj = cluster.get(_ref(name))
    assert obj is not None
    return sorted(entry["manager"] for entry in obj["metadata"]["managedFields"])


def _ref(name: str) -> ObjectRef:
    return ObjectRef(api_version="v1", kind="ConfigMap", namespace="contract", name=name)


def _refused(status: int, reason: str, call: Callable[[], object]) -> None:
    try:
        call()
    except ClusterError as error:
        assert (error.status, error.reason) == (status, reason)
    else:
        pytest.fail(f"not refused; {status} {reason} was due")
