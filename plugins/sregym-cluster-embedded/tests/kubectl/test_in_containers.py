"""`kubectl` inside pods: as their account, as their network lets it, by their clock."""

from __future__ import annotations

import json

import pytest
from sregym_cluster_embedded.sdk.testing import ClusterTestbed

_OBJECTS = """
apiVersion: v1
kind: ServiceAccount
metadata: {name: keeper, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: keeper, namespace: default}
rules:
  - {apiGroups: [apps], resources: [deployments], verbs: [get, list, watch, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: keeper, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: keeper}
subjects: [{kind: ServiceAccount, name: keeper, namespace: default}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.k8s.io/pause:3.10"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: shell, namespace: default}
spec:
  serviceAccountName: keeper
  containers: [{name: shell, image: "alpine/k8s:1.31.4", command: [sleep, infinity]}]
---
apiVersion: v1
kind: Pod
metadata: {name: outsider, namespace: default}
spec:
  automountServiceAccountToken: false
  containers: [{name: shell, image: "bitnami/kubectl:1.31", command: [sleep, infinity]}]
"""

_LOOP = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: scaler, namespace: default}
spec:
  selector: {matchLabels: {app: scaler}}
  template:
    metadata: {labels: {app: scaler}}
    spec:
      serviceAccountName: keeper
      containers:
        - name: scaler
          image: bitnami/kubectl:1.31
          command:
            - bash
            - -c
            - |
              while true; do
                want=$(kubectl get deployment web -o jsonpath='{.spec.replicas}')
                if [ "$want" != 2 ]; then
                  kubectl patch deployment web -p '{"spec":{"replicas":2}}'
                fi
                sleep 15
              done
"""

_CRON = """
apiVersion: batch/v1
kind: CronJob
metadata: {name: tuner, namespace: default}
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          serviceAccountName: keeper
          initContainers:
            - {name: wait, image: "alpine/k8s:1.31.4", command: [sh, -c, "until kubectl get deployment web; do sleep 2; done"]}
          containers:
            - {name: tune, image: "bitnami/kubectl:1.31", args: [patch, deployment, web, --type=merge, -p, '{"spec":{"replicas":3}}']}
"""


@pytest.fixture(scope="module")
def prepared() -> ClusterTestbed:
    """A cluster with a workload, and pods with and without an account that may change it."""
    testbed = ClusterTestbed.of()
    testbed.apply(_OBJECTS)
    testbed.run(40.0)
    return testbed


@pytest.fixture
def testbed(prepared: ClusterTestbed) -> ClusterTestbed:
    """A copy of that cluster."""
    return prepared.fork()


def _replicas(testbed: ClusterTestbed) -> int:
    found = testbed.kubectl("get", "deployment", "web", "-o", "json")
    return int(json.loads(found.stdout)["spec"]["replicas"])


def _inside(testbed: ClusterTestbed, pod: str, *words: str) -> tuple[int, str, str]:
    done = testbed.kubectl("exec", pod, "--", *words)
    return done.exit_code, done.stdout, done.stderr


def test_it_is_the_account_of_its_pod(testbed: ClusterTestbed) -> None:
    """It does what the account may do, and is refused the rest in kubectl's words."""
    assert _inside(testbed, "shell", "kubectl", "get", "deploy", "-o", "name") == (
        0, "deployment.apps/web\n", "",
    )  # fmt: skip
    assert _inside(testbed, "shell", "kubectl", "get", "pods") == (
        1,
        "",
        'Error from server (Forbidden): pods is forbidden: User "system:serviceaccount:default:keeper" '
        'cannot list resource "pods" in API group "" in the namespace "default"\n'
        "command terminated with exit code 1\n",
    )
    code, out, _ = _inside(testbed, "shell", "kubectl", "scale", "deploy/web", "--replicas=4")
    assert (code, out, _replicas(testbed)) == (1, "", 1)


def test_without_a_token_it_knows_no_cluster(testbed: ClusterTestbed) -> None:
    """As the binary does it looks for a server on its own machine."""
    code, out, err = _inside(testbed, "outsider", "kubectl", "get", "pods")
    assert (code, out) == (1, "")
    assert err.splitlines()[-2:] == [
        "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
        "command terminated with exit code 1",
    ]


def test_a_network_policy_holds_for_it(testbed: ClusterTestbed) -> None:
    """What may not leave its pod does not reach the API either, and takes its time."""
    testbed.apply(
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: shut, namespace: default}, "
        "spec: {podSelector: {}, policyTypes: [Egress]}}"
    )
    before = testbed.world.now
    address = testbed.world.store.list("services", "default")[0]["spec"]["clusterIP"]
    assert _inside(testbed, "shell", "kubectl", "get", "deploy") == (
        1,
        "",
        f"Unable to connect to the server: dial tcp {address}:443: i/o timeout\n"
        "command terminated with exit code 1\n",
    )
    assert testbed.world.now - before >= 30.0


