"""From client-side to server-side apply, in process and by the binary."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubectl.fallback import run_binary

MAP = "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: moved}}, data: {data}}}"
DEPLOYMENT = (
    "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: moved, labels: {{a: b, c: d}}}}, "
    "spec: {{replicas: 3, selector: {{matchLabels: {{app: x}}}}, template: {{metadata: "
    "{{labels: {{app: x}}}}, spec: {{containers: [{{name: one, image: {image}}}]}}}}}}}}"
)
LAST = "kubectl.kubernetes.io/last-applied-configuration"


def moved(run: Any, resource: str) -> dict[str, Any]:
    (found,) = (obj for obj in run.objects[resource] if obj["metadata"]["name"] == "moved")
    return found


def in_process(wide: Any, lines: list[tuple[str, str]]) -> tuple[Any, Any]:
    """What the last of some commands does in process, and what it does by the binary."""
    world = wide.present()
    *before, (last, stdin) = lines
    for line, text in before:
        assert wide.twin(world, line.split(), text).result.exit_code == 0
    fork = world.fork()
    return wide.twin(fork, last.split(), stdin), wide.binary(world, last.split(), stdin)


@pytest.mark.parametrize("tried", ["", " --dry-run=server"])
def test_what_the_client_applied_goes_over_to_the_server(wide: Any, tried: str) -> None:
    before, after = MAP.format(data="{a: x, b: x}"), MAP.format(data="{b: z}")
    lines = [("apply -f - -n shop", before), (f"apply --server-side -f - -n shop{tried}", after)]
    twin, binary = in_process(wide, lines)
    assert twin == binary
    assert twin.result.exit_code == 0
    obj = moved(twin, "configmaps")
    owners = [(each["manager"], each["operation"]) for each in obj["metadata"]["managedFields"]]
    if tried:
        assert owners == [("kubectl-client-side-apply", "Update")]
        return
    assert obj["data"] == {"b": "z"}
    assert owners == [("kubectl", "Apply"), ("kubectl-last-applied", "Apply")]
    assert obj["metadata"]["annotations"] == {
        LAST: '{"apiVersion":"v1","data":{"b":"z"},"kind":"ConfigMap","metadata":'
        '{"name":"moved","namespace":"shop"}}\n'
    }


def test_defaults_that_the_client_owned_stay(wide: Any) -> None:
    lines = [
        ("apply -f - -n shop", DEPLOYMENT.format(image="q:1")),
        ("apply --server-side -f - -n shop", DEPLOYMENT.format(image="q:2").replace(", c: d", "")),
    ]
    twin, binary = in_process(wide, lines)
    assert twin == binary
    obj = moved(twin, "deployments.apps")
    assert obj["metadata"]["labels"] == {"a": "b"}
    spec = obj["spec"]["template"]["spec"]
    assert spec["containers"] == [
        {
            "name": "one",
            "image": "q:2",
            "imagePullPolicy": "IfNotPresent",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
        }
    ]
    assert (obj["spec"]["replicas"], spec["restartPolicy"]) == (3, "Always")


def test_another_manager_does_not_keep_the_annotation(wide: Any) -> None:
    lines = [
        ("apply -f - -n shop", MAP.format(data="{a: x}")),
        ("apply --server-side --field-manager=me -f - -n shop", MAP.format(data="{a: x}")),
    ]
    twin, binary = in_process(wide, lines)
    assert twin == binary
    obj = moved(twin, "configmaps")
    assert [each["manager"] for each in obj["metadata"]["managedFields"]] == ["me"]
    assert "annotations" not in obj["metadata"]


def test_a_change_while_it_is_deleted_is_warned_of(wide: Any) -> None:
    text = MAP.format(data="{a: x}").replace("name: moved", "name: moved, finalizers: [a/b]")
    for options in ("", "--server-side "):
        lines = [
            ("apply -f - -n shop", text),
            ("delete cm moved -n shop --wait=false", ""),
            (f"apply {options}-f - -n shop", text),
        ]
        twin, binary = in_process(wide, lines)
        assert twin == binary
        warning = "Detected changes to resource moved which is currently being deleted."
        assert twin.result.stderr == f"Warning: {warning}\n"


def test_a_difference_of_the_server_is_shown(wide: Any) -> None:
    world = wide.present()
    applied = wide.binary(world, ["apply", "-f", "-", "-n", "shop"], MAP.format(data="{a: x}"))
    assert applied.result.exit_code == 0
    words, stdin = ["diff", "--server-side", "-f", "-", "-n", "shop"], MAP.format(data="{a: z}")
    shown = run_binary(wide.kubeconfig, words, stdin, wide.folder, timeout_s=60)
    assert (shown.exit_code, shown.stderr) == (1, "")
    changed = [line for line in shown.stdout.splitlines() if line[:3] in ("-  ", "+  ")]
    assert changed[:2] == ["-  a: x", "+  a: z"]
