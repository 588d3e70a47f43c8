"""Operators of third parties: they act through the API, as their ServiceAccount may."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sregym_apps.simulation import Extension, Installed
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.sdk.controllers import ApiClient, ApiRefusedError, Operator
from sregym_cluster_embedded.sdk.testing import ClusterTestbed
from sregym_core.plugins import Found, PluginStatus

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.acme.example"},
    "spec": {
        "group": "acme.example",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}
WIDGET = {"apiVersion": "acme.example/v1", "kind": "Widget", "metadata": {"name": "one"}}
RULES = [
    {
        "apiGroups": ["acme.example"],
        "resources": ["widgets", "widgets/status"],
        "verbs": ["get", "list", "patch"],
    },
    {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]},
]
WIDGETS = "/apis/acme.example/v1/namespaces/default/widgets"
MAPS = "/api/v1/namespaces/default/configmaps"
ROLES = "/apis/rbac.authorization.k8s.io/v1"


def reconcile(client: ApiClient, widget: Any) -> float | None:
    """A ConfigMap for each widget, and a status that says so."""
    metadata = widget["metadata"]
    owner = {"apiVersion": "acme.example/v1", "kind": "Widget"}
    owner |= {"name": metadata["name"], "uid": metadata["uid"]}
    if client.get(f"{MAPS}/{metadata['name']}") is None:
        client.create(MAPS, {"metadata": {"name": metadata["name"], "ownerReferences": [owner]}})
    client.patch(f"{WIDGETS}/{metadata['name']}/status", {"status": {"made": True}})
    return None


def subsystem() -> Any:
    return Operator(
        name="acme",
        resource="widgets.acme.example",
        version="v1",
        namespace="kube-system",
        account="acme",
        reconcile=reconcile,
        owns=("configmaps",),
    ).subsystem()


def ask(world: Any, method: str, path: str, body: Any = None) -> Any:
    sent = b"" if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    answer = handle(world, Request(method, path, (), headers, sent))
    assert answer.status < 300 or answer.status == 404, answer.body
    return json.loads(answer.body) if answer.status < 300 else None


def allow(world: Any, rules: Any = RULES) -> None:
    role = {"metadata": {"name": "acme"}, "rules": rules}
    binding = {
        "metadata": {"name": "acme"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "acme"},
        "subjects": [{"kind": "ServiceAccount", "namespace": "kube-system", "name": "acme"}],
    }
    ask(world, "POST", f"{ROLES}/clusterroles", role)
    ask(world, "POST", f"{ROLES}/clusterrolebindings", binding)


@pytest.fixture
def world() -> Any:
    owner = PluginStatus("acme", "sregym-acme", "1.0", "ok")
    extension = Extension(name="acme", subsystems=(subsystem,))
    made = build(Blueprint(extensions=Installed([Found(owner, extension)])))
    ask(made, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD)
    made.run_until(made.now + 5)
    return made


def test_it_makes_what_a_custom_resource_asks_for(world: Any) -> None:
    allow(world)
    ask(world, "POST", WIDGETS, WIDGET)
    world.run_until(world.now + 1)
    made = ask(world, "GET", f"{MAPS}/one")
    assert [entry["manager"] for entry in made["metadata"]["managedFields"]] == ["acme"]
    assert ask(world, "GET", f"{WIDGETS}/one")["status"] == {"made": True}


def test_it_mends_what_it_owns(world: Any) -> None:
    allow(world)
    ask(world, "POST", WIDGETS, WIDGET)
    world.run_until(world.now + 1)
    ask(world, "DELETE", f"{MAPS}/one")
    world.run_until(world.now + 1)
    assert ask(world, "GET", f"{MAPS}/one") is not None


def test_without_rights_it_does_nothing_and_tries_again(world: Any) -> None:
    ask(world, "POST", WIDGETS, WIDGET)
    world.run_until(world.now + 10)
    assert ask(world, "GET", f"{MAPS}/one") is None
    allow(world)
    world.run_until(world.now + 30)
    assert ask(world, "GET", f"{MAPS}/one") is not None


def test_a_refusal_is_told_to_who_asked(world: Any) -> None:
    client = ApiClient(world, "kube-system", "acme", "acme")
    with pytest.raises(ApiRefusedError) as caught:
        client.list(MAPS)
    assert (caught.value.code, caught.value.reason, str(caught.value)) == (
        403,
        "Forbidden",
        'configmaps is forbidden: User "system:serviceaccount:kube-system:acme" cannot list '
        'resource "configmaps" in API group "" in the namespace "default"',
    )


MODEL = """
application: acme
images:
  - repository: acme/operator
    tags: ["1", "2"]
    size_mib: 1
    entrypoint: [/manager]
    binaries: {/manager: manager}
programs:
  manager:
    log: {format: logfmt}
    startup: [{log: starting}]
"""
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: acme, namespace: kube-system}
spec:
  replicas: 2
  selector: {matchLabels: {app: acme}}
  template:
    metadata: {labels: {app: acme}}
    spec: {containers: [{name: manager, image: "acme/operator:1"}]}
"""


