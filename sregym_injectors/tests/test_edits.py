from __future__ import annotations

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import WorldError
from sregym_core.interfaces import Actor, FaultContext
from sregym_core.model import ObjectRef
from sregym_injectors.edits import Edits
from sregym_kubernetes.operations.objects import desired
from sregym_testing import FullShop, Killed, MemoryCluster, WatchedCluster

CONFIG = ObjectRef(api_version="v1", kind="ConfigMap", namespace="shop", name="catalog-config")
NEW = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "new", "namespace": "shop"},
    "data": {"a": "b"},
}


def test_the_first_state_is_journaled_and_only_that(context, edits, cluster):
    before = cluster.get(CONFIG)
    edits.patch(CONFIG, {"data": {"motd.txt": "hi"}}, "merge")
    edits.replace({**edits.read(CONFIG), "data": {}})
    edits.delete(CONFIG)
    assert context.journal.entries == [
        {"op": "restore", "ref": CONFIG.model_dump(), "before": before}
    ]
    assert cluster.get(CONFIG) is None
    context.journal.undo_objects(cluster)
    assert desired(cluster.get(CONFIG)) == desired(before)


def test_a_created_object_is_undone_by_deletion(context, edits, cluster):
    edits.create(NEW)
    ref = CONFIG.model_copy(update={"name": "new"})
    assert context.journal.entries == [{"op": "restore", "ref": ref.model_dump(), "before": None}]
    context.journal.undo_objects(cluster)
    assert cluster.get(ref) is None


def test_the_journal_is_written_before_the_step(context, cluster):
    watched = WatchedCluster(cluster, kill_at_write=1)
    edits = Edits(
        FaultContext(watched, context.application, context.component, None, context.journal)
    )
    with pytest.raises(Killed):
        edits.delete(CONFIG)
    assert [entry["ref"]["name"] for entry in context.journal.entries] == ["catalog-config"]
    assert cluster.get(CONFIG) is not None


class _Logged(MemoryCluster):
    """Notes who deletes."""

    def __init__(self) -> None:
        super().__init__()
        self.deleters: list[str] = []

    def delete(
        self, ref: ObjectRef, propagation: str = "Background", actor: Actor | None = None
    ) -> None:
        self.deleters.append(actor.user if actor else "")
        super().delete(ref, propagation, actor)


def test_one_person_deletes_all_and_what_is_made_anew_is_not_journaled():
    cluster = _Logged()
    FullShop().deploy(cluster)
    cluster.clock.advance(1.0)
    context = FaultContext(
        cluster, FullShop(), FullShop().component("catalog"), None, UndoJournal()
    )
    edits = Edits(context)
    (pod, *_) = cluster.list("v1", "Pod", "shop")
    edits.end(pod)
    edits.delete(CONFIG)
    assert [entry["ref"]["name"] for entry in context.journal.entries] == ["catalog-config"]
    assert cluster.get(ObjectRef.of(pod)) is None
    first, second = cluster.deleters
    assert first == second
    assert first.endswith("@example.com")


def test_what_is_not_there_cannot_be_edited(edits: Edits, cluster: MemoryCluster):
    cluster.delete(CONFIG)
    with pytest.raises(WorldError) as caught:
        edits.patch(CONFIG, {})
    assert str(caught.value) == (
        "ConfigMap shop/catalog-config does not exist, but the fault on 'catalog' "
        "changes it; deploy the application before the injection"
    )
