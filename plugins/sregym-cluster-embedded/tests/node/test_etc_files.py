"""What a pod's own wishes do to its /etc/hosts and /etc/resolv.conf."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubelet.runtime import ContainerConfig, ContainerRef
from sregym_cluster_embedded.userland.etc import etc_files

ALIASES = [{"ip": "10.1.2.3", "hostnames": ["db.local", "db"]}]
HOSTS_HEAD = (
    "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n"
    "::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\n"
    "fe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n"
)


def files_of(**fields: Any) -> dict[str, str]:
    world = build(Blueprint())
    spec = {"containers": [{"name": "c", "image": "registry.example/shop/web:1.0"}], **fields}
    pod = internal_client.create(
        world, "pods", {"metadata": {"name": "p", "namespace": "default"}, "spec": spec}
    )
    config = ContainerConfig(
        ref=ContainerRef("default", "p", pod["metadata"]["uid"], "c", 0),
        image="registry.example/shop/web:1.0",
        command=None,
        args=None,
        env={},
        working_dir=None,
        mounts={},
        memory_limit_bytes=None,
        cpu_limit_cores=None,
        node="node1",
        pod_ip="10.244.0.9",
        hostname=fields.get("hostname", "p"),
        spec=pod["spec"]["containers"][0],
    )
    return etc_files(world, config)


def test_a_plain_pod_is_known_by_its_name() -> None:
    assert files_of()["/etc/hosts"] == f"{HOSTS_HEAD}10.244.0.9\tp\n"


def test_a_subdomain_and_aliases_are_in_the_hosts() -> None:
    files = files_of(hostname="named", subdomain="sub", hostAliases=ALIASES)
    assert files["/etc/hosts"] == (
        f"{HOSTS_HEAD}10.244.0.9\tnamed.sub.default.svc.cluster.local\tnamed\n"
        "\n# Entries added by HostAliases.\n10.1.2.3\tdb.local\tdb\n"
    )


def test_an_option_of_the_pod_replaces_the_usual_one() -> None:
    files = files_of(dnsConfig={"options": [{"name": "ndots", "value": "1"}]})
    assert files["/etc/resolv.conf"] == (
        "search default.svc.cluster.local svc.cluster.local cluster.local\n"
        "nameserver 10.96.0.10\noptions ndots:1\n"
    )
