"""What etcd servers of applications tell of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.exporters import (
    INSTANCES,
    INSTANCES_IN_ORDER,
    Exporter,
    Family,
    Row,
    Scraped,
    Store,
    container_targets,
    end_of,
)

from sregym_server_etcd.program import EtcdProgram

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_cluster_embedded.sdk.exporters import ContainerInstance, Target, View

_QUOTA_BYTES = 2.0 * (1 << 30)
_FAMILIES = (
    Family("etcd_server_has_leader", "gauge", "Whether or not a leader exists. 1 is existence, 0 is not."),
    Family("etcd_server_is_leader", "gauge", "Whether or not this member is a leader. 1 if is, 0 otherwise."),
    Family("etcd_server_leader_changes_seen_total", "counter", "The number of leader changes seen."),
    Family("etcd_server_proposals_committed_total", "gauge", "The total number of consensus proposals committed."),
    Family("etcd_server_proposals_applied_total", "gauge", "The total number of consensus proposals applied."),
    Family("etcd_server_proposals_pending", "gauge", "The current number of pending proposals to commit."),
    Family("etcd_server_proposals_failed_total", "counter", "The total number of failed proposals seen."),
    Family("etcd_server_quota_backend_bytes", "gauge", "Current backend storage quota size in bytes."),
    Family("etcd_server_version", "gauge", "Which version is running. 1 for 'server_version' label with current version."),
)  # fmt: skip
_PROPOSALS = (
    "etcd_server_proposals_committed_total",
    "etcd_server_proposals_applied_total",
)
_CONSTANT: Mapping[str, float] = {
    "etcd_server_has_leader": 1.0,
    "etcd_server_is_leader": 1.0,
    "etcd_server_leader_changes_seen_total": 1.0,
    "etcd_server_proposals_pending": 0.0,
    "etcd_server_proposals_failed_total": 0.0,
    "etcd_server_quota_backend_bytes": _QUOTA_BYTES,
}


class EtcdServers(Exporter):
    """One target for each server."""

    title = "Servers: etcd"
    about = (
        "The server itself; the job is the name of the workload, with `namespace`, `pod`, "
        "`container`, `service` and `node`."
    )
    families: Sequence[Family] = _FAMILIES
    reads = ("pods", INSTANCES, INSTANCES_IN_ORDER)
    found_by = ("pods", INSTANCES)

    def alike(self, _sample: str) -> bool:
        """All of them."""
        return True

    def targets(self, view: View) -> Sequence[Target]:
        """The servers."""
        return container_targets(view, self, _is_server, _port)

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """What one tells, instance by instance: of itself, and what was written to it."""
        scraped = target.subject
        assert isinstance(scraped, Scraped)
        for instance in scraped.instances:
            served, until = instance.process.served_at, end_of(instance)
            program = instance.process.behaviour
            if served is None or not isinstance(program, EtcdProgram):
                continue
            if sample == "etcd_server_version":
                yield Row((("server_version", program.version),), 1.0, served, until)
            elif sample in _CONSTANT:
                yield Row((), _CONSTANT[sample], served, until)
            elif sample in _PROPOSALS:
                store = Store(view.instances_in_order, view.world.epoch, instance)
                yield Row((), store.total(names=("put", "set", "delete")), served, until)


def _is_server(instance: ContainerInstance) -> bool:
    return isinstance(instance.process.behaviour, EtcdProgram)


def _port(instance: ContainerInstance) -> int:
    return next((port for port, _ in instance.process.ports), 2379)


EXPORTER = EtcdServers()
