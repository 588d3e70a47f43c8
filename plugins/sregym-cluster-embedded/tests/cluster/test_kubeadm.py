"""Clusters as kubeadm makes them: a node for the control plane, its pods, and those of every node."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_cluster_embedded.cluster.variety import control_plane, machines
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec, Command, node_access
from sregym_core.model import ObjectRef
from sregym_kubernetes.node_settings import Daemon

ROLE = "node-role.kubernetes.io/control-plane"
SPEC = ClusterSpec(seed=7)


@pytest.fixture(scope="module")
def booted() -> Iterator[Checkpoint]:
    made = Embedded().provision(SPEC)
    found = made.checkpoint()
    assert found is not None
    yield found
    made.close()


@pytest.fixture
def cluster(booted: Checkpoint) -> Iterator[Cluster]:
    forked = booted.fork(SPEC)
    yield forked
    forked.close()


def kubectl(cluster: Cluster, *words: str, stdin: str = "") -> str:
    answer = cluster.kubectl(Command(("kubectl", *words), stdin))
    return answer.stdout + answer.stderr


def lead(cluster: Cluster) -> str:
    """The node of the control plane."""
    (found,) = (node.name for node in node_access(cluster).nodes() if node.role != "worker")
    return found


def test_the_control_plane_has_a_node_of_its_own(cluster: Cluster) -> None:
    roles = [node.role for node in node_access(cluster).nodes()]
    assert sorted(roles) == ["control-plane", "worker", "worker", "worker"]
    (node,) = (
        obj for obj in cluster.list("v1", "Node") if obj["metadata"]["name"] == lead(cluster)
    )
    assert node["metadata"]["labels"][ROLE] == ""
    assert node["spec"]["taints"] == [{"key": ROLE, "effect": "NoSchedule"}]
    # The API server is where every node looks for it.
    (subset,) = cluster.list("v1", "Endpoints", "default")[0]["subsets"]
    addresses = {entry["type"]: entry["address"] for entry in node["status"]["addresses"]}
    assert subset["addresses"] == [{"ip": addresses["InternalIP"]}]


def test_its_pods_and_those_of_every_node_are_ready_and_log(cluster: Cluster) -> None:
    cluster.clock.advance(30.0)
    name, pods = lead(cluster), cluster.list("v1", "Pod", "kube-system")
    static = sorted(
        pod["metadata"]["name"]
        for pod in pods
        if pod["metadata"].get("labels", {}).get("tier") == "control-plane"
    )
    parts = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
    assert static == [f"{part}-{name}" for part in parts]
    daemons = [
        (
            obj["metadata"]["name"],
            obj["status"]["desiredNumberScheduled"],
            obj["status"]["numberReady"],
        )
        for obj in cluster.list("apps/v1", "DaemonSet", "kube-system")
    ]
    assert daemons == [("kube-proxy", 4, 4), ("kube-router", 4, 4)]
    for pod in pods:
        statuses = pod["status"]["containerStatuses"]
        assert [(one["ready"], one["restartCount"]) for one in statuses] == [(True, 0)]
        assert kubectl(cluster, "logs", "-n", "kube-system", pod["metadata"]["name"]).strip()
    assert {entry["type"] for entry in cluster.list("v1", "Event", "kube-system")} == {"Normal"}


def test_other_pods_stay_away_from_it(cluster: Cluster) -> None:
    image = "--image=busybox:1.36"
    kubectl(cluster, "create", "deployment", "box", image, "--replicas=8", "--", "sleep", "600")
    cluster.clock.advance(30.0)
    places = {pod["spec"]["nodeName"] for pod in cluster.list("v1", "Pod", "default")}
    assert places == {node.name for node in node_access(cluster).nodes()} - {lead(cluster)}
    kubectl(cluster, "run", "big", image, "--overrides", '{"spec": {"containers": [{"name": "big", "image": "busybox", "resources": {"requests": {"cpu": "90"}}}]}}')  # fmt: skip
    cluster.clock.advance(5.0)
    told = kubectl(cluster, "get", "events", "--field-selector", "reason=FailedScheduling")
    assert (
        "0/4 nodes are available: 1 node(s) had untolerated taint(s), 3 Insufficient cpu." in told
    )


def test_a_deleted_part_comes_back_and_the_api_is_reached_all_the_while(cluster: Cluster) -> None:
    name = f"kube-apiserver-{lead(cluster)}"
    place = ("-n", "kube-system")
    kubectl(cluster, "delete", "pod", name, *place, "--wait=false")
    cluster.clock.advance(60.0)
    assert kubectl(cluster, "get", "pod", name, *place, "--no-headers").split()[1:3] == [
        "1/1",
        "Running",
    ]
    curl = ("-ksS", "-o", "/dev/null", "-w", "%{http_code}", "https://kubernetes/api/v1/pods")
    kubectl(cluster, "run", "curl", "--image=curlimages/curl", "--restart=Never", "--", *curl)
    cluster.clock.advance(20.0)
    assert kubectl(cluster, "logs", "curl") == "403\n"


def test_the_pods_of_kube_proxy_go_by_their_config_map(cluster: Cluster) -> None:
    ref = ObjectRef(api_version="v1", kind="ConfigMap", namespace="kube-system", name="kube-proxy")
    held = cluster.get(ref)
    assert held is not None
    worker = next(node.name for node in node_access(cluster).nodes() if node.role == "worker")
    states = []
    for mode in ("ipvs", "iptable", "iptables"):
        text = held["data"]["config.conf"].replace("mode: iptables", f"mode: {mode}")
        cluster.patch(ref, {"data": {"config.conf": text}}, "merge")
        kubectl(cluster, "delete", "pods", "-n", "kube-system", "-l", "k8s-app=kube-proxy")
        cluster.clock.advance(40.0)
        said = kubectl(cluster, "logs", "-n", "kube-system", "-l", "k8s-app=kube-proxy")
        state = node_access(cluster).read(Daemon(node=worker, daemon="kube-proxy")).state
        rules = node_access(cluster).run(worker, ("iptables-save", "-t", "nat"), "").stdout
        states.append((f"Using {mode} proxy" in said, state, "KUBE-CLUSTER-IP" in rules))
    # One that does not start leaves what was written before.
    assert states == [(True, "running", True), (False, "stopped", True), (True, "running", False)]


def test_kube_router_peers_as_annotations_of_nodes_say(cluster: Cluster) -> None:
    access = node_access(cluster)
    workers = [node.name for node in access.nodes() if node.role == "worker"]
    found = []
    for node, note in [(name, "rr.client=42") for name in workers] + [
        (lead(cluster), "rr.server=42")
    ]:
        kubectl(cluster, "annotate", "node", node, f"kube-router.io/{note}")
        if node in (workers[-1], lead(cluster)):
            kubectl(cluster, "delete", "pods", "-n", "kube-system", "-l", "k8s-app=kube-router")
            cluster.clock.advance(40.0)
            routes = access.run(workers[0], ("ip", "route"), "").stdout
            said = kubectl(cluster, "logs", "-n", "kube-system", "-l", "k8s-app=kube-router")
            found.append((routes.count(" via 10."), said.count("from the node annotation")))
    # The way out, and then one to each of the other three nodes.
    assert found == [(1, 3), (4, 4)]


def test_the_network_plugin_gives_out_what_its_file_says(cluster: Cluster) -> None:
    access = node_access(cluster)
    worker = next(node.name for node in access.nodes() if node.role == "worker")
    file = "/etc/cni/net.d/10-cluster.conflist"
    text = access.run(worker, ("cat", file), "").stdout
    subnet = text.partition('"subnet": "')[2].partition('"')[0]
    first, end = subnet.replace(".0/24", ".1"), f'"subnet": "{subnet}"'
    access.run(worker, ("tee", file), text.replace(end, f'{end}, "rangeEnd": "{first}"'))
    kubectl(cluster, "run", "late", "--image=busybox:1.36", f'--overrides={{"spec":{{"nodeName":"{worker}"}}}}', "--", "sleep", "99")  # fmt: skip
    cluster.clock.advance(20.0)
    said = {
        one["message"].partition("range 0: ")[2]
        for one in cluster.list("v1", "Event", "default")
        if one["reason"] == "FailedCreatePodSandBox"
    }
    assert said == {f"no IP addresses available in range set: {first}-{first}"}
    access.run(worker, ("tee", file), text)
    cluster.clock.advance(60.0)
    assert "Running" in kubectl(cluster, "get", "pod", "late")


def test_nodes_are_drained_as_with_any_daemon_set(cluster: Cluster) -> None:
    worker = next(node.name for node in node_access(cluster).nodes() if node.role == "worker")
    told = kubectl(cluster, "drain", worker, "--delete-emptydir-data")
    assert "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)" in told
    told = kubectl(cluster, "drain", worker, "--ignore-daemonsets", "--delete-emptydir-data")
    assert told.splitlines()[1] == f"node/{worker} drained"


def test_the_disk_of_its_node_has_the_manifests_and_no_node_a_unit_of_kube_proxy(
    cluster: Cluster,
) -> None:
    access = node_access(cluster)
    for node in access.nodes():
        listed = access.run(node.name, ("ls", "/etc/kubernetes/manifests")).stdout.split()
        parts = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
        assert listed == ([f"{part}.yaml" for part in parts] if node.name == lead(cluster) else [])
        units = access.run(node.name, ("systemctl", "list-units", "--no-legend")).stdout
        assert ("kubelet.service" in units, "kube-proxy" in units) == (True, False)
    moved = ("mv", "/etc/kubernetes/manifests/kube-scheduler.yaml", "/root/")
    assert access.run(lead(cluster), moved).exit_code == 0
    cluster.clock.advance(60.0)
    names = [pod["metadata"]["name"] for pod in cluster.list("v1", "Pod", "kube-system")]
    assert f"kube-scheduler-{lead(cluster)}" not in names


def test_it_can_be_left_out() -> None:
    made = Embedded().provision(ClusterSpec(seed=7, options={"control-plane": "false"}))
    names = [pod["metadata"]["labels"]["k8s-app"] for pod in made.list("v1", "Pod")]
    assert (sorted(names), len(made.list("v1", "Node"))) == (["kube-dns", "metrics-server"], 3)
    made.close()


@pytest.mark.parametrize("seed", range(12))
def test_the_node_is_named_and_addressed_like_no_other(seed: int) -> None:
    workers = machines(seed)
    spec = control_plane(seed, workers)
    assert spec.name not in [other.name for other in workers]
    assert spec.address not in [other.address for other in workers]
    nets = {one.address.rsplit(".", 2)[0] for one in (spec, *workers)}
    assert len(nets) == 1
