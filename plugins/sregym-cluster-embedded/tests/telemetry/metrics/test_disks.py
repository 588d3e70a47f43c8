"""What is written to disks is seen in the metrics of containers, volumes and nodes, when it was."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.kubectl import DirectAccess, run
from sregym_cluster_embedded.machines import Disk

MIB = 1024 * 1024


@pytest.fixture
def store(booth: Any) -> Any:
    """The booth with a pod that has a claim of 64 MiB at /data, a minute old."""
    internal_client.create(
        booth.world,
        "persistentvolumeclaims",
        {
            "metadata": {"name": "data", "namespace": "booth"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "64Mi"}},
            },
        },
    )
    container = {
        "name": "keep",
        "image": "ghcr.io/acme/booth:1.0",
        "command": ["sleep", "100000"],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    claim = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    internal_client.create(
        booth.world,
        "pods",
        {
            "metadata": {"name": "keep", "namespace": "booth", "labels": {"app": "keep"}},
            "spec": {"containers": [container], "volumes": [claim]},
        },
    )
    booth.run(60)
    return booth


def write(booth: Any, path: str, mib: int) -> None:
    words = ["exec", "-n", "booth", "keep", "--", "dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={mib}"]  # fmt: skip
    done = run(DirectAccess(booth.world), words, "")
    assert done.exit_code == 0, done.stderr


def remove(booth: Any, path: str) -> None:
    done = run(DirectAccess(booth.world), ["exec", "-n", "booth", "keep", "--", "rm", path], "")
    assert done.exit_code == 0, done.stderr


def value(booth: Any, query: str, at: float | None = None) -> float:
    (found,) = booth.ask(query, at).values()
    return float(found)


def of_volume(booth: Any, name: str, at: float | None = None) -> float:
    return value(booth, f'kubelet_volume_stats_{name}{{persistentvolumeclaim="data"}}', at)


def test_a_volume_fills_and_is_emptied_when_it_is(store: Any) -> None:
    names = ("capacity_bytes", "used_bytes", "available_bytes", "inodes", "inodes_used", "inodes_free")  # fmt: skip
    before = {name: of_volume(store, name) for name in names}
    assert before == {
        "capacity_bytes": 64 * MIB,
        "used_bytes": 24576,
        "available_bytes": 64 * MIB - 24576,
        "inodes": 4096,
        "inodes_used": 11,
        "inodes_free": 4085,
    }
    written = store.world.now
    write(store, "/data/full", 48)
    store.run(30)
    after = {name: of_volume(store, name) for name in names}
    assert after == {
        "capacity_bytes": 64 * MIB,
        "used_bytes": 48 * MIB + 24576,
        "available_bytes": 16 * MIB - 24576,
        "inodes": 4096,
        "inodes_used": 12,
        "inodes_free": 4084,
    }
    remove(store, "/data/full")
    store.run(30)
    assert {name: of_volume(store, name) for name in names} == before
    # The past is as it was.
    assert of_volume(store, "used_bytes", written + 29) == 48 * MIB + 24576
    assert of_volume(store, "used_bytes", written) == 24576


def test_what_a_container_writes_is_its_own_and_its_nodes(store: Any) -> None:
    (pod,) = [one for one in store.world.store.list("pods", "booth") if one["metadata"]["name"] == "keep"]  # fmt: skip
    node = pod["spec"]["nodeName"]
    free = f'node_filesystem_avail_bytes{{instance="{node}",mountpoint="/"}}'
    before = value(store, free)
    write(store, "/tmp/junk", 10)
    store.run(30)
    usage = 'container_fs_usage_bytes{pod="keep",device="/dev/vda1"}'
    assert value(store, usage) == 10 * MIB
    assert value(store, free) == before - 10 * MIB
    assert value(store, 'container_fs_limit_bytes{pod="keep"}') == value(
        store, f'node_filesystem_size_bytes{{instance="{node}"}}'
    )
    remove(store, "/tmp/junk")
    store.run(30)
    assert value(store, usage) == 0
    assert value(store, 'container_fs_writes_bytes_total{pod="keep"}') == 10 * MIB
    assert value(store, free) == before


def test_each_disk_of_a_node_is_a_file_system(booth: Any) -> None:
    (node, *_) = (one["metadata"]["name"] for one in booth.world.store.list("nodes"))
    machine = machines.machine(booth.world, node)
    assert machine is not None
    more = Disk("fast", 100 * MIB, other_bytes=25 * MIB, read_only=True)
    machines.change(booth.world, node, disks=(*machine.disks, more))
    booth.run(30)
    query = (
        '{{__name__=~"node_filesystem_(size|avail|readonly).*",instance="{}",device="/dev/vdb1"}}'
    )
    assert booth.ask(query.format(node)) == {
        ("node_filesystem_avail_bytes", "/dev/vdb1", "ext4", node, "node-exporter", "/mnt/fast"): 75 * MIB,
        ("node_filesystem_readonly", "/dev/vdb1", "ext4", node, "node-exporter", "/mnt/fast"): 1.0,
        ("node_filesystem_size_bytes", "/dev/vdb1", "ext4", node, "node-exporter", "/mnt/fast"): 100 * MIB,
    }  # fmt: skip
