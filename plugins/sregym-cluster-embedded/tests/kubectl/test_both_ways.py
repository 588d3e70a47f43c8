"""Each command of the twin prints what the binary prints, and leaves the cluster as it does."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import pytest

# With every run, besides the first line of each command; the others are thorough.
EVERY = 3
# Commands that are several: with the word behind, each is one of its own.
SEVERAL = ("api-resources", "auth", "create", "describe", "rollout", "set")

READS = [
    "get pods -n shop",
    "get pods -A",
    "get pods -n shop -o wide",
    "get po,svc,deploy -n shop",
    "get all -n shop",
    "get all -n default",
    "get pods",
    "get pods -n none",
    "get nodes",
    "get nodes -o wide --show-labels",
    "get ns",
    "get pods -n shop --show-labels",
    "get pods -n shop -L app,tier",
    "get pods -n shop --no-headers",
    "get pods -n shop -l app=web -o name",
    "get pods -n shop -l 'app in (web,two)'",
    "get pods -n shop -l app=nothing",
    "get pods -n shop --field-selector=status.phase=Running",
    "get deploy web -n shop -o yaml",
    "get deploy web -n shop -o json",
    "get deploy web -n shop -o yaml --show-managed-fields",
    "get deploy -n shop -o yaml",
    "get pods,svc -n shop -o json",
    "get events,svc -n shop",
    "get pod two flaky -n shop",
    "get pod two flaky -n shop -o yaml",
    "get pod/two svc/web -n shop",
    "get pod none -n shop",
    "get pod none -n shop --ignore-not-found",
    "get pod two none -n shop",
    "get pod two none -n shop -o name",
    "get pods,bogus -n shop",
    "get bogus",
    "get",
    "get pods/two flaky -n shop",
    "get cm settings -n shop -o jsonpath='{.data.level}'",
    "get pods -n shop -o jsonpath='{range .items[*]}{.metadata.name}{\"\\t\"}{.status.phase}{\"\\n\"}{end}'",
    "get pods -n shop -o custom-columns=NAME:.metadata.name,IMAGES:.spec.containers[*].image,LABELS:.metadata.labels,N:.spec.nodeName,X:.spec.none",
    "get pods -n shop -o custom-columns=NAME",
    "get pods -n shop --sort-by=.metadata.name",
    "get pods -n shop --sort-by=.status.containerStatuses[0].restartCount",
    "get events -n shop --sort-by=.metadata.creationTimestamp",
    "get events -n shop",
    "get endpointslices,endpoints -n shop",
    "get deployments.apps,replicasets.v1.apps -n shop",
    "get secret keys -n shop -o yaml",
    "get rs -n shop --show-kind",
    "get pv",
    "get ingress -A",
    "get pods,deploy -A --show-labels",
    "get events -A -o wide",
    "get events -n shop --field-selector type=Warning",
    "get events -A --sort-by=.lastTimestamp",
    "get events -A --sort-by=.type",
    "get pods -n shop -o jsonpath='{.items[*].status.podIP}'",
    "rollout history deploy/web -n shop",
    "rollout status deploy/web -n shop",
    "rollout status deployment web -n shop --watch=false",
    "rollout status deploy/none -n shop",
    "logs two -n shop",
    "logs two -c other -n shop",
    "logs two other -n shop",
    "logs two -n shop --all-containers",
    "logs flaky -n shop --previous",
    "logs flaky -n shop --tail=1 --timestamps",
    "logs nowhere -n shop",
    "logs deploy/web -n shop",
    "logs svc/web -n shop --tail=1",
    "logs deploy/none -n shop",
    "exec deploy/web -n shop -- echo hello",
    "logs none -n shop",
    "logs two -c none -n shop",
    "logs -n shop",
    "logs -n shop -l app=web",
    "exec two -n shop -- echo hello there",
    "exec two -c other -n shop -- cat /no/file",
    "exec two -n shop -- sh -c 'exit 17'",
    "exec none -n shop -- ls",
    "exec two -n shop -it -- echo a",
    "rollout status deploy -n shop",
    "wait pod/nowhere --for=condition=Ready -n shop --timeout=1s",
    "describe pods two flaky -n shop",
    "describe pods -n none",
    "exec nowhere -n shop -- ls",
    "exec two -n shop",
    "set env deploy/web --list -n shop",
    "wait deploy/web --for=condition=Available -n shop --timeout=5s",
    "wait pod/two --for=jsonpath='{.status.phase}'=Running -n shop",
    "wait pod/none --for=condition=Ready -n shop --timeout=1s",
    "wait pod -l app=none --for=condition=Ready -n shop --timeout=1s",
    "describe pod two -n shop",
    "describe pod flaky -n shop",
    "describe pod nowhere -n shop",
    "describe pods -n shop -l app=web",
    "describe deploy web -n shop",
    "describe rs -n shop",
    "describe svc web -n shop",
    "describe cm settings -n shop",
    "describe secret keys -n shop",
    "describe svc kubernetes",
    "get --raw /api/v1/namespaces/shop/configmaps/settings",
    "get --raw '/api/v1/namespaces/shop/pods?limit=1'",
    "get --raw /version",
    "get --raw /api/v1/namespaces/shop/pods/none",
    "get pods -n shop -l 'app in web'",
    "get pods -n shop --field-selector=spec.image=x",
    "get all -n shop --show-kind --no-headers",
    "auth can-i create pods -n shop",
    "auth can-i '*' '*'",
    "auth can-i get nodes",
    "auth can-i fly pods",
    "auth can-i get widgets",
    "auth can-i get /metrics",
    "auth can-i create pods --subresource=exec -q",
    "auth can-i get pods -n shop --as=bob",
    "auth can-i get pods -A --as=bob",
    "auth can-i get deployments.apps/web -n shop",
    "auth whoami",
    "auth whoami -o yaml",
    "logs two -c one -n shop --prefix",
    "logs -n shop -l app=flaky --prefix --timestamps",
    "logs none -n shop --prefix",
    "get --raw /api/v1/namespaces/shop/services/web:80/proxy/",
    "api-resources",
    "api-resources -o wide",
    "api-resources -o name --namespaced=false",
    "api-resources --api-group=apps --no-headers",
    "api-resources --verbs=list,get --sort-by=kind",
    "api-versions",
    "events -n shop",
    "events -n shop --types=Warning",
    "events -n shop --for=pod/flaky",
    "events -n none",
    "events -A --no-headers",
    "describe ns shop",
    "describe sa default -n shop",
    "describe role -n kube-system",
    "describe clusterrole view",
    "describe clusterrole admin",
    "describe clusterrole system:kube-scheduler",
    "describe clusterrolebinding cluster-admin",
    "describe endpoints web -n shop",
    "describe endpointslices -n shop",
    "describe lease node1 -n kube-node-lease",
    "describe priorityclass",
    "describe flowschema",
    "describe prioritylevelconfiguration",
    "describe apiservice v1.apps",
    "describe ds,sts,job,cronjob -n shop",
    "describe events -n shop",
    "describe node node2",
    "describe nodes",
    "describe ingress -n shop",
]  # fmt: skip

WRITES = [
    """patch deploy web -n shop -p '{"spec":{"replicas":3}}'""",
    """patch deploy web -n shop -p '{}'""",
    """patch deploy/web -n shop --type=merge -p '{"metadata":{"labels":{"x":"y"}}}' -o yaml""",
    """patch svc web -n shop --type=json -p '[{"op":"replace","path":"/spec/ports/0/port","value":8}]'""",
    """patch svc web -n shop -p 'spec: {selector: {app: other}}' -o name""",
    """patch svc web -n shop -p '{"spec":{"ports":[{"port":70000}]}}'""",
    """patch svc web -n shop -p '{"a":1}' --type=bogus""",
    """patch svc none -n shop -p '{}'""",
    "patch svc web -n shop",
    "scale deploy/web --replicas=5 -n shop",
    "scale deploy web --replicas=0 -n shop",
    "scale deploy none --replicas=0 -n shop",
    "scale deploy/web -n shop",
    "set image deploy/web web=registry.example/shop/web:1.1 -n shop",
    "set image deploy/web '*=registry.example/shop/web:2.0' -n shop",
    "set image deploy/web web=registry.example/shop/web:1.0 -n shop",
    "set image deploy/web nope=x -n shop",
    "set env deploy/web COLOR=red SIZE=4 -n shop",
    "set env deploy/web COLOR- -n shop",
    "set env deploy/web LEVEL=debug -n shop",
    "set resources deploy/web --limits=memory=128Mi,cpu=1 --requests=cpu=10m -n shop",
    "set resources deploy/web -c=nope --limits=cpu=1 -n shop",
    "rollout pause deploy/web -n shop",
    "rollout resume deploy/web -n shop",
    "rollout restart deploy/web -n shop",
    "rollout restart deploy -n shop",
    "scale deploy --all --replicas=1 -n shop",
    "scale deploy --replicas=1 -n shop",
    "set image deploy web=x -n shop",
    "set env deploy --all A=1 -n shop",
    "label ns shop a=b",
    "rollout undo deploy/web -n shop",
    "delete svc web -n shop",
    "delete pod two -n shop --wait=false",
    "delete pod two -n shop --force",
    "delete pod two -n shop --grace-period=0 --wait=false",
    "delete pod,svc none -n shop",
    "delete cm settings nothing -n shop",
    "delete cm -l a=b -n shop",
    "delete cm --all -n shop",
    "delete deploy web -n shop --cascade=orphan",
    "delete pod none -n shop --ignore-not-found",
    "delete pods -n shop",
    "delete",
    "label pod two x=y -n shop",
    "label pod two app=two -n shop",
    "label pod two app=other -n shop",
    "label pod two app=other z=1 --overwrite -n shop",
    "label pod two app- -n shop",
    "label pod two nope- -n shop",
    "label pods --all all=yes -n shop",
    "label pod two x -n shop",
    "annotate pod two note='hello world' -n shop",
    "annotate deploy web team=back -n shop",
    "annotate deploy web team- -n shop",
    "create namespace other",
    "create ns shop",
    "create configmap c --from-literal=a=b --from-file=conf -n shop",
    "create configmap settings -n shop",
    "create configmap c --from-literal=a=b --dry-run=client -o yaml",
    "create configmap c --from-literal=a=b -n shop --dry-run=server",
    "create secret generic s --from-literal=password=hunter2 -n shop",
    "create deployment d --image=registry.example/shop/web:1.0 --replicas=2 --port=8080 -n shop",
    "create deployment d --image=a/b:1 --image=c -n shop --dry-run=client -o yaml",
    "create deployment d --image=b -n shop -- sleep 1",
    "create deployment d -n shop",
    "create service clusterip s --tcp=80:8080 -n shop",
    "create service nodeport s --tcp=80 -n shop --dry-run=client -o yaml",
    "create service externalname s --external-name=db.example -n shop",
    "create",
    "expose deploy web --port=80 --name=np --type=NodePort --target-port=8080 -n shop",
    "expose deploy web --name=plain -n shop",
    "expose deploy web -n shop",
    "expose cm settings --port=80 -n shop",
    "cordon node1",
    "uncordon node1",
    "cordon node9",
    "taint node node2 a=b:NoSchedule",
    "taint node node2 a:NoExecute",
    "taint nodes --all a=b:NoSchedule c=d:PreferNoSchedule",
    "taint node node2 a:Bogus",
    "taint node node2 nothing-",
    "taint node node9 a=b:NoSchedule",
    "label pod two x='bad value' -n shop",
    "create sa robot -n shop",
    "create sa default -n shop",
    "create role r --verb=get,list --resource=pods,deployments.apps,pods/log -n shop",
    "create role r --verb='*' --resource=pods --resource-name=a -n shop",
    "create clusterrole r --verb=get --resource=nodes",
    "create rolebinding b --role=r --user=bob --group=devs --serviceaccount=shop:default -n shop",
    "create clusterrolebinding b --clusterrole=view --user=bob",
    "create clusterrolebinding cluster-admin --clusterrole=view --user=bob",
    "create quota q --hard=pods=3,cpu=2 -n shop",
    "create pdb p --selector=app=web --min-available=1 -n shop",
    "create pdb p --selector=app=web --max-unavailable=50% -n shop",
    "create pdb p --selector=app=web -n shop",
    "create job j --image=registry.example/library/busybox:1.36 -n shop -- echo done",
    "create cronjob c --image=registry.example/library/busybox:1.36 --schedule='*/5 * * * *' -n shop -- date",
    "create cronjob c --image=a --schedule='*/5 * * * *' -n shop --dry-run=client -o yaml -- date",
    "create priorityclass p --value=10 --description=x",
    "create priorityclass p --value=10 --global-default --dry-run=client -o yaml",
    "run r --image=registry.example/shop/web:1.0 --port=8080 --env=A=b --labels=a=b -n shop",
    "run r --image=registry.example/library/busybox:1.36 --restart=Never -n shop -- echo a b",
    "run r --image=registry.example/library/busybox:1.36 --command -n shop -- sleep 100",
    "run r --image=a --dry-run=client -o yaml",
    "run two --image=a -n shop",
    "run Bad_Name --image=a -n shop",
    "run r -n shop",
    "delete --raw /api/v1/namespaces/shop/configmaps/settings",
    "delete pod two none -n shop --wait=false",
    "delete pod two --as=bob -n shop",
    """patch svc web -n shop --type=json -p '[{"op":"test","path":"/spec/type","value":"x"}]'""",
]  # fmt: skip

CONFIGMAP = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {level: debug}
"""
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "registry.example/shop/web:2.0", env: [{name: NEW, value: "1"}]}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: fresh, namespace: shop}, data: {a: "<b>"}}
"""
RAW = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"raw"},"data":{"a":"b"}}'
FROM_STDIN = [
    ("apply -f -", CONFIGMAP),
    ("apply -f -", DEPLOYMENT),
    ("apply -f - -o name", DEPLOYMENT),
    ("apply -n other -f -", CONFIGMAP),
    ("create -f -", CONFIGMAP),
    ("create -f -", DEPLOYMENT),
    ("create -f -", CONFIGMAP.replace("settings", "Bad_Name")),
    ("delete -f - --wait=false", CONFIGMAP),
    ("get -f -", CONFIGMAP),
    ("replace -f -", CONFIGMAP),
    ("replace -f -", CONFIGMAP.replace("settings", "none")),
    ("replace -f - -o name", CONFIGMAP),
    ("replace -f -", CONFIGMAP.replace("namespace: shop", "namespace: shop, resourceVersion: '1'")),
    ("create --raw /api/v1/namespaces/shop/configmaps -f -", RAW),
    (
        "replace --raw /api/v1/namespaces/shop/configmaps/settings -f -",
        RAW.replace("raw", "settings"),
    ),
    ("scale -f - --replicas=4", DEPLOYMENT.partition("---")[0]),
    ("exec two -n shop -i -- cat", "to and fro\n"),
]


def sampled(lines: list[str]) -> list[Any]:
    """All lines; those are thorough whose command another line has, and which no number picks."""
    found, seen = [], set[tuple[str, ...]]()
    for number, line in enumerate(lines):
        words = line.split()
        command = tuple(words[: 2 if words[0] in SEVERAL else 1])
        thorough = command in seen and number % EVERY
        found.append(pytest.param(line, marks=[pytest.mark.thorough] if thorough else []))
        seen.add(command)
    return found


# What the binary stamps by its own clock, or counts differently from run to run.
_RESTARTED = re.compile(r'("kubectl.kubernetes.io/restartedAt": ")[^"]*')


def comparable(
    objects: dict[str, list[dict[str, Any]]], others: dict[str, list[dict[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    """Those that are not simply equal, without the moments at which they were restarted."""
    unlike = {name: listed for name, listed in objects.items() if listed != others.get(name)}
    found: dict[str, list[dict[str, Any]]] = json.loads(
        _RESTARTED.sub(r"\1<time>", json.dumps(unlike))
    )
    return found


def same(one: dict[str, list[dict[str, Any]]], other: dict[str, list[dict[str, Any]]]) -> bool:
    return comparable(one, other) == comparable(other, one)


@pytest.mark.parametrize("line", sampled(READS))
def test_a_read_prints_the_same(both_ways: Any, line: str) -> None:
    twin, binary = both_ways.runs(shlex.split(line))
    assert twin.result == binary.result


@pytest.mark.parametrize("line", sampled(WRITES))
def test_a_write_prints_and_does_the_same(both_ways: Any, line: str) -> None:
    (both_ways.folder / "conf").write_text("x=1\n")
    twin, binary = both_ways.runs(shlex.split(line))
    assert twin.result == binary.result
    if "--wait" in line or not line.startswith("delete"):
        assert same(twin.objects, binary.objects)


@pytest.mark.parametrize(("line", "stdin"), FROM_STDIN)
def test_a_manifest_prints_and_does_the_same(both_ways: Any, line: str, stdin: str) -> None:
    twin, binary = both_ways.runs(shlex.split(line), stdin)
    assert twin.result == binary.result
    assert same(twin.objects, binary.objects)


def test_apply_again_and_with_a_field_less(both_ways: Any) -> None:
    world = both_ways.present()
    less = DEPLOYMENT.replace(', env: [{name: NEW, value: "1"}]', "")
    for stdin in (DEPLOYMENT, DEPLOYMENT, less):
        twin = both_ways.twin(world.fork(), ["apply", "-f", "-"], stdin)
        binary = both_ways.binary(world, ["apply", "-f", "-"], stdin)
        assert twin.result == binary.result
        assert same(twin.objects, binary.objects)
