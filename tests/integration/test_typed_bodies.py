"""What the real kubectl writes in protobuf is read by the guard: what may pass, passes; what reaches into a node, does not."""

from __future__ import annotations

import http.client
import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from sregym_agents.guard.background import BackgroundGuard
from sregym_agents.guard.upstream import read_upstream
from sregym_agents.outside import write_kubeconfig
from sregym_core.conductor import ComponentFactory
from sregym_core.policy import Policy

TYPED = "Content-Type: application/vnd.kubernetes.protobuf"
IMAGE = "--image=busybox:1.36"
APPLIED = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: applied}
spec:
  selector: {matchLabels: {app: applied}}
  template:
    metadata: {labels: {app: applied}}
    spec: {containers: [{name: c, image: "busybox:1.36", command: [sleep, infinity]}]}
"""
NIGHTLY = """---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: c, image: "busybox:1.36"}]
          volumes: [{name: node, hostPath: {path: /var/log}}]
"""
PLAIN = """
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec: {containers: [{name: c, image: "busybox:1.36", command: [sleep, infinity]}]}
"""


class Done(NamedTuple):
    """What a command gave back.

    Attributes:
        typed: Whether it wrote in protobuf, which the simulated cluster never answers in.
    """

    code: int
    out: str
    err: str
    typed: bool


class Transport:
    """kubectl by one kubeconfig."""

    def __init__(self, config: Path) -> None:
        self._config = config

    def run(self, line: str, stdin: str = "") -> Done:
        words = ("kubectl", f"--kubeconfig={self._config}", f"--cache-dir={self._config}.d", "-v=8")
        done = subprocess.run(
            [*words, *shlex.split(line)], input=stdin, capture_output=True, text=True, check=False
        )
        said = "".join(re.findall(r"^(?:Error|error|Warning).*\n", done.stderr, re.MULTILINE))
        return Done(done.returncode, done.stdout, said, TYPED in done.stderr)


@dataclass(frozen=True)
class Ways:
    """One cluster: as the harness has it, and through guards of two policies."""

    cluster: Any
    direct: Transport
    inside: Transport
    to_nodes: Transport
    address: str

    def made(self, kind: str, namespace: str, name: str) -> Any:
        """What an object says, without what is drawn for each: addresses, names of volumes, uids."""
        version, _, kind = kind.rpartition("/")
        [found] = [
            one
            for one in self.cluster.list(version, kind, namespace)
            if one["metadata"]["name"] == name
        ]
        text = json.dumps({part: found.get(part) for part in ("spec", "data", "rules", "type")})
        drawn = r"10\.96\.\d+\.\d+|kube-api-access-\w+|[0-9a-f]{8}-[0-9a-f-]{27}"
        return json.loads(re.sub(drawn, "DRAWN", text))


@pytest.fixture(scope="module")
def ways(
    factory: ComponentFactory, serve: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ways]:
    folder = tmp_path_factory.mktemp("typed")
    with serve(factory, folder, 0.0001) as world:
        upstream = read_upstream(world.access.kubeconfig)
        strict, loose = Policy(), Policy(debugged_from=("default",))
        with BackgroundGuard(upstream, strict) as one, BackgroundGuard(upstream, loose) as other:
            for name, guard in (("inside", one), ("nodes", other)):
                write_kubeconfig(folder / name, guard.url, "default")
            direct = Transport(world.access.kubeconfig)
            made = Ways(
                world.cluster,
                direct,
                Transport(folder / "inside"),
                Transport(folder / "nodes"),
                one.url,
            )
            for namespace in ("direct", "guarded"):
                assert direct.run(f"create namespace {namespace}").code == 0
            # Until accounts are there; between commands time stands still.
            world.cluster.clock.advance(10.0)
            for namespace in ("direct", "guarded", "default"):
                assert direct.run(f"create -n {namespace} -f -", PLAIN + NIGHTLY).code == 0
            yield made


@pytest.mark.parametrize(
    ("line", "kind", "name", "typed"),
    [
        (f"create deployment web {IMAGE} --replicas=0", "apps/v1/Deployment", "web", True),
        ("create service clusterip web --tcp=80:8080", "v1/Service", "web", True),
        ("create configmap words --from-literal=a=b", "v1/ConfigMap", "words", True),
        ("create secret generic key --from-literal=a=b", "v1/Secret", "key", True),
        (f"create job once {IMAGE} -- date", "batch/v1/Job", "once", True),
        (f"create cronjob often {IMAGE} '--schedule=*/5 * * * *' -- date", "batch/v1/CronJob", "often", True),
        ("create role reader --verb=get --resource=pods", "rbac.authorization.k8s.io/v1/Role", "reader", True),
        ("create quota few --hard=pods=20", "v1/ResourceQuota", "few", True),
        ("create ingress web --rule=a.example/=web:80", "networking.k8s.io/v1/Ingress", "web", True),
        ("create pdb web --selector=app=web --min-available=1", "policy/v1/PodDisruptionBudget", "web", True),
        (f"debug plain --copy-to=copy -c tool {IMAGE} -- sleep infinity", "v1/Pod", "copy", True),
        (f"run own {IMAGE} -- sleep infinity", "v1/Pod", "own", False),
        ("apply -f -", "apps/v1/Deployment", "applied", False),
        ("scale deployment/applied --replicas=2", "apps/v1/Deployment", "applied", False),
        ("set image deployment/applied c=busybox:1.37", "apps/v1/Deployment", "applied", False),
        ("autoscale deployment applied --min=1 --max=3", "autoscaling/v2/HorizontalPodAutoscaler", "applied", False),
    ],
)  # fmt: skip
def test_what_is_inside_the_cluster_passes_as_it_was_written(
    ways: Ways, line: str, kind: str, name: str, typed: bool
) -> None:
    """What the server makes of it is what it makes of it without a guard."""
    command, _, rest = line.partition(" ")
    answers, specs = [], []
    for way, namespace in ((ways.direct, "direct"), (ways.inside, "guarded")):
        done = way.run(f"{command} -n {namespace} {rest}", APPLIED)
        assert (done.code, done.err) == (0, "")
        answers.append((done.out, done.typed))
        specs.append(ways.made(kind, namespace, name))
    assert answers[1] == answers[0]
    assert answers[0][1] or not typed
    assert specs[1] == specs[0]


def told(field: str) -> str:
    return f"containers that reach into their node ({field}) are not part of this access"


API, JOB = "Error from server (Forbidden): ", "error: failed to create job: "
HINT = ", except in pods of their own that are created in namespace default: kubectl debug node/NAME -n default --image=busybox\n"


@pytest.mark.parametrize(
    ("line", "begin", "field"),
    [
        (
            f"debug plain --copy-to=c1 -c tool {IMAGE} --profile=sysadmin -- sleep infinity",
            API,
            "privileged",
        ),
        (f"debug node/NODE {IMAGE} --profile=general -- sleep infinity", API, "hostNetwork"),
        ("create job grab --from=cronjob/nightly", JOB, "hostPath"),
    ],
)
def test_what_reaches_into_a_node_is_refused_in_protobuf_too(
    ways: Ways, line: str, begin: str, field: str
) -> None:
    before = ways.cluster.list("v1", "Pod", "default")
    [node, *_] = ways.cluster.list("v1", "Node")
    refused = ways.inside.run(line.replace("NODE", node["metadata"]["name"]))
    assert (refused.code, refused.err, refused.typed) == (1, f"{begin}{told(field)}\n", True)
    assert ways.cluster.list("v1", "Pod", "default") == before


def test_where_nodes_may_be_entered_pods_of_their_own_may(ways: Ways) -> None:
    line = f"debug plain --copy-to=c2 -c tool {IMAGE} --profile=sysadmin -- sleep infinity"
    assert ways.to_nodes.run(line).code == 0
    [copy] = [pod for pod in ways.cluster.list("v1", "Pod", "default") if pod["metadata"]["name"] == "c2"]  # fmt: skip
    assert [one.get("securityContext") for one in copy["spec"]["containers"]] == [None, {"privileged": True}]  # fmt: skip
    refused = ways.to_nodes.run("create job grab --from=cronjob/nightly")
    assert (refused.code, refused.err) == (1, f"{JOB}{told('hostPath')}{HINT}")


def test_a_form_that_is_told_twice_is_none(ways: Ways) -> None:
    """A server takes one of the two, by which it might read what the policy did not."""
    address, path = urlsplit(ways.address), "/api/v1/namespaces/default/pods"
    connection = http.client.HTTPConnection(address.netloc, timeout=30)
    connection.putrequest("POST", address.path + path)
    for form in ("application/yaml", "application/json"):
        connection.putheader("Content-Type", form)
    body = b"spec: {hostPID: true}\n---\n"
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    said = answer.read()
    connection.close()
    assert (answer.status, said) == (400, b"400 Bad Request")
