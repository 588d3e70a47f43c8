"""Objects that look as if they had been made long ago."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.audit import ENTRIES
from sregym_cluster_embedded.cluster.addressing import resource_of
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_core.model import ObjectRef

    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.world import World


class Backdating:
    """What a cluster in memory can do to the past."""

    _live: LiveWorld

    def backdate(self, ref: ObjectRef, seconds: float) -> bool:
        """Let an object be so much older; its creation is no longer in the log of requests."""
        resource = resource_of(self._live, ref.api_version, ref.kind)
        key = Key(resource.name, ref.namespace if resource.namespaced else "", ref.name)
        with self._live.open() as world:
            stored = world.store.get(key)
            if stored is None:
                return False
            metadata = dict(stored["metadata"])
            metadata["creationTimestamp"] = _earlier(metadata["creationTimestamp"], seconds)
            managed = metadata.get("managedFields")
            if managed:
                metadata["managedFields"] = [
                    {**entry, "time": _earlier(entry["time"], seconds)}
                    if "time" in entry
                    else entry
                    for entry in managed
                ]
            world.store.put(resource.name, {**stored, "metadata": metadata})
            _forget(world, resource.plural, ref)
        return True


def _forget(world: World, plural: str, ref: ObjectRef) -> None:
    entries = world.table(ENTRIES)
    about = (plural, ref.namespace, ref.name)
    for number, entry in list(entries.items()):
        if (entry.resource, entry.namespace, entry.name) == about:
            del entries[number]


def _earlier(text: str, seconds: float) -> str:
    moment = datetime.fromisoformat(text).astimezone(UTC) - timedelta(seconds=round(seconds))
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
