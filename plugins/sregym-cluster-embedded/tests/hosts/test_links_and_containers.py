"""tc, iptables, ip, ssh and crictl on nodes: links, rules, containers, images."""

from __future__ import annotations

from sregym_cluster_embedded.kubelet.runtime import ExecResult
from sregym_cluster_embedded.network import links, proxies
from sregym_cluster_embedded.network.links import Link
from sregym_cluster_embedded.node.kubelets import stop_kubelet
from sregym_cluster_embedded.node.power import power_off
from sregym_cluster_embedded.world import World


def test_a_slow_uplink_is_seen_and_mended(world: World, on_host) -> None:
    links.set_link(world, "node:node1", "*", Link(latency_ms=100, jitter_ms=10, loss=0.05))
    shown = "qdisc netem 8001: dev eth0 root refcnt 2 limit 1000 delay 100ms 10ms loss 5%\n"
    assert on_host("tc qdisc show dev eth0") == ExecResult(0, shown)
    assert "netem" not in on_host("tc qdisc show", "node2").stdout
    assert on_host("tc qdisc del dev eth0 root") == ExecResult(0)
    assert links.links(world) == {}
    assert on_host("tc qdisc del dev eth0 root") == ExecResult(
        2, stderr="Error: Cannot delete qdisc with handle of zero.\n"
    )


def test_a_link_to_one_node_is_a_band_of_its_own(world: World, on_host) -> None:
    links.set_link(world, "node:node1", "node:node2", Link(bandwidth_mbit=10))
    assert on_host("tc qdisc show dev eth0 | cut -c1-60; tc filter show dev eth0").stdout == (
        "qdisc prio 1: dev eth0 root refcnt 2 bands 4 priomap 1 2 2 2\n"
        "qdisc netem 40: dev eth0 parent 1:4 limit 1000 rate 10Mbit\n"
        "filter parent 1: protocol ip pref 1 u32 chain 0 fh 800::804 order 204 flowid 1:4\n"
        "  match dst 10.77.0.3/32\n"
    )
    on_host("tc qdisc del dev eth0 parent 1:4")
    assert links.links(world) == {}


def test_a_disturbed_pod_is_seen_at_its_interface(world: World, on_host) -> None:
    pod = next(iter(world.store.list("pods", "kube-system")))
    node, uid = pod["spec"]["nodeName"], pod["metadata"]["uid"]
    links.set_link(world, "*", f"pod:{uid}", Link(latency_ms=30))
    device = f"veth{uid.replace('-', '')[:8]}"
    line = "tc qdisc show | grep netem"
    assert on_host(line, node).stdout == (
        f"qdisc netem 8001: dev {device} root refcnt 2 limit 1000 delay 30ms\n"
    )
    on_host(f"tc qdisc replace dev {device} root netem delay 5ms", node)
    assert links.links(world) == {("*", f"pod:{uid}"): Link(latency_ms=5)}
    on_host(f"tc qdisc del dev {device} root", node)
    assert links.links(world) == {}


def test_a_cut_between_nodes_stands_in_the_filter_of_both(world: World, on_host) -> None:
    links.cut(world, "node:node1", "node:node2")
    for node, peer in (("node1", "10.77.0.3"), ("node2", "10.77.0.2")):
        rule = f"INPUT -s {peer}/32 -d {'10.77.0.2' if node == 'node1' else '10.77.0.3'}/32 -j DROP"
        assert on_host("iptables -S INPUT | sed -n 2p", node).stdout == f"-A {rule}\n"
        assert on_host(f"ping -c 1 -W 1 {peer} | grep loss", node).stdout == (
            "1 packets transmitted, 0 received, 100% packet loss, time 0ms\n"
        )
        assert on_host(f"iptables -D {rule}", node) == ExecResult(0)
    assert links.links(world) == {}
    assert on_host("iptables -D INPUT -s 10.77.0.3 -j DROP") == ExecResult(
        1, stderr="iptables: Bad rule (does a matching rule exist in that chain?).\n"
    )


