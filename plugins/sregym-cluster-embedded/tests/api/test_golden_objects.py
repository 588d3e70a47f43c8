"""Objects created from the inputs of recorded scenarios have the same defaults, the same errors."""

from __future__ import annotations

import re

import pytest
import yaml
from sregym_cluster_embedded.api import internal_client, resources

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
CREATE = re.compile(r"^kubectl (create|apply) -n (\S+) -f -$")
GET = re.compile(r"^kubectl get (\S+) (\S+) -n \S+ -o yaml$")
VOLATILE = ("uid", "resourceVersion", "creationTimestamp", "managedFields")
DEFAULTS = ("min-pod", "min-deployment", "min-replicaset", "min-statefulset",
            "min-job", "min-cronjob", "min-service", "min-ingress", "min-config", "min-lease",
            "min-policy", "min-rbac")  # fmt: skip
ERRORS = ("invalid-pod", "invalid-workloads", "immutable-deployment", "alreadyexists")


def load(golden, area, name):
    text = (golden / "scenarios" / area / f"{name}.yaml").read_text()
    scenario = yaml.load(text, Loader=Loader)
    steps = [step for step in scenario["steps"] if "run" in step]
    return {**scenario, "steps": steps}


def as_json(value):
    """kubectl makes text of all keys: `no` becomes `false`."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else str(key).lower(): as_json(item)
            for key, item in value.items()
        }
    return [as_json(item) for item in value] if isinstance(value, list) else value


def collection(obj, namespace):
    resource = resources.of_kind(obj["apiVersion"], obj["kind"])
    base = f"/apis/{resource.api_version}" if resource.group else f"/api/{resource.version}"
    place = f"{base}/namespaces/{namespace}" if resource.namespaced else base
    return resource, f"{place}/{resource.plural}"


def create_all(client, step):
    answers = []
    namespace = CREATE.match(step["run"]).group(2)
    for obj in yaml.load_all(step["stdin"], Loader=Loader):
        resource, path = collection(obj, namespace)
        answer = client("POST", path, as_json(obj), fieldValidation="Strict")
        answers.append((resource, answer))
    return answers


def make_namespace(client, name):
    internal_client.create(client.world, "namespaces", {"metadata": {"name": name}})
    meta = {"name": "default", "namespace": name}
    internal_client.create(client.world, "serviceaccounts", {"metadata": meta})


def comparable(obj):
    obj = {key: value for key, value in obj.items() if key != "status"}
    metadata = {k: v for k, v in obj["metadata"].items() if k not in VOLATILE}
    annotations = metadata.pop("annotations", {})
    kept = {k: v for k, v in annotations.items() if not k.startswith("kubectl.")}
    if kept:
        metadata["annotations"] = kept
    text = yaml.safe_dump({**obj, "metadata": metadata})
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uid>", text)
    text = re.sub(r"kube-api-access-\w{5}", "kube-api-access-<rand>", text)
    text = re.sub(r"10\.96\.\d+\.\d+", "<ip>", text)
    return re.sub(r"nodePort: \d+", "nodePort: <port>", text)


def items(text):
    document = yaml.load(text, Loader=Loader)
    return document["items"] if document.get("kind") == "List" else [document]


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_the_real_ones(client, golden, name):
    scenario = load(golden, "objects", name)
    make_namespace(client, scenario["namespace"])
    known = {}
    compared = 0
    for step in scenario["steps"]:
        if CREATE.match(step["run"]):
            for _, answer in create_all(client, step):
                known[answer["kind"], answer["metadata"]["name"]] = answer
        if "-o yaml" not in step["run"] or step["rc"]:
            continue
        for real in items(step["stdout"]):
            mine = known.get((real["kind"], real["metadata"]["name"]))
            if mine is not None:
                assert comparable(mine) == comparable(real)
                compared += 1
    assert compared


def words(resource, answer, verb):
    """What kubectl prints of a failure."""
    causes = answer.get("details", {}).get("causes", [])
    if answer["reason"] == "Invalid":
        texts = [f"{cause['field']}: {cause['message']}" for cause in causes]
        text = texts[0] if len(texts) == 1 else "".join(f"\n* {text}" for text in texts)
        name = answer["details"].get("name", "")
        return f'The {resource.kind} "{name}" is invalid: {text}\n'
    where = f'error when {verb} "STDIN": '
    return f"Error from server ({answer['reason']}): {where}{answer['message']}\n"


@pytest.mark.parametrize("name", ERRORS)
def test_errors_have_the_real_words(client, golden, name):
    scenario = load(golden, "errors", name)
    make_namespace(client, scenario["namespace"])
    compared = 0
    for step in scenario["steps"]:
        if not step["run"].startswith("kubectl create -n") or step.get("varies"):
            continue
        for resource, answer in create_all(client, step):
            if answer.get("kind") == "Status":
                assert words(resource, answer, "creating") == step["stderr"]
                compared += 1
    assert compared or name in ("immutable-deployment", "alreadyexists")
