"""The tool `kubectl`, its binary and an agent's own kubectl get the same answers, by one policy."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sregym_agents.guard.background import BackgroundGuard
from sregym_agents.guard.upstream import read_upstream
from sregym_agents.outside import write_kubeconfig
from sregym_core.conductor import ComponentFactory
from sregym_core.interfaces import Command
from sregym_core.model import ObjectRef
from sregym_core.policy import Policy
from sregym_core.policy.role import ON_CALL
from sregym_kubernetes.operations.role import grant

NAMESPACE = "hotel-reservation"
HIDDEN = [
    ObjectRef(api_version="v1", kind="Namespace", name="tools"),
    ObjectRef(api_version="apps/v1", kind="Deployment", namespace=NAMESPACE, name="puppet"),
]


def deployment(name: str, namespace: str) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": name, "image": "busybox:1.36", "command": ["sleep", "infinity"]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }


class Ways:
    """One cluster and one policy; kubectl in process and through the guard."""

    def __init__(self, cluster: Any, policy: Policy, kubeconfig: Path, pod: str) -> None:
        self.cluster, self.policy, self.kubeconfig, self.pod = cluster, policy, kubeconfig, pod

    def tool(self, line: str, stdin: str = "") -> tuple[int, str, str]:
        argv = ("kubectl", *shlex.split(line))
        done = self.cluster.kubectl_for(Command(argv, stdin), self.policy)
        return done.exit_code, done.stdout, done.stderr

    def own(self, line: str, stdin: str = "") -> tuple[int, str, str]:
        words = ["kubectl", f"--kubeconfig={self.kubeconfig}", f"--cache-dir={self.kubeconfig}.d"]
        done = subprocess.run(
            [*words, *shlex.split(line)], input=stdin, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def ways(
    factory: ComponentFactory, serve: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ways]:
    folder = tmp_path_factory.mktemp("policy")
    with serve(factory, folder, 0.0001) as world:
        cluster = world.cluster
        application = factory.application(NAMESPACE)
        application.deploy(cluster)
        grant(cluster, application.namespaces)
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "tools"}}
        for obj in (namespace, deployment("meddler", "tools"), deployment("puppet", NAMESPACE)):
            cluster.create(obj)
        cluster.clock.advance(180.0)
        [pod] = cluster.list("v1", "Pod", NAMESPACE, "app=puppet")
        policy = Policy(lambda: HIDDEN, ON_CALL)
        with BackgroundGuard(read_upstream(world.access.kubeconfig), policy) as guard:
            kubeconfig = folder / "agent"
            write_kubeconfig(kubeconfig, guard.url, "default")
            ways = Ways(cluster, policy, kubeconfig, pod["metadata"]["name"])
            # A refused impersonation meets discovery first if kubectl has not cached it, whose
            # errors client-go does not decode; the tool's discovery is always at hand.
            ways.own("api-resources")
            yield ways


_AGE = re.compile(r"\b(\d+[dhm])*\d+[dhms]\b")
PRIVILEGED = """\
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "hotel-reservation"},
 "spec": {"hostPID": true, "containers": [{"name": "c", "image": "busybox:1.36"}]}}
"""


def ageless(answer: tuple[int, str, str]) -> tuple[int, str, str]:
    code, out, err = answer
    return code, _AGE.sub("AGE", out), _AGE.sub("AGE", err)


@pytest.mark.parametrize(
    ("line", "stdin"),
    [
        ("auth whoami", ""),
        ("get pods -A", ""),
        ("get pods,replicasets,deployments -A -o name", ""),
        ("get pods -n tools", ""),
        ("get namespace tools", ""),
        ("get namespaces -o yaml", ""),
        ("get deployment puppet -n hotel-reservation -o json", ""),
        ("get pod PUPPET -n hotel-reservation", ""),
        ("get pod PUPPET -n hotel-reservation -o yaml", ""),
        ("logs PUPPET -n hotel-reservation", ""),
        ("describe pod PUPPET -n hotel-reservation", ""),
        ("delete pod PUPPET -n hotel-reservation", ""),
        ("get events -n hotel-reservation", ""),
        ("get endpointslices -A -o json", ""),
        ("get secrets -n kube-system", ""),
        ("get secrets -n hotel-reservation", ""),
        ("get configmaps -n tools --as=kubernetes-admin", ""),
        ("get pods --as=system:serviceaccount:kube-system:default", ""),
        ("delete deployment coredns -n kube-system", ""),
        ("get --raw /api/v1/nodes/node1/proxy/pods", ""),
        ("get --raw /metrics", ""),
        # It cannot be watched, and answers with a list.
        ("get --raw /apis/metrics.k8s.io/v1beta1/pods?watch=true", ""),
        ("create clusterrolebinding x --clusterrole=cluster-admin --user=on-call", ""),
        ("create -f -", PRIVILEGED),
        ("explain pod.spec.hostPID", ""),
        ("get pods -A -w -o name --request-timeout=2s", ""),
        ("get deployments -A -w --request-timeout=2s", ""),
        ("api-resources -o name", ""),
    ],
)
def test_the_same_answers(ways: Ways, line: str, stdin: str) -> None:
    line = line.replace("PUPPET", ways.pod)
    tool, own = ways.tool(line, stdin), ways.own(line, stdin)
    if " -w" in line:
        # While one looked on, the other's objects grew older.
        assert ageless(tool) == ageless(own)
    else:
        assert tool == own
    said = tool[1] + tool[2]
    for name in ("meddler", "puppet"):
        assert name not in said.replace(ways.pod, "") or f'"{name}" not found' in said


def test_the_words_are_those_of_the_api_server(ways: Ways) -> None:
    assert ways.tool(f"get pod {ways.pod} -n {NAMESPACE}") == (
        1,
        "",
        f'Error from server (NotFound): pods "{ways.pod}" not found\n',
    )
    assert ways.tool("get pods --as=nobody") == (
        1,
        "",
        'Error from server (Forbidden): users "nobody" is forbidden: User "on-call" cannot '
        'impersonate resource "users" in API group "" at the cluster scope\n',
    )
    assert ways.tool("create -f -", PRIVILEGED) == (
        1,
        "",
        'Error from server (Forbidden): error when creating "STDIN": containers that reach into '
        "their node (hostPID) are not part of this access\n",
    )


def test_the_harness_sees_everything(ways: Ways) -> None:
    done = ways.cluster.kubectl(Command(("kubectl", "get", "deployments", "-n", "tools", "-o", "name")))  # fmt: skip
    assert done.stdout == "deployment.apps/meddler\n"