def test_a_loop_repeats_what_it_is_for(testbed: ClusterTestbed) -> None:
    """A Deployment that runs a script acts for long, with a rest between its looks."""
    testbed.apply(_LOOP)
    testbed.run(40.0)
    assert _replicas(testbed) == 2
    testbed.run(1800.0)
    testbed.kubectl("scale", "deployment", "web", "--replicas=1")
    testbed.run(20.0)
    assert _replicas(testbed) == 2
    said = testbed.kubectl("logs", "deployment/scaler").stdout
    assert said == "deployment.apps/web patched\n" * 2
    pods = json.loads(testbed.kubectl("get", "pods", "-l", "app=scaler", "-o", "json").stdout)
    assert [one["status"]["containerStatuses"][0]["restartCount"] for one in pods["items"]] == [0]


def test_a_job_acts_each_minute(testbed: ClusterTestbed) -> None:
    """Init containers and Jobs of a CronJob do as well."""
    testbed.apply(_CRON)
    testbed.run(90.0)
    assert _replicas(testbed) == 3
    testbed.kubectl("scale", "deployment", "web", "--replicas=1")
    testbed.run(90.0)
    assert _replicas(testbed) == 3
    managers = json.loads(
        testbed.kubectl("get", "deployment", "web", "-o", "json", "--show-managed-fields").stdout
    )["metadata"]["managedFields"]
    assert "kubectl-patch" in {one["manager"] for one in managers}


def test_waiting_takes_time(testbed: ClusterTestbed) -> None:
    """It waits by the cluster's clock for what comes, and gives up after its limit."""
    before = testbed.world.now
    words = ("kubectl", "wait", "deploy/web", "--for=condition=Available", "--timeout=20s")
    assert _inside(testbed, "shell", *words)[:2] == (0, "deployment.apps/web condition met\n")
    assert testbed.world.now - before < 2
    words = ("kubectl", "wait", "deploy/web", "--for=condition=Progressing=False", "--timeout=20s")
    code, _, err = _inside(testbed, "shell", *words)
    assert (code, err.splitlines()[0]) == (
        1, "error: timed out waiting for the condition on deployments/web",
    )  # fmt: skip
    assert testbed.world.now - before >= 20


def test_files_are_the_containers(testbed: ClusterTestbed) -> None:
    """What it reads are files of the container, never of the machine outside."""
    code, _, err = _inside(
        testbed, "shell", "kubectl", "patch", "deploy", "web", "--patch-file", "p"
    )
    assert (code, err.splitlines()[0]) == (
        1, "error: unable to read patch file: open p: no such file or directory",
    )  # fmt: skip
    script = (
        'echo \'{"spec":{"replicas":5}}\' > /tmp/p.yaml; '
        "kubectl patch deploy web --patch-file /tmp/p.yaml"
    )
    assert _inside(testbed, "shell", "sh", "-c", script)[:2] == (0, "deployment.apps/web patched\n")
    assert _replicas(testbed) == 5


def test_another_cluster_is_not_known(testbed: ClusterTestbed) -> None:
    """Nothing leads from a pod to other servers."""
    assert _inside(testbed, "shell", "kubectl", "-s", "http://localhost:1", "get", "pods") == (
        1,
        "",
        "error: no configuration of another cluster has been provided\n"
        "command terminated with exit code 1\n",
    )


def test_what_it_cannot_do_it_says(testbed: ClusterTestbed) -> None:
    """Nothing is passed over in silence: copies, streams, and changes that wait half-way."""
    testbed.apply(
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: all, namespace: default}, "
        "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, "
        "subjects: [{kind: ServiceAccount, name: keeper, namespace: default}]}"
    )
    head = "error: not supported by this build of kubectl: "

    def said(*words: str) -> str:
        code, _, err = _inside(testbed, "shell", "kubectl", *words)
        assert code == 1
        return err.splitlines()[0]

    assert said("cp", "/etc/hostname", "shell:/tmp/x") == f"{head}a file by its place"
    assert said("attach", "shell") == f"{head}attach"
    assert said("logs", "shell", "-f") == f"{head}logs that are followed"
    assert (
        said("get", "--raw", "/api/v1/namespaces/default/pods?watch=1&timeoutSeconds=5")
        == f"{head}a stream"
    )
    _inside(testbed, "shell", "sh", "-c", "kubectl get pod outsider -o json > /tmp/pod.json")
    done = said("replace", "--force", "-f", "/tmp/pod.json")
    assert done == f"{head}a change that waits for something"
    assert _inside(testbed, "shell", "kubectl", "delete", "deploy", "web")[:2] == (
        0, 'deployment.apps "web" deleted from default namespace\n',
    )  # fmt: skip
