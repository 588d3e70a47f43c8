"""The twin's YAML and JSONPath against those of the binary, on the same objects."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.kubectl.builder import load_all
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.jsonpath import Template
from sregym_cluster_embedded.kubectl.kyaml import kyaml_text
from sregym_cluster_embedded.kubectl.struct_order import by_key
from sregym_cluster_embedded.kubectl.yaml_text import compact_json, json_text, yaml_text

KUBECTL = shutil.which("kubectl")
needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")

PIECES = (
    *"abZ109 :#-.[{,&*!|>%@`?~_e+=<yYnNT'\"\\/(", "\n", "\n", "\t", "é", "😀", "\xa0", "true", "null",
    "0x", "1e3", "2026-01-02", "12:30:00", " #", ": ", "- ", "long text " * 12, "ééé  xx " * 9,
    'a "b" ' * 14,
)  # fmt: skip


def configmap(data: dict[str, str]) -> dict[str, Any]:
    metadata = {"annotations": {"a": "b"}, "name": "c", "namespace": "n"}
    return {"apiVersion": "v1", "data": data, "kind": "ConfigMap", "metadata": metadata}


def binary(folder: Path, obj: dict[str, Any], output: str) -> str:
    file = folder / "object.json"
    file.write_text(json.dumps(obj))
    assert KUBECTL is not None
    command = [KUBECTL, "annotate", "--local", "-f", str(file), "a=b", "-o", output]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@needs_kubectl
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_yaml_of_any_string_is_that_of_the_binary(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = {}
    for number in range(400):
        key = f"k{number}-" + "".join(chance.choice("ab01.-_") for _ in range(3)) + "x"
        data[key] = "".join(chance.choice(PIECES) for _ in range(chance.randint(0, 6)))
    obj = configmap(data)
    assert yaml_text(obj) == binary(tmp_path, obj, "yaml")
    assert json_text(obj) == binary(tmp_path, obj, "json")
    assert kyaml_text(by_key(obj)) == binary(tmp_path, obj, "kyaml")


POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"annotations": {"a": "b"}, "name": "p", "labels": {"app.kubernetes.io/name": "x"}},
    "spec": {
        "containers": [
            {
                "name": "one",
                "image": "i<1>",
                "ports": [{"containerPort": 80}, {"containerPort": 9}],
            },
            {"name": "two", "image": "j", "env": [{"name": "A", "value": "1"}]},
        ],
        "hostNetwork": True,
        "priority": 5,
    },
}


@needs_kubectl
@pytest.mark.parametrize(
    "template",
    [
        "{.metadata.name}",
        "{.spec.containers[*].name}",
        "{.spec.containers[0]}",
        "{.spec.containers[-1].image} and {.spec.priority}",
        "{.spec.containers[0:1].name}",
        "{range .spec.containers[*]}{.name}{'\\t'}{.image}{\"\\n\"}{end}",
        "{.spec.containers[?(@.name=='two')].image}",
        "{.spec.containers[?(@.env)].name}",
        "{.metadata.labels.app\\.kubernetes\\.io/name}",
        "{.metadata.labels['app\\.kubernetes\\.io/name']}",
        "{..containerPort}",
        "{.spec['hostNetwork','priority']}",
        "{.nothing.there}",
        "{range .spec.containers[*]}{range .ports[*]}{.containerPort},{end};{end}",
        "{.spec.containers[*]['name','image']}",
        "{$.kind}",
        "{.metadata}",
    ],
)
def test_jsonpath_is_that_of_the_binary(tmp_path: Path, template: str) -> None:
    assert Template(template).render(POD) == binary(tmp_path, POD, f"jsonpath={template}")


@pytest.mark.parametrize("template", ["{end}", "{foo()}", "{.a[9]}", "{.a} }"])
def test_jsonpath_that_is_not_understood_is_left_to_the_binary(template: str) -> None:
    with pytest.raises(NotCovered):
        Template(template).render({"a": [1]})


@pytest.mark.parametrize(
    ("template", "why"), [("{.a", "unclosed action"), ("{.a[}", "unterminated array")]
)
def test_jsonpath_that_does_not_end_is_refused(template: str, why: str) -> None:
    with pytest.raises(CommandError) as caught:
        Template(template)
    assert caught.value.text == f"error: error parsing jsonpath {template}, {why}"


def test_compact_json_escapes_what_go_escapes() -> None:
    assert compact_json({"b": "<&>", "a": ["é", "\u2028"]}) == (
        '{"a":["é","\\u2028"],"b":"\\u003c\\u0026\\u003e"}'
    )


SCALARS = (
    "y", "N", "on", "~", "010", "0o10", "0x1F", "-0b11", "1_000", "1e3", "5.", "08", ".5", "1:30",
    "2026-01-02", "1__0", "_1", "-0", "+y", "1.2.3", "=", "0b2", "12e03", "0.10",
)  # fmt: skip


@needs_kubectl
def test_plain_scalars_are_to_the_twin_what_they_are_to_the_binary(tmp_path: Path) -> None:
    text = "".join(f"\n- {scalar}" for scalar in SCALARS)
    file = tmp_path / "object.yaml"
    file.write_text(f"apiVersion: v1\nkind: Other\nmetadata: {{name: c}}\nvalues:{text}\n")
    assert KUBECTL is not None
    command = [KUBECTL, "annotate", "--local", "-f", str(file), "a=b", "-o", "json"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (mine,) = load_all(file.read_text())
    assert json.dumps(mine["values"]) == json.dumps(json.loads(printed)["values"])
