"""Volumes behind claims: what a node says of those that it cannot use."""

from __future__ import annotations

from typing import Any

import pytest

WORKER = "registry.example/shop/worker:1.0"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/var/tmp", ""),
        ("/mnt/disks/one", 'path "/mnt/disks/one" does not exist'),
        ("/etc/hosts", "only directory and block device are supported"),
    ],
)
def test_a_local_volume_is_a_folder_that_is_there(town: Any, path: str, why: str) -> None:
    town.apply(
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv}\n"
        "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: '', "
        f"local: {{path: {path}}}, nodeAffinity: {{required: {{nodeSelectorTerms: "
        "[{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node1]}]}]}}}\n"
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
        "spec: {storageClassName: '', accessModes: [ReadWriteOnce], volumeName: pv, "
        "resources: {requests: {storage: 1Gi}}}\n"
    )
    town.run(2.0)
    town.pod(
        "{volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], "
        f"containers: [{{name: c, image: '{WORKER}'}}]}}",
        run_s=0.3,
    )
    text = f'MountVolume.NewMounter initialization failed for volume "pv" : {why}'
    assert town.events("FailedMount") == ([("FailedMount", text, 1)] if why else [])


@pytest.mark.parametrize("there", [False, True])
def test_a_claim_that_cannot_be_used_holds_up_a_pod_that_nobody_scheduled(
    town: Any, there: bool
) -> None:
    why = 'failed to fetch PVC from API server: persistentvolumeclaims "data" not found'
    if there:
        town.apply(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
            "spec: {storageClassName: '', accessModes: [ReadWriteOnce], "
            "resources: {requests: {storage: 1Gi}}}\n"
        )
        why = "PVC is not bound"
    town.pod(
        "{nodeName: node1, volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], "
        f"containers: [{{name: c, image: '{WORKER}'}}]}}",
        run_s=30.0,
    )
    text = (
        "Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed "
        f"to process volumes=[v]: error processing PVC default/data: {why}"
    )
    assert town.events("FailedMount") == [("FailedMount", text, 3)]


def test_a_claim_that_is_mounted_read_only_takes_no_writes(town: Any) -> None:
    town.apply(
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv}\n"
        "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: '', "
        "hostPath: {path: /srv/data}}\n"
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
        "spec: {storageClassName: '', accessModes: [ReadWriteOnce], volumeName: pv, "
        "resources: {requests: {storage: 1Gi}}}\n"
    )
    town.run(2.0)
    town.pod(
        "{volumes: [{name: v, persistentVolumeClaim: {claimName: data, readOnly: true}}], "
        f"containers: [{{name: c, image: '{WORKER}', command: [sh, -c, 'touch /v/x'], "
        "volumeMounts: [{name: v, mountPath: /v}], terminationMessagePolicy: FallbackToLogsOnError"
        "}], restartPolicy: Never}",
        run_s=3.0,
    )
    ended = town.state()["terminated"]
    assert (ended["exitCode"], ended["message"]) == (1, "touch: /v/x: Read-only file system\n")
