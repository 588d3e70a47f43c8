"""What a command says when the server forbids a step of it, or when a step never ends."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from sregym_cluster_embedded.api.request import User
from sregym_cluster_embedded.kubectl import CommandResult, DirectAccess, run

BOB = User("bob", ("system:authenticated",))
VIEW = "create clusterrolebinding bob --clusterrole=view --user=bob"
SETTINGS = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}"
FORBIDDEN = [
    (
        "rollout pause deploy/web -n shop",
        'error: failed to patch: deployments.apps "web" is forbidden: User "bob" cannot patch '
        'resource "deployments" in API group "apps" in the namespace "shop"\n',
    ),
    (
        "rollout undo deploy/web -n shop --to-revision=1",
        'error: failed restoring revision 1: deployments.apps "web" is forbidden: User "bob" '
        'cannot patch resource "deployments" in API group "apps" in the namespace "shop"\n',
    ),
    (
        "exec two -n shop -c one -- ls",
        'Error from server (Forbidden): pods "two" is forbidden: User "bob" cannot get '
        'resource "pods/exec" in API group "" in the namespace "shop"\n',
    ),
    (
        "attach two -n shop -c one",
        "All commands and output from this session will be recorded in container logs, including "
        "credentials and sensitive information passed through the command prompt.\n"
        "If you don't see a command prompt, try pressing enter.\n"
        'Error from server (Forbidden): pods "two" is forbidden: User "bob" cannot get '
        'resource "pods/attach" in API group "" in the namespace "shop"\n',
    ),
]
DEADLINE = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: late, namespace: shop}
spec:
  progressDeadlineSeconds: 5
  selector: {matchLabels: {app: late}}
  template:
    metadata: {labels: {app: late}}
    spec: {containers: [{name: c, image: "registry.example/shop/none:1.0"}]}
"""


@pytest.mark.parametrize(("line", "stderr"), FORBIDDEN)
def test_one_who_only_looks_is_refused(wide: Any, line: str, stderr: str) -> None:
    world = wide.present()
    assert run(DirectAccess(world), VIEW.split()).exit_code == 0
    assert run(DirectAccess(world, BOB), line.split()) == CommandResult(1, "", stderr)


def test_what_may_not_be_read_is_not_applied(wide: Any) -> None:
    done = run(DirectAccess(wide.present(), BOB), ["apply", "-f", "-"], SETTINGS)
    assert done == CommandResult(
        1,
        "",
        "Error from server (Forbidden): error when retrieving current configuration of:\n"
        'Resource: "/v1, Resource=configmaps", GroupVersionKind: "/v1, Kind=ConfigMap"\n'
        'Name: "settings", Namespace: "shop"\n'
        'from server for: "STDIN": configmaps "settings" is forbidden: User "bob" cannot get '
        'resource "configmaps" in API group "" in the namespace "shop"\n',
    )


def test_what_may_not_be_watched_is_not(wide: Any) -> None:
    world = wide.present()
    for line in (
        "create clusterrole lists --verb=list --resource=configmaps",
        "create clusterrolebinding bob --clusterrole=lists --user=bob",
        "delete cm settings -n shop",
    ):
        assert run(DirectAccess(world), line.split()).exit_code == 0
    refusal = (
        'Error from server (Forbidden): configmaps is forbidden: User "bob" cannot watch resource '
        '"configmaps" in API group "" in the namespace "other"\n'
    )
    for limit in ("", " --request-timeout=5s"):
        line = f"get cm -n other -w -o name{limit}"
        done = run(DirectAccess(world, BOB), line.split())
        assert done == CommandResult(1, "configmap/kube-root-ca.crt\n", refusal)


def test_a_rollout_past_its_deadline_has_failed(shop: Any) -> None:
    access = DirectAccess(shop.world)
    assert run(access, ["create", "-f", "-"], DEADLINE).exit_code == 0
    done = run(access, shlex.split("rollout status deploy/late -n shop"))
    assert done == CommandResult(
        1,
        "Waiting for deployment spec update to be observed...\n"
        "Waiting for deployment spec update to be observed...\n"
        'Waiting for deployment "late" rollout to finish: 0 out of 1 new replicas have been '
        "updated...\n"
        'Waiting for deployment "late" rollout to finish: 0 of 1 updated replicas are '
        "available...\n",
        'error: deployment "late" exceeded its progress deadline\n',
    )
