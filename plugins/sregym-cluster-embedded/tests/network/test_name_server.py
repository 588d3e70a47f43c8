"""CoreDNS as a process of the cluster: its ConfigMap decides whether it starts and what it says."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.subsystem import Network
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.world import World

CONFIG = Key("configmaps", "kube-system", "coredns")
PATH = "/etc/coredns/Corefile"


@pytest.fixture(scope="module")
def booted() -> World:
    return build(Blueprint())


@pytest.fixture
def world(booted: World) -> World:
    return booted.fork()


def pods(world: World) -> list[Object]:
    return [
        pod
        for pod in world.store.list("pods", "kube-system")
        if pod["metadata"]["labels"].get("k8s-app") == "kube-dns"
    ]


def corefile(world: World) -> str:
    config = world.store.get(CONFIG)
    assert config is not None
    return str(config["data"]["Corefile"])


def configure(world: World, text: str) -> None:
    config = world.store.get(CONFIG)
    assert config is not None
    internal_client.update(world, "configmaps", {**config, "data": {"Corefile": text}})


def lines(world: World) -> list[str]:
    """What the name server's last life wrote."""
    (pod,) = pods(world)
    runtime = world.service(RUNTIME)
    lives = sorted(
        ref for ref in world.table("userland.processes") if ref.pod_uid == pod["metadata"]["uid"]
    )
    return [line.text for line in runtime.logs(world, lives[-1])]


def restart(world: World) -> None:
    (pod,) = pods(world)
    internal_client.delete(world, Key("pods", "kube-system", pod["metadata"]["name"]))
    world.run_until(world.now + 30)


def lookup(world: World, name: str = "kubernetes.default.svc.cluster.local") -> tuple[str, ...]:
    (pod,) = pods(world)
    network: Network = world.service(NETWORK)
    client = {**pod, "spec": {**pod["spec"], "dnsPolicy": "ClusterFirst"}}
    found = network.lookup(world, client, name)
    return (found.status, *found.addresses)


def state(world: World) -> tuple[str, int]:
    """Reason why the container waits (or `ready`), and the code with which it last ended."""
    (pod,) = pods(world)
    status = pod["status"]["containerStatuses"][0]
    last = status["lastState"].get("terminated") or status["state"].get("terminated") or {}
    return str(status["ready"]), last.get("exitCode", -1)


def test_it_serves_what_its_corefile_says(world: World) -> None:
    assert lookup(world) == ("ok", "10.96.0.1")
    assert lines(world)[1:] == [
        ".:53",
        lines(world)[2],
        "CoreDNS-1.12.1",
        "linux/amd64, go1.24.1, 707c7c1",
    ]
    assert lines(world)[2].startswith("[INFO] plugin/reload: Running configuration SHA512 = ")


def test_a_changed_corefile_is_loaded_after_sync_and_reload(world: World) -> None:
    denial = "    ready\n    template IN A svc.cluster.local {\n       rcode NXDOMAIN\n    }\n"
    configure(world, corefile(world).replace("    ready\n", denial))
    begun = world.now
    while lookup(world) == ("ok", "10.96.0.1") and world.now < begun + 300:
        world.run_until(world.now + 1)
    assert lookup(world) == ("nxdomain",)
    # The kubelet shows the new file after 45 to 75 s, the server looks every 15 to 45 s.
    assert 45 <= world.now - begun <= 121
    assert [line for line in lines(world)[5:] if "SHA512" not in line] == [
        "[INFO] Reloading",
        "[INFO] plugin/health: Going into lameduck mode for 5s",
        "[INFO] Reloading complete",
    ]


def test_a_broken_corefile_is_not_loaded_and_keeps_it_from_starting(world: World) -> None:
    configure(world, corefile(world).replace("kubernetes cluster", "kubernets cluster"))
    world.run_until(world.now + 130)
    said = f"{PATH}:7 - Error during parsing: Unknown directive 'kubernets'"
    assert lines(world)[5:] == [
        "[INFO] Reloading",
        f"[ERROR] Restart failed: {said}",
        f"[ERROR] plugin/reload: Corefile changed but reload failed: {said}",
    ]
    assert lookup(world) == ("ok", "10.96.0.1")
    restart(world)
    assert lines(world) == [said]
    assert state(world) == ("False", 1)
    assert lookup(world) == ("closed",)


def test_a_corefile_without_its_end_is_noticed_before_reloading(world: World) -> None:
    configure(world, corefile(world).rstrip().rstrip("}"))
    world.run_until(world.now + 130)
    assert lines(world)[5:] == [
        f"[WARNING] plugin/reload: Corefile parse failed: {PATH}:22 - Error during parsing: "
        "Unexpected EOF"
    ]


def test_without_reload_the_old_corefile_stays(world: World) -> None:
    configure(world, corefile(world).replace("    reload\n", ""))
    restart(world)
    configure(world, ".:53 {\n    errors\n    health\n    ready\n}\n")
    world.run_until(world.now + 300)
    assert lookup(world) == ("ok", "10.96.0.1")
    restart(world)
    assert lookup(world) == ("servfail",)


def test_without_ready_it_is_never_ready(world: World) -> None:
    configure(world, corefile(world).replace("    ready\n", ""))
    restart(world)
    assert state(world) == ("False", -1)
    assert lookup(world) == ("closed",)


def test_without_health_it_is_restarted(world: World) -> None:
    text = corefile(world).replace("    health {\n       lameduck 5s\n    }\n", "")
    configure(world, text)
    restart(world)
    world.run_until(world.now + 120)
    (pod,) = pods(world)
    assert pod["status"]["containerStatuses"][0]["restartCount"] >= 1


def test_another_port_is_not_the_one_of_the_service(world: World) -> None:
    configure(world, corefile(world).replace(".:53", ".:5353"))
    restart(world)
    assert lookup(world) == ("closed",)
    assert lines(world)[1] == ".:5353"


@pytest.mark.parametrize("server", ["127.0.0.1", "10.96.0.10", "10.96.0.10:53"])
def test_a_loop_ends_it(world: World, server: str) -> None:
    configure(world, corefile(world).replace("/etc/resolv.conf", server))
    restart(world)
    assert lines(world)[-1] == (
        '[FATAL] plugin/loop: Loop (127.0.0.1:43213 -> :53) detected for zone ".", see '
        "https://coredns.io/plugins/loop#troubleshooting. "
        'Query: "HINFO 4547991504243258144.3688648895315093531."'
    )
    assert state(world)[1] == 1


def test_another_server_is_no_loop(world: World) -> None:
    other = {
        "metadata": {"name": "other-dns", "namespace": "kube-system"},
        "spec": {"clusterIP": "10.96.0.11", "selector": {"app": "x"}, "ports": [{"port": 53}]},
    }
    internal_client.create(world, "services", other)
    configure(world, corefile(world).replace("/etc/resolv.conf", "10.96.0.11 192.0.2.1"))
    restart(world)
    assert state(world) == ("True", -1)
    assert lookup(world, "shop.example") == ("servfail",)


def test_forks_load_their_own(world: World) -> None:
    twin = world.fork()
    configure(twin, ".:53 {\n    errors\n    health\n    ready\n    reload\n}\n")
    twin.run_until(twin.now + 130)
    assert (lookup(twin), lookup(world)) == (("servfail",), ("ok", "10.96.0.1"))
