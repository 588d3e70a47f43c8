"""The unmodified kubectl binary against the endpoint: the commands of an ordinary day."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubectl import CommandResult

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/shop/web:1.0
        readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}
"""
SHORT = """
apiVersion: v1
kind: Pod
metadata: {name: short}
spec:
  restartPolicy: Never
  containers:
  - name: short
    image: registry.example/shop/flaky:1.0
    env: [{name: AFTER, value: "20"}, {name: CODE, value: "3"}]
"""


def test_a_deployment_from_apply_to_undo_and_delete(served: Any) -> None:
    assert served.out("apply", "-f", "-", stdin=WEB) == "deployment.apps/web created\n"
    done = served.out("rollout", "status", "deploy/web", "--timeout=60s")
    assert done.splitlines()[-1] == 'deployment "web" successfully rolled out'
    assert served.out("apply", "-f", "-", stdin=WEB) == "deployment.apps/web unchanged\n"
    changed = WEB.replace("1.0", "1.1")
    assert served.out("diff", "-f", "-", stdin=WEB) == ""
    assert served.out("apply", "-f", "-", stdin=changed) == "deployment.apps/web configured\n"
    served.out("rollout", "status", "deploy/web")
    assert served.out("rollout", "history", "deploy/web") == (
        "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n"
    )
    undone = served.kubectl("rollout", "undo", "deploy/web")
    assert (undone.exit_code, undone.stdout) == (0, "deployment.apps/web rolled back\n")
    image = "jsonpath={.spec.template.spec.containers[0].image}"
    assert served.out("get", "deploy", "web", "-o", image) == "registry.example/shop/web:1.0"
    assert served.out("scale", "deploy/web", "--replicas=1") == "deployment.apps/web scaled\n"
    assert served.out("rollout", "restart", "deploy/web") == "deployment.apps/web restarted\n"
    served.out("rollout", "status", "deploy/web")
    available = ("wait", "deploy/web", "--for=condition=Available")
    assert served.out(*available) == "deployment.apps/web condition met\n"
    assert served.out("delete", "deploy", "web") == (
        'deployment.apps "web" deleted from shop namespace\n'
    )
    served.out("wait", "--for=delete", "pod", "-l", "app=web", "--timeout=60s")
    assert served.out("get", "pods", "-l", "app=web", "-o", "name") == ""


def test_typed_creates_send_protobuf_and_are_understood(served: Any) -> None:
    assert served.out("create", "namespace", "other") == "namespace/other created\n"
    assert served.out("create", "cm", "c", "--from-literal=a=b", "-n", "other") == (
        "configmap/c created\n"
    )
    assert served.out("create", "secret", "generic", "s", "--from-literal=k=v", "-n", "other") == (
        "secret/s created\n"
    )
    created = served.out(
        "create", "deploy", "d", "--image=registry.example/shop/web:1.0", "-n", "other"
    )
    assert created == "deployment.apps/d created\n"
    assert served.out("create", "service", "clusterip", "d", "--tcp=80:8080", "-n", "other") == (
        "service/d created\n"
    )
    assert served.out("get", "cm,secret,deploy,svc", "-n", "other", "-o", "name").splitlines() == [
        "configmap/c", "configmap/kube-root-ca.crt", "secret/s", "deployment.apps/d", "service/d",
    ]  # fmt: skip
    assert served.out("delete", "ns", "other") == 'namespace "other" deleted\n'


def test_edits_by_label_annotate_set_patch_and_an_editor(served: Any) -> None:
    served.out("create", "-f", "-", stdin=WEB.replace("name: web, labels", "name: edited, labels"))
    deploy = "deploy/edited"
    assert served.out("label", deploy, "x=y") == "deployment.apps/edited labeled\n"
    assert served.out("annotate", deploy, "a=b") == "deployment.apps/edited annotated\n"
    assert served.out("set", "env", deploy, "A=1") == "deployment.apps/edited env updated\n"
    assert served.out("set", "image", deploy, "web=registry.example/shop/web:2.0") == (
        "deployment.apps/edited image updated\n"
    )
    assert served.out("set", "resources", deploy, "--limits=memory=64Mi") == (
        "deployment.apps/edited resource requirements updated\n"
    )
    assert served.out("patch", deploy, "-p", '{"spec":{"minReadySeconds":1}}') == (
        "deployment.apps/edited patched\n"
    )
    editor = served.folder / "editor"
    editor.write_text("""#!/bin/sh\nsed -i 's/replicas: 2/replicas: 0/' "$1"\n""")
    editor.chmod(0o755)
    edit = served.start("edit", deploy, EDITOR=str(editor))
    assert edit.communicate(timeout=60) == ("deployment.apps/edited edited\n", "")
    path = "jsonpath={.metadata.labels.x} {.metadata.annotations.a} {.spec.replicas} {.spec.minReadySeconds} {.spec.template.spec.containers[0].env[0].value} {.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].resources.limits.memory}"
    assert served.out("get", deploy, "-o", path) == "y b 0 1 1 registry.example/shop/web:2.0 64Mi"
    assert served.out("delete", deploy, "--wait=false") == (
        'deployment.apps "edited" deleted from shop namespace\n'
    )


def test_get_in_every_format(served: Any) -> None:
    assert served.out("get", "pod", "box", "-o", "name") == "pod/box\n"
    lines = served.out("get", "pod", "box").splitlines()
    assert [lines[0].split(), lines[1].split()[:4]] == [
        ["NAME", "READY", "STATUS", "RESTARTS", "AGE"],
        ["box", "1/1", "Running", "0"],
    ]
    wide = served.out("get", "pod", "box", "-o", "wide").splitlines()[0].split(maxsplit=5)
    assert wide[5].split() == ["IP", "NODE", "NOMINATED", "NODE", "READINESS", "GATES"]
    assert served.out("get", "pod", "box", "-o", "custom-columns=N:.metadata.name") == "N\nbox\n"
    go = "go-template={{.metadata.name}}"
    assert served.out("get", "pod", "box", "-o", go) == "box"
    assert served.out("get", "pod", "box", "-o", "yaml").startswith("apiVersion: v1\nkind: Pod\n")
    assert served.out("get", "pod", "box", "-o", "json").startswith('{\n    "apiVersion": "v1"')


