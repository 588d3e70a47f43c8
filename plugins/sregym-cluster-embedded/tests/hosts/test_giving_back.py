"""What an agent leaves on nodes is told apart from how they were, and undone; nothing there opens other doors."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.kubelet import unresponsive
from sregym_cluster_embedded.kubelet.runtime import ExecResult
from sregym_cluster_embedded.network import links
from sregym_cluster_embedded.userland.host.baseline import digests, nodes_now, restore
from sregym_cluster_embedded.userland.host.files import host_files
from sregym_cluster_embedded.world import World

CHANGES = (
    "echo x > /root/notes",
    "rm /etc/fstab",
    "echo 'x: [' >> /var/lib/kubelet/config.yaml",
    "systemctl stop kubelet",
    "systemctl disable --now kube-proxy",
    "systemctl stop containerd",
    "systemctl mask --now cron",
    "mv /etc/cni/net.d/10-cluster.conflist /root/",
    "sysctl -w vm.max_map_count=1000",
    "systemctl stop chrony; date -s '+1 day'",
    "mount -o remount,ro /",
    "tc qdisc add dev eth0 root netem delay 1s",
    "fallocate -l 200G /big",
    "kill -STOP $(pidof kubelet)",
    "iptables -A INPUT -s 10.77.0.4 -j DROP",
)


@pytest.mark.parametrize("line", CHANGES)
def test_a_change_is_undone(world: World, on_host, line: str) -> None:
    before, told = nodes_now(world), digests(world)
    assert told == {}
    assert on_host(line).exit_code == 0
    world.run_until(world.now + 5)
    restore(world, before)
    world.run_until(world.now + 30)
    assert digests(world) == {}
    after = nodes_now(world)
    assert (after.files["node1"], after.links) == ({}, {})
    assert after.machines["node1"]._replace(number=0) == before.machines["node1"]._replace(number=0)
    assert unresponsive.absent(world, "node1") == ""
    assert on_host("systemctl is-active kubelet kube-proxy containerd cron chrony") == ExecResult(
        0, "active\n" * 5
    )
    assert on_host("ls /etc/fstab /etc/cni/net.d").exit_code == 0


def test_what_differs_is_named(world: World, on_host) -> None:
    on_host("echo x > /root/notes; systemctl disable --now cron")
    assert sorted(digests(world)) == ["cron.service of node node1", "files of node node1"]


def test_links_that_stood_before_stay(world: World, on_host) -> None:
    links.cut(world, "node:node2", "node:node3")
    before = nodes_now(world)
    on_host("iptables -F", "node2")
    on_host("tc qdisc add dev eth0 root netem delay 1s")
    restore(world, before)
    assert links.links(world) == before.links


@pytest.mark.parametrize(
    "more",
    [
        "serviceAccountName: coredns",
        "volumes: [{name: v, secret: {secretName: keys}}]",
        "volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: token}}]}}]",
    ],
)
def test_a_static_pod_cannot_take_rights(world: World, on_host, kubectl, more: str) -> None:
    manifest = (
        "{apiVersion: v1, kind: Pod, metadata: {name: taker, namespace: kube-system}, "
        f"spec: {{containers: [{{name: c, image: busybox, command: [sleep, 1d]}}], {more}}}}}"
    )
    on_host("cat > /etc/kubernetes/manifests/taker.yaml", stdin=manifest)
    world.run_until(world.now + 30)
    assert "taker" not in kubectl("get pods -A").stdout


def test_a_static_pod_that_asks_for_nothing_runs_without_a_token(
    world: World, on_host, kubectl
) -> None:
    manifest = (
        "{apiVersion: v1, kind: Pod, metadata: {name: plain, namespace: kube-system}, "
        "spec: {containers: [{name: c, image: busybox, command: [sleep, 1d]}]}}"
    )
    on_host("cat > /etc/kubernetes/manifests/plain.yaml", stdin=manifest)
    world.run_until(world.now + 30)
    shown = kubectl("get pod plain-node1 -n kube-system -o yaml").stdout
    assert "phase: Running" in shown
    assert "token" not in shown
    on_host("rm /etc/kubernetes/manifests/plain.yaml")
    world.run_until(world.now + 60)
    assert "plain" not in kubectl("get pods -n kube-system").stdout


def test_secrets_of_pods_are_not_read_on_their_node(world: World, on_host) -> None:
    pod = next(iter(world.store.list("pods", "kube-system")))
    node = pod["spec"]["nodeName"]
    found = on_host("find /var/lib/kubelet/pods -name token", node).stdout.splitlines()
    assert len(found) == 2  # the file, and the link to it
    assert on_host(f"cat {found[0]}", node) == ExecResult(
        1, stderr=f"cat: {found[0]}: Permission denied\n"
    )
    for line in ("cp -L {} /tmp/t", "tar -chf /tmp/t {}", "base64 {}", "grep . {}", "head {}"):
        assert "eyJ" not in on_host(line.format(found[0]), node).stdout
    assert on_host("cat /tmp/t 2>/dev/null | tr -d '\\000' | grep -c eyJ", node).stdout == "0\n"


def test_folders_above_what_is_written_are_told_by_whoever_looks_on(world: World) -> None:
    files = host_files(world, "node1")
    before = files.stat("/opt")
    files.write("/opt/notes", "x")
    after = files.stat("/opt")
    assert after != before
    assert after == host_files(world, "node1").stat("/opt")
    files.remove("/opt/notes")
    assert files.stat("/opt") == host_files(world, "node1").stat("/opt")
