"""What datastores keep, as text that can be compared."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store.objects import Key, owner_of
from sregym_cluster_embedded.userland.files.datafiles import lost_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.userland.kinds import Kinds
    from sregym_cluster_embedded.world import World

# How the identities of storages begin that go with a container, and with a pod.
_LAYER, _POD = "layer of ", "pod/"
# What descriptions of datastores call who may do what.
_ACCESS = ("accounts", "roles", "users")
_LOST = "lost files"


def durable_state(world: World, kinds: Kinds) -> dict[str, str]:
    """Name and identity of a storage that outlives pods -> canonical text of what is in it.

    What is described as nothing is as good as none: what was written there and taken back.
    """
    return {
        f"{name} at {storage}": text
        for name, storage, text in _described(world, kinds, passing=False)
    }


def access_state(world: World, kinds: Kinds) -> dict[str, str]:
    """Name and workload of a storage that goes with its pod -> canonical text of its accounts.

    Its data is not told: the next start makes it anew.
    """
    pods = {pod["metadata"]["uid"]: pod for pod in world.store.list("pods")}
    last: dict[tuple[str, str, str], tuple[int, str]] = {}
    for name, storage, text in _described(world, kinds, passing=True):
        uid, place, attempt = _life_of(storage)
        pod = pods.get(uid)
        access = _access(text)
        if pod is None or "deletionTimestamp" in pod["metadata"] or not access:
            continue
        key = (name, _keeper(world, pod), f"{pod['metadata']['name']} {place}")
        last[key] = max(last.get(key, (-1, "")), (attempt, access))
    found: dict[str, str] = {}
    for (name, keeper, _), (_, access) in sorted(last.items()):
        title, number = f"{name} in {keeper}", 2
        while title in found:
            title, number = f"{name} in {keeper} #{number}", number + 1
        found[title] = access
    return found


def _described(world: World, kinds: Kinds, *, passing: bool) -> Iterator[tuple[str, str, str]]:
    """(name, identity of a storage, text) of what holds anything, sorted."""
    describing = {
        name: (kind, reference)
        for kind in kinds.every()
        for name, reference in kind.durable.items()
    }
    for name, (kind, reference) in sorted(describing.items()):
        for storage, data in sorted(world.table(TableKey[str, Any](f"userland.{name}")).items()):
            if storage.startswith((_LAYER, _POD)) != passing:
                continue
            if text := kinds.load(kind, reference)(data):
                yield name, storage, _with_lost(text, len(lost_files(world, storage)))


def _with_lost(text: str, lost: int) -> str:
    """What a storage holds, and how many of its files its server will miss at its next start."""
    if not lost:
        return text
    try:
        held = json.loads(text)
    except ValueError:
        return f"{text}\n{_LOST} = {lost}"
    return json.dumps({**held, _LOST: lost}, sort_keys=True, separators=(",", ":"))


def _life_of(storage: str) -> tuple[str, str, int]:
    """Uid of the pod, container or volume in it, and how many lives the container had before."""
    if storage.startswith(_LAYER):
        uid, container, attempt = storage.removeprefix(_LAYER).split(" ")
        return uid, container, int(attempt)
    uid, _, volume = storage.removeprefix(_POD).partition("/")
    return uid, volume, 0


def _access(text: str) -> str:
    """Accounts and what they may do, of a description; empty for none."""
    try:
        held = json.loads(text)
    except ValueError:
        return ""
    kept = {field: held[field] for field in _ACCESS if held.get(field)}
    return json.dumps(kept, sort_keys=True, separators=(",", ":")) if kept else ""


def _keeper(world: World, pod: Object) -> str:
    """Whose pods they are, by a name that the next one has, too."""
    namespace = pod["metadata"]["namespace"]
    owner = owner_of(pod)
    if owner is not None and owner["kind"] == "ReplicaSet":
        made = world.store.get(Key("replicasets.apps", namespace, owner["name"]))
        owner = None if made is None else owner_of(made)
    if owner is None or owner["kind"] != "Deployment":
        return f"Pod {namespace}/{pod['metadata']['name']}"
    return f"Deployment {namespace}/{owner['name']}"