def test_a_watch_tells_of_changes_until_the_client_leaves(served: Any) -> None:
    watch = served.start("get", "cm", "-w", "--no-headers", "-l", "watched=yes")
    manifest = """{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"w","labels":{"watched":"yes"}}}"""
    served.out("create", "-f", "-", stdin=manifest)
    assert watch.stdout is not None
    assert watch.stdout.readline().split()[:2] == ["w", "0"]
    served.out("patch", "cm", "w", "-p", '{"data":{"a":"b"}}')
    assert watch.stdout.readline().split()[:2] == ["w", "1"]
    watch.terminate()
    watch.communicate(timeout=60)
    assert served.out("delete", "cm", "w") == 'configmap "w" deleted from shop namespace\n'


def test_logs_of_present_and_previous_lives_and_followed_ones(served: Any) -> None:
    assert served.out("logs", "box") == "worker: started, interval 5s\n"
    assert served.out("logs", "flaky", "--previous") == "flaky: started\n"
    served.out("apply", "-f", "-", stdin=SHORT)
    served.out("wait", "pod/short", "--for=condition=Ready")
    follow = served.start("logs", "-f", "short")
    assert follow.communicate(timeout=60) == ("flaky: started\n", "")
    ended = "jsonpath={.status.containerStatuses[0].state.terminated.exitCode}"
    assert served.out("get", "pod", "short", "-o", ended) == "3"
    served.out("delete", "pod", "short")


@pytest.mark.parametrize(
    ("argv", "stdin", "expected"),
    [
        (("echo", "a", "b"), "", CommandResult(0, "a b\n", "")),
        (("cat",), "to and fro\n", CommandResult(0, "to and fro\n", "")),
        (
            ("sh", "-c", "exit 17"),
            "",
            CommandResult(17, "", "command terminated with exit code 17\n"),
        ),
        (
            ("cat", "/x"),
            "",
            CommandResult(
                1,
                "",
                "cat: can't open '/x': No such file or directory\n"
                "command terminated with exit code 1\n",
            ),
        ),
    ],
)
def test_exec(served: Any, argv: tuple[str, ...], stdin: str, expected: CommandResult) -> None:
    interactive = ("-i",) if stdin else ()
    assert served.kubectl("exec", *interactive, "box", "--", *argv, stdin=stdin) == expected


def test_exec_where_there_is_no_process(served: Any) -> None:
    manifest = SHORT.replace("flaky:1.0", "none:1.0").replace("name: short", "name: none")
    served.out("apply", "-f", "-", stdin=manifest)
    assert served.kubectl("exec", "none", "--", "ls") == CommandResult(
        1, "", 'error: unable to upgrade connection: container not found ("none")\n'
    )
    served.out("delete", "pod", "none")


def test_what_the_server_offers_and_its_texts(served: Any) -> None:
    names = [line.split()[0] for line in served.out("api-resources", "--no-headers").splitlines()]
    assert {"pods", "deployments", "services", "configmaps", "events"} <= set(names)
    explained = served.out("explain", "deployment.spec.replicas")
    assert explained.startswith(
        "GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELD: replicas <integer>\n"
    )
    described = served.out("describe", "node", "node1")
    assert described.splitlines()[0] == "Name:               node1"


def test_exec_of_what_is_not_there_is_told_in_the_words_of_all_who_hand_it_on(served: Any) -> None:
    done = served.kubectl("exec", "box", "--", "nosuchcommand")
    head, _, rest = done.stderr.partition(' failed to start exec "')
    assert (done.exit_code, head) == (
        1,
        "error: Internal error occurred: Internal error occurred: error executing command in "
        "container: failed to exec in container:",
    )
    assert rest[64:] == '": OCI runtime exec failed: not found: unknown\n'


def test_a_paused_rollout_waits_for_its_resumption(served: Any) -> None:
    served.out("create", "-f", "-", stdin=WEB.replace("name: web, labels", "name: paused, labels"))
    deploy = "deploy/paused"
    assert served.out("rollout", "pause", deploy) == "deployment.apps/paused paused\n"
    again = served.kubectl("rollout", "pause", deploy)
    assert again.stderr == 'error: deployments.apps "paused" is already paused\n'
    served.out("set", "env", deploy, "A=1")
    assert served.out("rollout", "resume", deploy) == "deployment.apps/paused resumed\n"
    status = served.out("rollout", "status", deploy, "--timeout=60s")
    assert status.splitlines()[-1] == 'deployment "paused" successfully rolled out'
    served.out("delete", deploy, "--wait=false")


def test_logs_by_label_and_events_of_one_object(served: Any) -> None:
    assert served.out("logs", "-l", "app=box", "--prefix") == (
        "[pod/box/box] worker: started, interval 5s\n"
    )
    lines = served.out("events", "--for", "pod/box", "--no-headers").splitlines()
    # Those of one second come in no order.
    reasons = {line.split()[2] for line in lines}
    assert reasons - {"Pulling"} == {"Scheduled", "Pulled", "Created", "Started"}


def test_a_cluster_without_metrics_says_so(served: Any) -> None:
    assert served.kubectl("top", "pods") == CommandResult(
        1, "", "error: Metrics API not available\n"
    )
