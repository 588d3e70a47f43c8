"""The ways to hosts of nodes against fake programs and a fake cluster."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sregym_cluster_kubernetes.nodes.access import HostNodes, access_to
from sregym_cluster_kubernetes.nodes.transports import (
    DockerExec,
    PrivilegedPod,
    Ssh,
    Transport,
    run_here,
)
from sregym_cluster_kubernetes.options import parse
from sregym_core.errors import NodeError, UsageError
from sregym_core.interfaces import CommandResult
from sregym_testing import MemoryCluster, worker_nodes


def test_docker_and_ssh_carry_the_same_words() -> None:
    ran: list[tuple[str, ...]] = []

    def program(argv: Sequence[str], stdin: str) -> CommandResult:
        ran.append((*argv, stdin))
        return CommandResult(0, "ok")

    assert DockerExec("podman", program).run("node", ["cat", "a b"], "x").stdout == "ok"
    Ssh(lambda node: f"{node}.example", "admin", program).run("node", ["cat", "a b"])
    Ssh(str, run=program, config="/lab/ssh").run("node", ["true"])
    assert ran == [
        ("podman", "exec", "-i", "--user", "0", "node", "cat", "a b", "x"),
        (
            *("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-l", "admin"),
            *("node.example", "--", "sudo -n -- cat 'a b'", ""),
        ),
        (
            *(
                "ssh",
                "-F",
                "/lab/ssh",
                "-o",
                "BatchMode=yes",
                "-o",
                "ConnectTimeout=10",
                "-l",
                "root",
            ),
            *("node", "--", "true", ""),
        ),
    ]


@pytest.mark.parametrize(
    ("transport", "message"),
    [
        (
            DockerExec(run=lambda argv, stdin: CommandResult(1, "", "Error: No such container: n")),
            "no container is called 'n'; are the nodes containers of this machine?",
        ),
        (
            DockerExec(
                "podman",
                lambda argv, stdin: CommandResult(
                    125, "", 'Error: no container with name or ID "n" found: no such container\n'
                ),
            ),
            "no container is called 'n'; are the nodes containers of this machine?",
        ),
        (
            DockerExec(
                run=lambda argv, stdin: CommandResult(
                    1, "", "WARNING: no config\nCannot connect to the Docker daemon at unix:///x.\n"
                )
            ),
            "node 'n' cannot be reached by docker: Cannot connect to the Docker daemon at unix:///x.",
        ),
        (
            Ssh(str, run=lambda argv, stdin: CommandResult(255, "", "Connection refused\n")),
            "node 'n' cannot be reached by ssh: Connection refused",
        ),
        (
            DockerExec("no-such-docker"),
            "'no-such-docker' is needed to reach nodes and is not on PATH; install it",
        ),
    ],
)
def test_hosts_that_cannot_be_reached(transport: Transport, message: str) -> None:
    with pytest.raises(NodeError) as caught:
        transport.run("n", ["true"])
    assert str(caught.value) == message


def test_a_program_of_this_machine_runs() -> None:
    assert run_here(["cat"], "text") == CommandResult(0, "text")


class PodCluster(MemoryCluster):
    """A cluster whose pods run, or stay pending."""

    phase = "Running"

    def get(self, ref):
        found = super().get(ref)
        if found is not None and ref.kind == "Pod":
            found["status"] = {"phase": self.phase}
        return found


def test_a_pod_is_there_only_while_its_command_runs() -> None:
    cluster = PodCluster(nodes=worker_nodes(1))
    seen: list[object] = []

    def executor(pod, command, stdin) -> CommandResult:
        context = pod["spec"]["containers"][0]["securityContext"]
        seen.append((pod["spec"]["nodeName"], context, tuple(command), stdin))
        return CommandResult(3, "out", "err")

    cluster.executor = executor
    done = PrivilegedPod(cluster).run("worker-1", ["sysctl", "-n", "a"], "in")
    assert done == CommandResult(3, "out", "err")
    enter = ("nsenter", "-t", "1", "-m", "-u", "-i", "-n", "-p", "--")
    counted = ("sh", "-c", 'head -c "$0" | "$@"', "2")
    words = (*counted, *enter, "sysctl", "-n", "a")
    assert seen == [("worker-1", {"privileged": True}, words, "in")]
    assert cluster.list("v1", "Pod", "kube-system") == []
    cluster.phase = "Pending"
    with pytest.raises(NodeError) as caught:
        PrivilegedPod(cluster).run("worker-1", ["true"])
    assert str(caught.value) == (
        "no pod came up on node 'worker-1' within 120 s; does its kubelet run? Else give another "
        "way to nodes (option nodes=ssh)"
    )
    assert cluster.list("v1", "Pod", "kube-system") == []


def test_the_way_is_an_option() -> None:
    cluster = MemoryCluster(nodes=worker_nodes(1))
    assert access_to(cluster, "none") is None
    ways = [access_to(cluster, way) for way in ("pod", "ssh", "docker", "podman", "local")]
    assert [type(access) for access in ways] == [HostNodes] * 5
    with pytest.raises(UsageError) as caught:
        parse({"nodes": "telnet"})
    assert str(caught.value) == (
        "cluster 'kubeconfig', option 'nodes': one of none, pod, ssh, docker, podman, local, not 'telnet'"
    )
    with pytest.raises(UsageError) as caught:
        parse({"nodes": "ssh", "ssh-config": "/nowhere/config"})
    assert str(caught.value) == (
        "cluster 'kubeconfig', option 'ssh-config': there is no file '/nowhere/config'"
    )
    with pytest.raises(UsageError) as caught:
        parse({"enter-nodes": "perhaps"})
    assert str(caught.value) == (
        "cluster 'kubeconfig', option 'enter-nodes': true or false, not 'perhaps'"
    )
    assert (parse({}).enter_nodes, parse({"enter-nodes": "true"}).enter_nodes) == (False, True)
