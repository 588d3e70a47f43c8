"""What kube-state-metrics says of webhooks, attachments, certificates and replication controllers."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client


def told(booth: Any, query: str) -> dict[tuple[str, ...], float]:
    """The values of a query, by the values of labels other than job and instance."""
    return dict(booth.ask(f"max without (job, instance) ({query})"))


def test_services_behind_webhooks(booth: Any) -> None:
    webhook = {
        "name": "check.booth.test",
        "clientConfig": {"service": {"name": "web", "namespace": "booth", "port": 443}},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "failurePolicy": "Ignore",
        "rules": [
            {
                "apiGroups": ["example.test"],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["things"],
            }
        ],
    }
    for kind in ("mutating", "validating"):
        resource = f"{kind}webhookconfigurations.admissionregistration.k8s.io"
        internal_client.create(
            booth.world, resource, {"metadata": {"name": f"{kind}-one"}, "webhooks": [webhook]}
        )
    booth.run(30)
    for kind in ("mutating", "validating"):
        stem = f"kube_{kind}webhookconfiguration"
        assert told(booth, f"{stem}_info") == {(f"{kind}-one",): 1.0}
        assert told(booth, f"{stem}_webhook_clientconfig_service") == {
            _sorted(
                {
                    f"{kind}webhookconfiguration": f"{kind}-one",
                    "service_name": "web",
                    "service_namespace": "booth",
                    "webhook_name": "check.booth.test",
                }
            ): 1.0
        }


def _sorted(labels: dict[str, str]) -> tuple[str, ...]:
    return tuple(labels[name] for name in sorted(labels))


def test_attachments_and_certificate_requests(booth: Any) -> None:
    store = booth.world.store
    stamp = booth.world.timestamp()
    # No pod wants the volume: whoever detaches volumes is not told of it.
    listener, store.listener = store.listener, None
    store.put(
        "volumeattachments.storage.k8s.io",
        {
            "metadata": {"name": "csi-1", "creationTimestamp": stamp},
            "spec": {
                "attacher": "disk.csi",
                "nodeName": "n1",
                "source": {"persistentVolumeName": "pv1"},
            },
            "status": {"attached": True},
        },
    )
    store.put(
        "certificatesigningrequests.certificates.k8s.io",
        {
            "metadata": {"name": "csr-1", "creationTimestamp": stamp},
            "spec": {"signerName": "kubernetes.io/kubelet-serving"},
            "status": {"conditions": [{"type": "Approved", "status": "True"}]},
        },
    )
    store.listener = listener
    booth.run(30)
    assert told(booth, "kube_volumeattachment_info") == {("disk.csi", "n1", "csi-1"): 1.0}
    assert told(booth, "kube_volumeattachment_status_attached") == {("csi-1",): 1.0}
    assert told(booth, "kube_volumeattachment_spec_source_persistentvolume") == {
        ("csi-1", "pv1"): 1.0
    }
    signer = "kubernetes.io/kubelet-serving"
    mine = '{certificatesigningrequest="csr-1"}'
    assert told(booth, f"kube_certificatesigningrequest_condition{mine}") == {
        ("csr-1", "approved", signer): 1.0,
        ("csr-1", "denied", signer): 0.0,
    }
    assert told(booth, f"kube_certificatesigningrequest_cert_length{mine}") == {
        ("csr-1", signer): 0.0
    }


def test_replication_controllers(booth: Any) -> None:
    labels = {"app": "old"}
    container = {"name": "old", "image": "ghcr.io/acme/booth:1.0", "command": ["sleep", "1000"]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 2, "selector": labels, "template": template}
    metadata = {"name": "old", "namespace": "booth"}
    internal_client.create(
        booth.world, "replicationcontrollers", {"metadata": metadata, "spec": spec}
    )
    booth.run(60)
    assert told(booth, "kube_replicationcontroller_spec_replicas") == {("booth", "old"): 2.0}
    stored = booth.world.store.list("replicationcontrollers", "booth")[0]
    ready = float(stored.get("status", {}).get("readyReplicas", 0))
    assert told(booth, "kube_replicationcontroller_status_ready_replicas") == {
        ("booth", "old"): ready
    }
