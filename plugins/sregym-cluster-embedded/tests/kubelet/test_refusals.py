"""What keeps a pod from starting: storage, users, sysctls, nodes it does not fit on."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.keys import LOGS
from sregym_cluster_embedded.store import Key

WORKER = "registry.example/shop/worker:1.0"
HELPER = (
    "bad option; for several filesystems (e.g. nfs, cifs) you might need a "
    "/sbin/mount.<type> helper program.\n"
)


def uid(town: Any) -> str:
    found: str = town.world.store.get(Key("pods", "default", "app"))["metadata"]["uid"]
    return found


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            "hostPath: {path: /data/x, type: Directory}",
            'MountVolume.SetUp failed for volume "v" : hostPath type check failed: /data/x is not '
            "a directory",
        ),
        (
            "hostPath: {path: /etc, type: File}",
            'MountVolume.SetUp failed for volume "v" : hostPath type check failed: /etc is not a '
            "file",
        ),
        (
            "hostPath: {path: /run/docker.sock, type: Socket}",
            'MountVolume.SetUp failed for volume "v" : hostPath type check failed: '
            "/run/docker.sock is not a socket file",
        ),
        (
            "nfs: {server: 10.0.0.9, path: /exports}",
            'MountVolume.SetUp failed for volume "v" : mount failed: exit status 32\n'
            "Mounting command: mount\nMounting arguments: -t nfs 10.0.0.9:/exports {place}\n"
            f"Output: mount: {{place}}: {HELPER}",
        ),
        (
            "csi: {driver: files.example.com}",
            'MountVolume.NewMounter initialization failed for volume "v" : volume mode '
            '"Ephemeral" not supported by driver files.example.com (no CSIDriver object)',
        ),
        (
            "projected: {sources: [{configMap: {name: settings}}, {secret: {name: keys}}]}",
            'MountVolume.SetUp failed for volume "v" : [configmap "settings" not found, '
            'secret "keys" not found]',
        ),
        (
            "configMap: {name: kube-root-ca.crt, items: [{key: ca.pem, path: ca}]}",
            'MountVolume.SetUp failed for volume "v" : configmap references non-existent config '
            "key: ca.pem",
        ),
        (
            "secret: {secretName: keys}",
            'MountVolume.SetUp failed for volume "v" : secret "keys" not found',
        ),
    ],
)
def test_a_volume_that_the_node_cannot_use(town: Any, source: str, why: str) -> None:
    town.pod(
        f"{{volumes: [{{name: v, {source}}}], containers: [{{name: c, image: '{WORKER}', "
        "volumeMounts: [{name: v, mountPath: /v}]}]}",
        run_s=0.3,
    )
    place = f"/var/lib/kubelet/pods/{uid(town)}/volumes/kubernetes.io~nfs/v"
    message = why.replace("{place}", place)
    assert town.events("FailedMount") == [("FailedMount", message, 1)]
    assert town.state() == {"waiting": {"reason": "ContainerCreating"}}


@pytest.mark.parametrize(
    "source",
    [
        "hostPath: {path: /var/log, type: Directory}",
        "hostPath: {path: /data/new, type: DirectoryOrCreate}",
        "hostPath: {path: /data/any}",
        "projected: {sources: [{configMap: {name: settings, optional: true}}]}",
        "emptyDir: {medium: Memory}",
    ],
)
def test_a_volume_that_the_node_can_use(town: Any, source: str) -> None:
    town.pod(
        f"{{volumes: [{{name: v, {source}}}], containers: [{{name: c, image: '{WORKER}', "
        "volumeMounts: [{name: v, mountPath: /v}]}]}",
        run_s=3.0,
    )
    assert (town.status()["phase"], town.events("FailedMount")) == ("Running", [])


@pytest.mark.parametrize(
    ("context", "why"),
    [
        (
            "{runAsNonRoot: true}",
            "container has runAsNonRoot and image will run as root (pod: {pod}, container: c)",
        ),
        (
            "{runAsNonRoot: true, runAsUser: 0}",
            "container's runAsUser breaks non-root policy (pod: {pod}, container: c)",
        ),
    ],
)
def test_a_container_that_may_not_run_as_root(town: Any, context: str, why: str) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WORKER}', securityContext: {context}}}]}}",
        run_s=2.0,
    )
    message = why.replace("{pod}", f'"app_default({uid(town)})"')
    reason = "CreateContainerConfigError"
    assert town.state() == {"waiting": {"reason": reason, "message": message}}
    assert town.events("Failed") == [("Failed", f"Error: {message}", 2)]


@pytest.mark.parametrize(
    ("context", "message"),
    [
        (
            "{appArmorProfile: {type: Localhost, localhostProfile: deny-write}}",
            "failed to get container spec opts: failed to generate apparmor spec opts: apparmor "
            "profile not found deny-write",
        ),
        (
            "{seccompProfile: {type: Localhost, localhostProfile: p/audit.json}}",
            "failed to create containerd container: cannot load seccomp profile "
            '"/var/lib/kubelet/seccomp/p/audit.json": open /var/lib/kubelet/seccomp/p/audit.json: '
            "no such file or directory",
        ),
    ],
)
def test_a_profile_that_the_node_does_not_have(town: Any, context: str, message: str) -> None:
    town.pod(
        f"{{containers: [{{name: c, image: '{WORKER}', securityContext: {context}}}]}}",
        run_s=2.0,
    )
    assert town.state() == {"waiting": {"reason": "CreateContainerError", "message": message}}
    assert town.events("Failed", "Created") == [("Failed", f"Error: {message}", 2)]
    assert town.status()["containerStatuses"][0]["restartCount"] == 0


def test_a_runtime_class_asks_for_a_runtime_of_the_node(town: Any) -> None:
    gvisor = {"metadata": {"name": "gvisor"}, "handler": "runsc"}
    internal_client.create(town.world, "runtimeclasses.node.k8s.io", gvisor)
    town.pod(f"{{runtimeClassName: gvisor, containers: [{{name: c, image: '{WORKER}'}}]}}", run_s=2)
    message = (
        "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox "
        'runtime: no runtime for "runsc" is configured'
    )
    assert town.events("FailedCreatePodSandBox") == [("FailedCreatePodSandBox", message, 1)]


def test_a_container_may_run_as_somebody_else(town: Any) -> None:
    town.pod(
        "{securityContext: {runAsNonRoot: true, runAsUser: 1000}, "
        f"containers: [{{name: c, image: '{WORKER}'}}]}}",
        run_s=3.0,
    )
    assert town.status()["phase"] == "Running"


@pytest.mark.parametrize(
    ("mount", "message"),
    [
        ("subPathExpr: 'logs/$(NOTHING)'", "missing value for NOTHING"),
        ("subPathExpr: '$$(A)/$(Z)/$(NIL)'", "missing value for NIL, Z"),
        ("subPathExpr: '$(UP)/x'", "unable to provision SubPath `../x`: must not contain '..'"),
        ("subPathExpr: '$(ROOT)'", "error SubPath `/etc` must not be an absolute path"),
    ],
)
def test_a_sub_path_that_leads_nowhere(town: Any, mount: str, message: str) -> None:
    town.pod(
        "{volumes: [{name: v, emptyDir: {}}], "
        f"containers: [{{name: c, image: '{WORKER}', env: [{{name: UP, value: ..}}, "
        f"{{name: ROOT, value: /etc}}, {{name: NIL, value: ''}}], volumeMounts: [{{name: v, mountPath: /v, {mount}}}]}}]}}",
        run_s=2.0,
    )
    reason = "CreateContainerConfigError"
    assert town.state() == {"waiting": {"reason": reason, "message": message}}


@pytest.mark.parametrize(
    ("spec", "reason", "message"),
    [
        (
            "securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}",
            "SysctlForbidden",
            'forbidden sysctl: "kernel.msgmax" not allowlisted',
        ),
        (
            "nodeName: node1, nodeSelector: {disk: ssd}",
            "NodeAffinity",
            "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        ),
    ],
)
def test_a_kubelet_rejects_a_pod(town: Any, spec: str, reason: str, message: str) -> None:
    town.pod(f"{{{spec}, containers: [{{name: c, image: '{WORKER}'}}]}}", run_s=2.0)
    status = town.status()
    assert (status["phase"], status["reason"], status["message"]) == (
        "Failed",
        reason,
        f"Pod was rejected: {message}",
    )
    assert "containerStatuses" not in status
    assert town.events(reason) == [(reason, message, 1)]


def test_resources_that_no_node_has_are_not_the_kubelets_business(town: Any) -> None:
    asks = "resources: {limits: {example.com/gpu: '1'}}"
    town.pod(f"{{nodeName: node1, containers: [{{name: c, image: '{WORKER}', {asks}}}]}}", run_s=3)
    assert town.status()["phase"] == "Running"


def test_a_pod_bound_by_hand_must_fit(town: Any) -> None:
    asks = "resources: {requests: {cpu: '100'}}"
    town.pod(f"{{nodeName: node1, containers: [{{name: c, image: '{WORKER}', {asks}}}]}}", run_s=2)
    status = town.status()
    assert (status["phase"], status["reason"]) == ("Failed", "OutOfcpu")
    head = "Pod was rejected: Node didn't have enough resource: cpu, requested: 100000, used: "
    assert status["message"].startswith(head)
    port = "ports: [{containerPort: 80, hostPort: 8080}]"
    for name in ("first", "second"):
        town.pod(
            f"{{nodeName: node1, containers: [{{name: c, image: '{WORKER}', {port}}}]}}", name, 2
        )
    assert town.status("first")["phase"] == "Running"
    text = "node(s) didn't have free ports for the requested pod ports"
    assert town.status("second")["message"] == (
        f"Pod was rejected: Predicate NodePorts failed: {text}"
    )


def test_a_pod_on_a_node_that_is_not_there_stays_as_it_is(town: Any) -> None:
    town.pod(f"{{nodeName: node9, containers: [{{name: c, image: '{WORKER}'}}]}}", run_s=3.0)
    assert town.status() == {"phase": "Pending", "qosClass": "BestEffort"}
    with pytest.raises(ApiError) as raised:
        town.world.service(LOGS)(town.world, "default", "app", "", {})
    assert (raised.value.code, raised.value.message) == (404, 'pods "node9" not found')


def test_the_log_of_a_pod_without_a_node_is_empty(town: Any) -> None:
    town.pod(f"{{schedulerName: mine, containers: [{{name: c, image: '{WORKER}'}}]}}", run_s=1.0)
    assert town.world.service(LOGS)(town.world, "default", "app", "", {}) == ""


MISPLACED = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc "
    "create failed: unable to start container process: error during container init: error mounting "
    '"{source}" to rootfs at "{path}": mount {source}:{path} (via /proc/self/fd/6), flags: {flags}: '
    "not a directory: unknown"
)


@pytest.mark.parametrize(
    ("volume", "mount", "source", "flags"),
    [
        ("configMap: {name: kube-root-ca.crt}", "", "volumes/kubernetes.io~configmap/v", "0x5001"),
        ("emptyDir: {}", "", "volumes/kubernetes.io~empty-dir/v", "0x5000"),
        ("configMap: {name: kube-root-ca.crt}", "subPath: none", "volume-subpaths/v/c/0", "0x5001"),
    ],
)
def test_a_folder_cannot_be_mounted_over_a_file(
    town: Any, volume: str, mount: str, source: str, flags: str
) -> None:
    path = "/www/index.html"
    town.pod(
        f"{{containers: [{{name: c, image: 'registry.example/shop/web:1.0', volumeMounts: "
        f"[{{name: v, mountPath: {path}, {mount}}}]}}], volumes: [{{name: v, {volume}}}]}}",
        run_s=3.0,
    )
    uid = town.world.store.get(Key("pods", "default", "app"))["metadata"]["uid"]
    where = f"/var/lib/kubelet/pods/{uid}/{source}"
    message = MISPLACED.format(source=where, path=path, flags=flags)
    assert town.state() == {"waiting": {"reason": "RunContainerError", "message": message}}


def test_a_file_is_mounted_over_a_file(town: Any) -> None:
    town.pod(
        "{containers: [{name: c, image: 'registry.example/shop/web:1.0', volumeMounts: "
        "[{name: v, mountPath: /www/index.html, subPath: ca.crt}]}], "
        "volumes: [{name: v, configMap: {name: kube-root-ca.crt}}]}",
        run_s=3.0,
    )
    assert list(town.state()) == ["running"]


def test_a_memory_limit_of_some_bytes_keeps_a_pod_from_beginning(town: Any) -> None:
    town.pod(
        "{containers: [{name: c, image: 'registry.example/shop/web:1.0', "
        "resources: {limits: {memory: 128m}}}]}",
        run_s=3.0,
    )
    message = (
        "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create containerd "
        "task: failed to create shim task: OCI runtime create failed: runc create failed: unable to "
        "start container process: container init was OOM-killed (memory limit too low?): unknown"
    )
    assert town.events("FailedCreatePodSandBox") == [("FailedCreatePodSandBox", message, 1)]
    assert town.state() == {"waiting": {"reason": "ContainerCreating"}}


def test_a_resolver_takes_three_servers(town: Any) -> None:
    town.pod(
        "{containers: [{name: c, image: 'registry.example/shop/web:1.0'}], "
        "dnsConfig: {nameservers: [10.0.0.1, 10.0.0.2, 10.0.0.3], searches: [example.com]}}",
        run_s=3.0,
    )
    text = (
        "Nameserver limits were exceeded, some nameservers have been omitted, the applied "
        "nameserver line is: 10.96.0.10 10.0.0.1 10.0.0.2"
    )
    assert town.events("DNSConfigForming") == [("DNSConfigForming", text, 1)]
    assert list(town.state()) == ["running"]


def test_a_refused_pod_that_was_deleted_before_is_gone(town: Any) -> None:
    town.pod(
        "{nodeName: node1, nodeSelector: {disk: fast}, "
        "containers: [{name: c, image: 'registry.example/shop/web:1.0'}]}"
    )
    internal_client.delete(town.world, Key("pods", "default", "app"))
    assert town.world.store.get(Key("pods", "default", "app")) is not None
    town.run(1.0)
    assert town.world.store.get(Key("pods", "default", "app")) is None
    assert [reason for reason, _, _ in town.events("NodeAffinity")] == ["NodeAffinity"]
