"""What exporters say of Consul agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.exporters import StoreExporter, gauge, gauges

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.exporters import Said, Store


def _member(store: Store) -> Said:
    yield (("member", store.instance.process.config.hostname),), 1.0


CONSUL = (
    gauge("consul_raft_leader", "Does Raft cluster have a leader (according to this node).", 1.0),
    gauge("consul_raft_peers", "How many peers (servers) are in the Raft cluster.", 1.0),
    gauge("consul_serf_lan_members", "How many members are in the cluster.", 1.0),
    gauges("consul_serf_lan_member_status", "Status of member in the cluster. 1=Alive, 2=Leaving, 3=Left, 4=Failed.", _member),
)  # fmt: skip
EXPORTER = StoreExporter(
    ("registry",),
    "consul-exporter",
    ("consul_up", "Was the last query of Consul successful."),
    CONSUL,
)
