"""The cluster contract accepts the memory cluster and finds each kind of bad one."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import (
    Actor,
    Checkpoint,
    Cluster,
    ClusterError,
    ClusterProvider,
    ClusterSpec,
    CommandResult,
    FatalCalls,
    PodFailures,
    ServiceAnswer,
)
from sregym_testing import ClusterContract, MemoryCluster, MemoryProvider
from sregym_testing.clusters import open_clusters


class Forgetful(MemoryCluster):
    def create(self, obj, actor=None):
        return super().create({**obj, "data": {}} if obj["kind"] == "ConfigMap" else obj, actor)


class Anonymous(MemoryCluster):
    def create(self, obj, actor=None):
        return super().create(obj, Actor("unknown", ""))


class Inventive(MemoryCluster):
    def get(self, ref):
        return super().get(ref) or {"metadata": {"name": ref.name}}


class Unsorted(MemoryCluster):
    def list(self, api_version, kind, namespace="", selector=""):
        return super().list(api_version, kind, namespace, selector)[::-1]


class Unselective(MemoryCluster):
    def list(self, api_version, kind, namespace="", selector=""):
        return super().list(api_version, kind, namespace)


class Generous(MemoryCluster):
    """Gives away its own objects."""

    def get(self, ref):
        return self._objects.get(ref)


class Tolerant(MemoryCluster):
    def create(self, obj, actor=None):
        try:
            return super().create(obj, actor)
        except ClusterError:
            return super().replace(obj, actor)


class Creative(MemoryCluster):
    def patch(self, ref, patch, kind="strategic", actor=None):
        return super().patch(ref, patch, kind, actor) if self.get(ref) else {}


class Petty(MemoryCluster):
    def delete(self, ref, propagation="Background", actor=None):
        self._existing(ref)
        super().delete(ref, propagation, actor)


class Careless(MemoryCluster):
    def replace(self, obj, actor=None):
        metadata = {k: v for k, v in obj["metadata"].items() if k != "resourceVersion"}
        return super().replace({**obj, "metadata": metadata}, actor)


class OnlyMerges(MemoryCluster):
    def patch(self, ref, patch, kind="strategic", actor=None):
        if kind == "json":
            raise ClusterError(415, "UnsupportedMediaType", "no JSON patches here")
        return super().patch(ref, patch, kind, actor)


class Speechless(MemoryCluster):
    def kubectl(self, command):
        super().kubectl(command)
        return CommandResult(0)


class Frozen(MemoryCluster):
    def __init__(self) -> None:
        super().__init__()
        self._clock.advance = lambda seconds: None


class Impatient(MemoryCluster):
    def __init__(self) -> None:
        super().__init__()
        self._clock.wait_until = lambda condition, timeout_s, poll_s=1.0: True


class Shared(MemoryCluster):
    def checkpoint(self) -> Checkpoint:
        same = self

        class Same(Checkpoint):
            def fork(self, spec: ClusterSpec) -> Cluster:
                return same

        return Same()


class Brittle(MemoryCluster):
    closed = False

    def close(self) -> None:
        assert not self.closed, "closed twice"
        self.closed = True


class Obliging(MemoryCluster):
    def observe(self, service, path, query=(), method="GET", body=b""):
        return ServiceAnswer(200, b"42")


class Ailing(MemoryCluster):
    services = ("prometheus",)

    def observe(self, service, path, query=(), method="GET", body=b""):
        return ServiceAnswer(503, b"")


class Accusing(MemoryCluster):
    """Blames others for more than went wrong."""

    def failures(self, start, end):
        return (PodFailures("n", "web-0", 9.0, 1.0, (FatalCalls("n", "db-0", "db", 5.0),)),)


BAD: dict[str, type[MemoryCluster]] = {
    "test_what_was_created_can_be_read": Forgetful,
    "test_who_wrote_can_be_read": Anonymous,
    "test_what_is_not_there_reads_as_none": Inventive,
    "test_lists_are_sorted": Unsorted,
    "test_selectors_select": Unselective,
    "test_answers_are_no_way_in": Generous,
    "test_a_second_creation_is_refused": Tolerant,
    "test_patching_nothing_is_refused": Creative,
    "test_deleting_nothing_is_no_error": Petty,
    "test_an_outdated_replacement_is_a_conflict": Careless,
    "test_three_kinds_of_patch": OnlyMerges,
    "test_kubectl_changes_objects": Speechless,
    "test_time_passes_when_told": Frozen,
    "test_waiting_ends": Impatient,
    "test_a_service_that_is_not_offered_is_refused": Obliging,
    "test_services_answer": Ailing,
    "test_failures_add_up": Accusing,
    "test_clusters_are_worlds_of_their_own": Shared,
    "test_closing_twice_is_harmless": Brittle,
}


class TestMemoryCluster(ClusterContract):
    @pytest.fixture
    def provider(self) -> ClusterProvider:
        return MemoryProvider()


def play(check: str, run_check) -> None:
    class BadProvider(MemoryProvider):
        def provision(self, spec: ClusterSpec) -> Cluster:
            return BAD[check]()

    patch = [{"op": "replace", "path": "/data/key", "value": "new"}]
    values = {"kind": "json", "patch": patch, "provider": BadProvider()}
    with open_clusters(BadProvider()) as give:
        cluster = give(ClusterSpec())
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "contract"}})
        run_check(ClusterContract, check, cluster=cluster, **values)


@pytest.mark.parametrize("check", BAD)
def test_bad_cluster_is_found(check, run_check) -> None:
    with pytest.raises((AssertionError, ClusterError, pytest.fail.Exception)):
        play(check, run_check)


def test_every_check_has_a_bad_cluster(checks_of) -> None:
    assert set(BAD) == checks_of(ClusterContract)