def test_who_may_not_change_the_network_is_refused(world: World, kubectl) -> None:
    links.set_link(world, "node:node1", "*", Link(latency_ms=100))
    run = "debug node/node1 -q -i --image=busybox -- chroot /host"
    assert kubectl(f"{run} tc qdisc del dev eth0 root").stdout == (
        "RTNETLINK answers: Operation not permitted\n"
    )
    assert kubectl(f"{run} iptables -L").stdout == (
        "iptables v1.8.9 (nf_tables): Could not fetch rule set generation id: Permission denied "
        "(you must be root)\n"
    )
    assert links.links(world) != {}


def test_rules_of_services_are_those_that_kube_proxy_has_written(
    world: World, on_host, kubectl
) -> None:
    proxies.stop(world, "node1")
    kubectl("create service clusterip late --tcp=80")
    address = kubectl("get svc late -o jsonpath={.spec.clusterIP}").stdout
    line = f"iptables-save | grep -c '{address}'"
    assert on_host(line).stdout == "0\n"
    assert on_host("iptables-save -t filter | grep late", "node2").stdout == (
        f"-A KUBE-SERVICES -d {address}/32 -p tcp -m comment --comment "
        '"default/late:80 has no endpoints" -m tcp --dport 80 -j REJECT --reject-with '
        "icmp-port-unreachable\n"
    )
    on_host("systemctl start kube-proxy")
    assert on_host(line).stdout == "1\n"


def test_a_node_whose_kubelet_does_not_run_is_reached_from_another(world: World, on_host) -> None:
    stop_kubelet(world, "node2")
    assert on_host("ssh -o BatchMode=yes root@node2 systemctl start kubelet") == ExecResult(0)
    assert on_host("ssh 10.77.0.3 'hostname; systemctl is-active kubelet'").stdout == (
        "node2\nactive\n"
    )
    assert on_host("ssh node9 true") == ExecResult(
        255, stderr="ssh: Could not resolve hostname node9: Name or service not known\n"
    )
    power_off(world, "node3")
    assert on_host("ssh node3 true") == ExecResult(
        255, stderr="ssh: connect to host node3 port 22: No route to host\n"
    )
    on_host("systemctl stop ssh", "node2")
    assert on_host("ssh node2 true").stderr == (
        "ssh: connect to host node2 port 22: Connection refused\n"
    )


def test_containers_are_listed_read_and_stopped(world: World, on_host, kubectl) -> None:
    said = "-- sh -c 'echo hello; sleep 1d'"
    kubectl(
        f'run talker --image=busybox --overrides=\'{{"spec":{{"nodeName":"node2"}}}}\' --command {said}'
    )
    world.run_until(world.now + 10)
    find = "crictl ps --name talker"
    assert (
        on_host(f"{find} | awk '{{print $7, $8, $10}}'", "node2")
        .stdout.splitlines()[1]
        .endswith("talker")
    )
    assert on_host(f"crictl logs $({find} -q)", "node2").stdout == "hello\n"
    assert on_host(f"crictl exec $({find} -q) hostname", "node2").stdout == "talker\n"
    pid = on_host("pgrep -f 'sleep 1d' | head -1", "node2").stdout.strip()
    assert on_host(f"cat /proc/{pid}/cgroup | grep -c kubepods", "node2").stdout == "1\n"
    on_host(f"crictl stop $({find} -q)", "node2")
    world.run_until(world.now + 30)
    assert (
        kubectl("get pod talker -o jsonpath={.status.containerStatuses[0].restartCount}").stdout
        == "1"
    )


def test_images_that_nobody_uses_are_removed(world: World, on_host) -> None:
    assert (
        on_host("crictl pull nginx:1.25 >/dev/null; crictl images | grep -c nginx").stdout == "1\n"
    )
    assert (
        on_host("crictl rmi --prune | grep nginx").stdout
        == "Deleted: docker.io/library/nginx:1.25\n"
    )
    assert on_host("crictl images | grep -c nginx").stdout == "0\n"
    assert on_host("systemctl stop containerd; crictl ps").exit_code == 1
