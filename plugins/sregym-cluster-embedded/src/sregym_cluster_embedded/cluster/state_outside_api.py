"""State outside the Kubernetes API: what datastores hold, and the machines of the nodes."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.durable import access_state
from sregym_cluster_embedded.userland.host.baseline import Nodes, digests, nodes_now, restore
from sregym_cluster_embedded.userland.keys import RUNTIME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.http.live import LiveWorld


class OutsideTheApi:
    """What a baseline has of a cluster in memory besides its objects."""

    _live: LiveWorld

    def hidden_state(self) -> Mapping[str, str]:
        """Digests of what datastores hold, and of what was changed on nodes."""
        with self._live.open() as world:
            hosts = digests(world)
            kept = world.service(RUNTIME).durable_state(world)
        texts = {name: text.encode() for name, text in kept.items()}
        return hosts | {n: blake2b(text, digest_size=16).hexdigest() for n, text in texts.items()}

    def stored(self) -> Mapping[str, str]:
        """What datastores hold that outlives their pods, and who has access to the others."""
        with self._live.open() as world:
            runtime = world.service(RUNTIME)
            return runtime.durable_state(world) | access_state(world, runtime.kinds)

    def save_machines(self) -> object:
        """Files, services, clocks, disks and links of the nodes."""
        with self._live.open() as world:
            return nodes_now(world)

    def restore_machines(self, kept: object) -> None:
        """Make the nodes as they were."""
        if isinstance(kept, Nodes):
            with self._live.open() as world:
                restore(world, kept)