@pytest.fixture
def elected() -> ClusterTestbed:
    """An operator with a Lease, two pods of it, and its rights."""

    def part() -> Any:
        return Operator(
            name="acme",
            resource="widgets.acme.example",
            version="v1",
            namespace="kube-system",
            account="acme",
            reconcile=reconcile,
            owns=("configmaps",),
            pods={"app": "acme"},
            programs=("manager",),
            lease="acme",
        ).subsystem()

    owner = PluginStatus("acme", "sregym-acme", "1.0", "ok")
    known = Installed([Found(owner, Extension(name="acme", subsystems=(part,)))])
    testbed = ClusterTestbed.of(MODEL, known=known)
    testbed.apply(json.dumps(CRD))
    leases = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]}
    allow(testbed.world, [*RULES, leases])
    testbed.apply(DEPLOYMENT)
    testbed.apply(json.dumps(WIDGET))
    testbed.run(60)
    return testbed


def holder(testbed: ClusterTestbed) -> str:
    words = ("-n", "kube-system", "get", "lease", "acme", "-o", "jsonpath={.spec.holderIdentity}")
    return testbed.kubectl(*words).stdout.partition("_")[0]


def test_its_pods_elect_one_that_acts_and_says_so(elected: ClusterTestbed) -> None:
    logs = {
        pod: elected.kubectl("-n", "kube-system", "logs", pod).stdout.splitlines()
        for pod in names(elected)
    }
    assert [line.partition(" ")[2] for line in logs.pop(holder(elected))] == [
        "level=info msg=starting",
        'level=info msg="attempting to acquire leader lease kube-system/acme..."',
        'level=info msg="successfully acquired lease kube-system/acme"',
    ]
    ((line,),) = logs.values()
    assert line.endswith("msg=starting")
    assert ask(elected.world, "GET", f"{MAPS}/one") is not None


def names(testbed: ClusterTestbed) -> list[str]:
    words = ("-n", "kube-system", "get", "pods", "-l", "app=acme", "-o", "name")
    return [name.partition("/")[2] for name in testbed.kubectl(*words).stdout.split()]


def test_another_pod_takes_over_once_the_lease_has_run_out(elected: ClusterTestbed) -> None:
    first = holder(elected)
    done = elected.kubectl("-n", "kube-system", "delete", "pod", first, "--grace-period=1")
    assert done.ok, done.stderr
    ask(elected.world, "DELETE", f"{MAPS}/one")
    elected.run(5)
    assert ask(elected.world, "GET", f"{MAPS}/one") is None
    elected.run(60)
    assert holder(elected) in set(names(elected)) - {first}
    assert ask(elected.world, "GET", f"{MAPS}/one") is not None


def test_without_the_right_to_its_lease_it_does_nothing(elected: ClusterTestbed) -> None:
    leader = holder(elected)
    allowed = {"rules": RULES}
    patch = ("patch", "clusterrole", "acme", "--type=merge", "-p", json.dumps(allowed))
    assert elected.kubectl(*patch).ok
    elected.run(60)
    ask(elected.world, "DELETE", f"{MAPS}/one")
    elected.run(60)
    assert ask(elected.world, "GET", f"{MAPS}/one") is None
    last = elected.kubectl("-n", "kube-system", "logs", leader, "--tail=1").stdout
    assert last.partition(" ")[2] == (
        'level=error msg="error retrieving resource lock kube-system/acme: '
        'leases.coordination.k8s.io \\"acme\\" is forbidden: User '
        '\\"system:serviceaccount:kube-system:acme\\" cannot get resource \\"leases\\" in API group '
        '\\"coordination.k8s.io\\" in the namespace \\"kube-system\\""\n'
    )


def test_what_it_made_goes_with_the_custom_resource(world: Any) -> None:
    allow(world)
    ask(world, "POST", WIDGETS, WIDGET)
    world.run_until(world.now + 1)
    ask(world, "DELETE", f"{WIDGETS}/one")
    world.run_until(world.now + 1)
    assert ask(world, "GET", f"{MAPS}/one") is None


def test_what_another_widget_of_that_name_owned_goes(world: Any) -> None:
    owner = {"apiVersion": "acme.example/v1", "kind": "Widget", "name": "one", "uid": "1-2-3"}
    ask(world, "POST", MAPS, {"metadata": {"name": "left", "ownerReferences": [owner]}})
    world.run_until(world.now + 1)
    assert ask(world, "GET", f"{MAPS}/left") is None


def test_a_leader_that_stays_writes_nothing_and_is_seen_to_renew(elected: ClusterTestbed) -> None:
    words = ("-n", "kube-system", "get", "lease", "acme", "-o")
    before = elected.kubectl(*words, "jsonpath={.metadata.resourceVersion}").stdout
    elected.run(86_400)
    assert elected.kubectl(*words, "jsonpath={.metadata.resourceVersion}").stdout == before
    renewed = elected.kubectl(*words, "jsonpath={.spec.renewTime}").stdout
    assert renewed[:10] > "2026-01-01"
    elected.run(3)
    later = elected.kubectl(*words, "jsonpath={.spec.renewTime}").stdout
    elected.run(10)
    assert elected.kubectl(*words, "jsonpath={.spec.renewTime}").stdout > later
