"""What is read without the wire is given out again where it is the same, in forks, too, and only there."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.cluster.embedded import EmbeddedCluster
from sregym_core.interfaces import ClusterSpec
from sregym_core.model import ObjectRef

ONE = ObjectRef(api_version="v1", kind="ConfigMap", namespace="default", name="one")
TWO = ObjectRef(api_version="v1", kind="ConfigMap", namespace="default", name="two")


@pytest.fixture
def cluster() -> EmbeddedCluster:
    made = EmbeddedCluster(build(Blueprint()), ClusterSpec())
    for ref in (ONE, TWO):
        metadata = {"namespace": ref.namespace, "name": ref.name}
        made.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"key": "old"}}
        )
    return made


def test_a_fork_gives_out_what_its_origin_read(cluster: EmbeddedCluster) -> None:
    known = cluster.get(ONE)
    fork = cluster.checkpoint().fork(ClusterSpec())

    assert fork.get(ONE) is known
    assert known in fork.list("v1", "ConfigMap", "default")


def test_forks_that_write_at_the_same_revision_read_their_own(cluster: EmbeddedCluster) -> None:
    cluster.get(ONE)
    checkpoint = cluster.checkpoint()
    forks = [checkpoint.fork(ClusterSpec()) for _ in range(2)]
    for number, fork in enumerate(forks):
        fork.patch(ONE, {"data": {"key": f"new {number}"}}, "merge")

    read = [(fork.get(ONE) or {})["data"] for fork in (cluster, *forks)]
    assert read == [{"key": "old"}, {"key": "new 0"}, {"key": "new 1"}]
    listed = [
        [obj["data"] for obj in fork.list("v1", "ConfigMap", "default", "") if "key" in obj["data"]]
        for fork in (cluster, *forks)
    ]
    assert listed == [[{"key": text}, {"key": "old"}] for text in ("old", "new 0", "new 1")]


def test_one_object_in_two_versions(cluster: EmbeddedCluster) -> None:
    scaled = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "one"}
    cluster.create(
        {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"namespace": "default", "name": "one"},
            "spec": {"minReplicas": 1, "maxReplicas": 3, "scaleTargetRef": scaled},
        }
    )
    read = [
        cluster.get(
            ObjectRef(
                api_version=version,
                kind="HorizontalPodAutoscaler",
                namespace="default",
                name="one",
            )
        )
        for version in ("autoscaling/v2", "autoscaling/v1")
    ]
    assert [(obj or {})["apiVersion"] for obj in read] == ["autoscaling/v2", "autoscaling/v1"]


def listed(cluster: EmbeddedCluster) -> list[tuple[str, str]]:
    """Names and texts of the maps that a test has made."""
    found = cluster.list("v1", "ConfigMap", "default")
    return [(obj["metadata"]["name"], obj["data"]["key"]) for obj in found if "key" in obj["data"]]


def test_a_list_follows_each_change_and_nothing_else(cluster: EmbeddedCluster) -> None:
    assert listed(cluster) == [("one", "old"), ("two", "old")]
    cluster.patch(TWO, {"data": {"key": "new"}}, "merge")
    assert listed(cluster) == [("one", "old"), ("two", "new")]
    cluster.delete(ONE)
    assert listed(cluster) == [("two", "new")]
    before = cluster.list("v1", "ConfigMap", "default")
    elsewhere = {"namespace": "kube-system", "name": "one"}
    cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": elsewhere, "data": {}})
    after = cluster.list("v1", "ConfigMap", "default")
    assert all(now is then for now, then in zip(after, before, strict=True))


def test_what_was_taken_back_is_not_listed_though_others_have_its_revision(
    cluster: EmbeddedCluster,
) -> None:
    def interrupted() -> None:
        with cluster.live.open():
            cluster.patch(ONE, {"data": {"key": "taken back"}}, "merge")
            assert listed(cluster) == [("one", "taken back"), ("two", "old")]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert listed(cluster) == [("one", "old"), ("two", "old")]
    cluster.patch(TWO, {"data": {"key": "kept"}}, "merge")
    assert listed(cluster) == [("one", "old"), ("two", "kept")]
