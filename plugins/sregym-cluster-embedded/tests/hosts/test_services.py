"""systemctl and journalctl: services of a node, and what they mean for the cluster."""

from __future__ import annotations

from sregym_cluster_embedded.kubelet import unresponsive
from sregym_cluster_embedded.kubelet.runtime import ExecResult
from sregym_cluster_embedded.network import proxies
from sregym_cluster_embedded.node.kubelets import (
    freeze_kubelet,
    set_container_runtime,
    stop_kubelet,
)
from sregym_cluster_embedded.world import World


def ready(kubectl, node: str) -> str:
    path = "{.status.conditions[?(@.type=='Ready')].status}"
    return str(kubectl(f'get node {node} -o jsonpath="{path}"').stdout)


def test_a_kubelet_that_was_stopped_is_started_again(world: World, on_host, kubectl) -> None:
    stop_kubelet(world, "node1")
    world.run_until(world.now + 120)
    assert ready(kubectl, "node1") == "Unknown"
    assert on_host("systemctl is-active kubelet") == ExecResult(3, "inactive\n")
    assert on_host("journalctl -u kubelet -o cat -n 1").stdout == (
        "Stopped kubelet.service - kubelet: The Kubernetes Node Agent.\n"
    )
    assert on_host("systemctl start kubelet && systemctl is-active kubelet") == ExecResult(
        0, "active\n"
    )
    world.run_until(world.now + 30)
    assert ready(kubectl, "node1") == "True"


def test_a_frozen_kubelet_is_continued_by_a_signal_or_a_restart(world: World, on_host) -> None:
    for repair in ("kill -CONT $(pidof kubelet)", "systemctl restart kubelet"):
        freeze_kubelet(world, "node1", frozen=True)
        assert on_host("ps -C kubelet -o stat=").stdout == "Ts\n"
        assert on_host("systemctl is-active kubelet").stdout == "active\n"
        assert on_host(repair).exit_code == 0
        assert unresponsive.absent(world, "node1") == ""
    assert on_host("ps -C kubelet -o stat=").stdout == "Ss\n"


def test_services_that_are_killed_come_back_as_their_files_say(world: World, on_host) -> None:
    on_host("kill -9 $(pidof kubelet)")
    assert unresponsive.absent(world, "node1") == unresponsive.STOPPED
    assert on_host("systemctl is-active kubelet").stdout == "activating\n"
    world.run_until(world.now + 11)
    assert on_host("systemctl show kubelet -p ActiveState,NRestarts").stdout == (
        "NRestarts=1\nActiveState=active\n"
    )
    assert unresponsive.absent(world, "node1") == ""


def test_the_container_runtime_is_stopped_and_started(world: World, on_host, kubectl) -> None:
    set_container_runtime(world, "node1", running=False)
    assert on_host("systemctl is-active containerd").stdout == "inactive\n"
    world.run_until(world.now + 60)
    assert ready(kubectl, "node1") == "False"
    on_host("systemctl start containerd")
    world.run_until(world.now + 30)
    assert ready(kubectl, "node1") == "True"


def test_a_kubelet_that_starts_without_its_runtime_finds_none(world: World, on_host) -> None:
    on_host("systemctl stop kubelet; systemctl stop containerd; systemctl start kubelet")
    assert unresponsive.absent(world, "node1") == unresponsive.NO_RUNTIME
    on_host("systemctl start containerd")
    assert unresponsive.absent(world, "node1") == ""


def test_kube_proxy_is_a_service_of_the_node(world: World, on_host) -> None:
    proxies.stop(world, "node2")
    assert on_host("systemctl is-active kube-proxy", "node2").stdout == "inactive\n"
    on_host("systemctl restart kube-proxy", "node2")
    assert proxies.works(world, "node2")


def test_a_kubelet_with_a_broken_configuration_does_not_start(world: World, on_host) -> None:
    on_host("cp /var/lib/kubelet/config.yaml /root/; echo 'x: [' >> /var/lib/kubelet/config.yaml")
    on_host("systemctl restart kubelet")
    world.run_until(world.now + 25)
    assert on_host("systemctl show kubelet -p ActiveState,SubState,NRestarts").stdout == (
        "NRestarts=2\nActiveState=activating\nSubState=auto-restart\n"
    )
    said = on_host("journalctl -u kubelet -o cat -p err -n 1").stdout
    assert said.startswith('"command failed" err="failed to load kubelet config file, path: /var')
    on_host("mv /root/config.yaml /var/lib/kubelet/config.yaml")
    world.run_until(world.now + 15)
    assert on_host("systemctl is-active kubelet").stdout == "active\n"


def test_enabling_and_masking(on_host) -> None:
    assert on_host("systemctl is-enabled kubelet dbus") == ExecResult(0, "enabled\nstatic\n")
    assert on_host("systemctl disable kubelet; systemctl is-enabled kubelet") == ExecResult(
        1,
        "disabled\n",
        'Removed "/etc/systemd/system/multi-user.target.wants/kubelet.service".\n',
    )
    assert (
        on_host("systemctl enable --now kubelet; systemctl is-active kubelet").stdout == "active\n"
    )
    on_host("systemctl stop cron; systemctl mask cron")
    assert on_host("systemctl start cron") == ExecResult(
        1, stderr="Failed to start cron.service: Unit cron.service is masked.\n"
    )


def test_unknown_units_and_verbs(on_host) -> None:
    assert on_host("systemctl status nothing") == ExecResult(
        4, stderr="Unit nothing.service could not be found.\n"
    )
    assert on_host("systemctl start nothing") == ExecResult(
        5, stderr="Failed to start nothing.service: Unit nothing.service not found.\n"
    )
    assert on_host("systemctl begin kubelet") == ExecResult(
        1, stderr="Unknown command verb begin.\n"
    )
    assert on_host("systemctl start") == ExecResult(1, stderr="Too few arguments.\n")


def test_a_node_is_rebooted_with_the_services_that_are_enabled(
    world: World, on_host, kubectl
) -> None:
    on_host("systemctl disable kube-proxy; systemctl stop kubelet; reboot")
    world.run_until(world.now + 120)
    assert on_host("systemctl is-active kubelet kube-proxy").stdout == "active\ninactive\n"
    assert on_host("uptime -p").stdout == "up 1 minute\n"
    assert ready(kubectl, "node1") == "True"
