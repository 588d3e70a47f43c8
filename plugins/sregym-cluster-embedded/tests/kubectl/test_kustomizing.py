"""Kustomizations are to the twin what they are to the binary."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.kubectl import CommandResult, DirectAccess, NotCovered, run

GENERATED = """
namePrefix: dev-
commonLabels: {env: dev}
resources: [cm.yaml]
configMapGenerator:
- {name: gen, literals: [a=b, "c=<d>"]}
- {name: file, files: [x=cm.yaml, cm.yaml]}
secretGenerator:
- {name: keys, literals: [p=q]}
"""
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"
CHANGED = """
namespace: shop
nameSuffix: -v
labels: [{pairs: {env: dev}, includeTemplates: true}]
commonAnnotations: {a: b}
resources: [x.yaml]
secretGenerator:
- {name: s, literals: ["a=<b>&"], type: Opaque}
generatorOptions: {disableNameSuffixHash: true}
patches:
- patch: '[{"op": "replace", "path": "/spec/replicas", "value": 4}]'
  target: {kind: StatefulSet}
- patch: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: c}
    data: {more: "1"}
images: [{name: registry.example/x, newName: other.example/y, newTag: "3"}]
"""
OBJECTS = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: d, image: "registry.example/x:1"}], initContainers: [{name: i, image: "registry.example/x@sha256:abc"}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, ports: [{port: 1}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cj}
spec:
  schedule: "* * * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: b, envFrom: [{secretRef: {name: s}}, {configMapRef: {name: c}}]}]}}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec: {template: {spec: {restartPolicy: Never, serviceAccountName: default, containers: [{name: c, image: b}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, image: "registry.example/x"}], volumes: [{name: v, persistentVolumeClaim: {claimName: claim}}, {name: w, projected: {sources: [{configMap: {name: c}}]}}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {a: b}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: bot}
imagePullSecrets: [{name: s}]
"""
FOLDERS = {
    "generated": {"kustomization.yaml": GENERATED, "cm.yaml": CONFIG},
    "changed": {"kustomization.yml": CHANGED, "x.yaml": OBJECTS},
    "selected": {
        "Kustomization": CHANGED.replace("includeTemplates", "includeSelectors"),
        "x.yaml": OBJECTS,
    },
}


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    for folder, files in FOLDERS.items():
        (tmp_path / folder).mkdir()
        for name, text in files.items():
            (tmp_path / folder / name).write_text(text)
    return tmp_path


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_built_is_what_the_binary_builds(shop: Any, folders: Path, folder: str) -> None:
    mine = run(DirectAccess(shop.world), ["kustomize", folder], files=folders)
    done = subprocess.run(
        ["kubectl", "kustomize", folder], capture_output=True, text=True, cwd=folders, check=False
    )
    assert mine == CommandResult(done.returncode, done.stdout, done.stderr)


def test_a_kustomization_is_applied(shop: Any, folders: Path) -> None:
    words = shlex.split("apply -k generated -n shop")
    done = run(DirectAccess(shop.world), words, files=folders)
    assert done == CommandResult(
        0,
        "configmap/dev-c created\n"
        "configmap/dev-file-hkg9d27d5k created\n"
        "configmap/dev-gen-hbg8md8tt7 created\n"
        "secret/dev-keys-hb2dth72f6 created\n",
        "# Warning: 'commonLabels' is deprecated. Please use 'labels' instead. "
        "Run 'kustomize edit fix' to update your Kustomization automatically.\n",
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bases: [x]\n", "kustomization: bases"),
        ("resources: [folder]\n", "a resource that is no file"),
        ("namePrefix: 2\n", "kustomization: what should be text"),
        ("resources: [cm.yaml]\nreplicas: [{name: x, count: 2}]\n", "what is in none of the objects"),
        (
            "resources: [cm.yaml]\npatches: [{patch: '{kind: ConfigMap, metadata: {name: c}, x: [1]}'}]\n",
            "a patch with lists",
        ),
    ],
)  # fmt: skip
def test_what_is_not_simple_is_left_to_the_binary(
    shop: Any, tmp_path: Path, text: str, why: str
) -> None:
    (tmp_path / "kustomization.yaml").write_text(text)
    (tmp_path / "cm.yaml").write_text(CONFIG)
    with pytest.raises(NotCovered) as caught:
        run(DirectAccess(shop.world), ["kustomize", "."], files=tmp_path)
    assert str(caught.value) == why
