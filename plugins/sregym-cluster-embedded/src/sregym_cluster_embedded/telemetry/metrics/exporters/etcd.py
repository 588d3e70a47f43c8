"""etcd, which keeps the objects of the API: its revision, its keys, how long it takes to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.store import ChangeType
from sregym_cluster_embedded.telemetry.metrics.exporters.control_plane import address_of, renewals
from sregym_cluster_embedded.telemetry.metrics.exporters.durations import spread_rows
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    Exporter,
    Family,
    Row,
    Target,
)
from sregym_cluster_embedded.telemetry.metrics.view import WRITES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.metrics.view import View

_VERSION = "3.6.5"
# What an object takes on average, its older revisions included.
_OBJECT_BYTES, _FREE = 3072.0, 1.4
# What a renewed lease adds, how often the API server has old revisions dropped, a page of the file.
_LEASE_BYTES, _COMPACTED_S, _PAGE_BYTES = 480.0, 300.0, 4096.0
_QUOTA_BYTES = 2.0 * (1 << 30)
_FSYNC_S, _COMMIT_S = 0.0012, 0.0035
_FSYNC = tuple(0.001 * 2**power for power in range(14))
_WAL, _BACKEND = (
    "etcd_disk_wal_fsync_duration_seconds",
    "etcd_disk_backend_commit_duration_seconds",
)
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
    Family("etcd_debugging_mvcc_keys_total", "gauge", "Total number of keys."),
    Family("etcd_mvcc_db_total_size_in_bytes", "gauge", "Total size of the underlying database physically allocated in bytes."),
    Family("etcd_mvcc_db_total_size_in_use_in_bytes", "gauge", "Total size of the underlying database logically in use in bytes."),
    Family(_WAL, "histogram", "The latency distributions of fsync called by WAL."),
    Family(_BACKEND, "histogram", "The latency distributions of commit called by backend."),
)  # fmt: skip


class Etcd(Exporter):
    """The one member of the control plane."""

    families: Sequence[Family] = _FAMILIES
    reads = (WRITES, "endpoints")
    found_by = ("endpoints",)

    def alike(self, _sample: str) -> bool:
        """All of them."""
        return True

    def targets(self, view: View) -> Sequence[Target]:
        """The instance beside the API server."""
        instance = f"{address_of(view)}:2381"
        labels = (
            ("job", "etcd"),
            ("instance", instance),
            ("namespace", "kube-system"),
            ("service", "etcd"),
            ("endpoint", "http-metrics"),
        )
        return [Target("etcd", f"http://{instance}/metrics", labels)]

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """Its series."""
        if sample.startswith((_WAL, _BACKEND)):
            took = _FSYNC_S if sample.startswith(_WAL) else _COMMIT_S
            yield from spread_rows(sample, (), _writes(view), took, _FSYNC)
        elif sample == "etcd_server_version":
            yield Row((("server_version", _VERSION),), 1.0)
        elif sample in _CONSTANT:
            yield Row((), _CONSTANT[sample])
        elif sample.startswith("etcd_server_proposals"):
            yield Row((), _writes(view))
        else:
            yield Row((), _size(view, sample))


_CONSTANT: Mapping[str, float] = {
    "etcd_server_has_leader": 1.0,
    "etcd_server_is_leader": 1.0,
    "etcd_server_leader_changes_seen_total": 1.0,
    "etcd_server_proposals_pending": 0.0,
    "etcd_server_proposals_failed_total": 0.0,
    "etcd_server_quota_backend_bytes": _QUOTA_BYTES,
}
_KEYS, _USED = "etcd_debugging_mvcc_keys_total", "etcd_mvcc_db_total_size_in_use_in_bytes"


def _size(view: View, sample: str) -> Callable[[Floats], Floats]:
    """Keys, or bytes: older revisions pile up until the API server has them dropped."""
    keys, renewed = _keys(view), renewals(view)

    def of(seconds: Floats) -> Floats:
        if sample == _KEYS:
            return keys(seconds)
        compacted = seconds - seconds % _COMPACTED_S
        old = (
            renewed(seconds) - renewed(compacted)
            if sample == _USED
            else renewed(np.full(len(seconds), _COMPACTED_S)) * _FREE
        )
        size = keys(seconds) * _OBJECT_BYTES * (1.0 if sample == _USED else _FREE)
        found: Floats = np.ceil((size + old * _LEASE_BYTES) / _PAGE_BYTES) * _PAGE_BYTES
        return found

    return of


def _writes(view: View) -> Callable[[Floats], Floats]:
    """How many changes there were, those included that the history does not reach back to.

    Renewed leases are no changes of the store; they are written all the same.
    """
    history = view.world.store.history
    moments = np.array([change.at for change in history], dtype=np.float64)
    before = float(view.world.store.revision - len(history))
    renewed = renewals(view)

    def of(seconds: Floats) -> Floats:
        found: Floats = np.searchsorted(moments, seconds, side="right").astype(np.float64)
        return found + before + renewed(seconds)

    return of


def _keys(view: View) -> Callable[[Floats], Floats]:
    """How many objects there were."""
    signs = {ChangeType.ADDED: 1, ChangeType.DELETED: -1}
    store = view.world.store
    made = [(one.at, signs[one.type]) for one in store.history if one.type in signs]
    now = sum(len(store.list(name)) for name in store.resources())
    moments = np.array([at for at, _ in made], dtype=np.float64)
    grown = np.zeros(len(made) + 1)
    grown[1:] = np.cumsum([sign for _, sign in made])
    grown += now - float(grown[-1])

    def of(seconds: Floats) -> Floats:
        found: Floats = grown[np.searchsorted(moments, seconds, side="right")]
        return found

    return of
