from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from sregym_apps.components import derive_components
from sregym_apps.notes import ComponentNotes, load_notes
from sregym_core.errors import UsageError
from sregym_core.model import (
    Account,
    Component,
    ConfigUse,
    Container,
    ObjectRef,
    Port,
    VolumeUse,
)

MANIFESTS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: web-config, namespace: shop}
data:
  config.json: '{"StoreAddress": "store:27017", "Port": "8080"}'
  motd: hello
---
apiVersion: v1
kind: Secret
metadata: {name: web-keys, namespace: shop}
stringData: {token: "123"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web-flags, namespace: shop}
data: {broken.json: '{"unfinished'}
---
apiVersion: v1
kind: Service
metadata: {name: other, namespace: elsewhere}
spec: {selector: {app: web}, ports: [{port: 1}]}
---
apiVersion: v1
kind: Service
metadata: {name: www, namespace: shop}
spec:
  selector: {app: web}
  ports:
    - {name: http, port: 80, targetPort: serving}
    - {port: 9090}
    - {name: dns, port: 53, targetPort: 8600, protocol: UDP}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  template:
    metadata: {labels: {app: web, tier: front}}
    spec:
      containers:
        - name: main
          image: acme/web:1
          command: [web]
          ports: [{name: serving, containerPort: 8080}]
          env:
            - {name: MODE, value: fast}
            - {name: TOKEN, valueFrom: {secretKeyRef: {name: web-keys, key: token}}}
            - {name: TOKEN_2, valueFrom: {secretKeyRef: {name: web-keys, key: token}}}
          envFrom:
            - configMapRef: {name: web-flags, optional: true}
          resources: {limits: {memory: 64Mi}}
          volumeMounts:
            - {name: config, mountPath: /app/config.json, subPath: config.json}
            - {name: data, mountPath: /data}
        - {name: sidecar, image: acme/sidecar:1}
      volumes:
        - {name: config, configMap: {name: web-config}}
        - {name: data, persistentVolumeClaim: {claimName: web-data}}
        - {name: scratch, emptyDir: {}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: batch, namespace: shop}
spec:
  template:
    metadata: {labels: {app: batch}}
    spec:
      containers: [{name: main, image: "acme/batch:1"}]
"""
ACCOUNT = Account(
    engine="mongodb",
    user="app",
    password="p",
    database="db",
    role="readWrite",
    admin_user="root",
    admin_password="r",
    used_by=("batch",),
)
NOTES = {
    "web": ComponentNotes(
        kind="datastore", callers=("batch",), operations=("buy",), accounts=(ACCOUNT,)
    ),
    "batch": ComponentNotes(),
}


def config_map(name: str, kind: str = "ConfigMap") -> ObjectRef:
    return ObjectRef(api_version="v1", kind=kind, namespace="shop", name=name)


def objects() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(MANIFESTS))


def test_everything_that_manifests_say_is_read_from_them() -> None:
    assert derive_components(objects(), NOTES) == (
        Component(
            name="batch",
            namespace="shop",
            workload=ObjectRef(
                api_version="apps/v1", kind="Deployment", namespace="shop", name="batch"
            ),
            container="main",
            image="acme/batch:1",
            pod_labels={"app": "batch"},
            calls=("web",),
        ),
        Component(
            name="web",
            kind="datastore",
            namespace="shop",
            workload=ObjectRef(
                api_version="apps/v1", kind="StatefulSet", namespace="shop", name="web"
            ),
            containers=(
                Container(
                    name="main",
                    image="acme/web:1",
                    command=("web",),
                    memory_limit="64Mi",
                    env={"MODE": "fast"},
                    ports=(8080,),
                ),
                Container(name="sidecar", image="acme/sidecar:1"),
            ),
            container="main",
            image="acme/web:1",
            command=("web",),
            replicas=2,
            memory_limit="64Mi",
            pod_labels={"app": "web", "tier": "front"},
            service=ObjectRef(api_version="v1", kind="Service", namespace="shop", name="www"),
            selector={"app": "web"},
            ports=(
                Port(name="http", port=80, target_port="serving", container_port=8080),
                Port(port=9090, target_port=9090, container_port=9090),
                Port(name="dns", port=53, target_port=8600, container_port=8600, protocol="UDP"),
            ),
            config=(
                ConfigUse(
                    source=config_map("web-config"),
                    keys=("config.json", "motd"),
                    path="/app/config.json",
                    entries={"config.json": ("StoreAddress", "Port")},
                ),
                ConfigUse(source=config_map("web-flags"), keys=("broken.json",), required=False),
                ConfigUse(source=config_map("web-keys", "Secret"), keys=("token",)),
            ),
            env={"MODE": "fast"},
            volumes=(VolumeUse(claim="web-data", path="/data"),),
            accounts=(ACCOUNT,),
            callers=("batch",),
            operations=("buy",),
        ),
    )


def test_a_workload_without_notes_is_an_error() -> None:
    with pytest.raises(UsageError) as caught:
        derive_components(objects(), {"web": NOTES["web"]})

    assert str(caught.value) == (
        "component 'batch': no notes on this workload; manifests and components.yaml must agree"
    )


def test_notes_without_a_workload_are_an_error() -> None:
    with pytest.raises(UsageError) as caught:
        derive_components(objects(), {**NOTES, "cart": ComponentNotes()})

    assert str(caught.value) == (
        "component 'cart': no workload of this name in the manifests; "
        "manifests and components.yaml must agree"
    )


def test_notes_are_read_from_yaml(tmp_path: Path) -> None:
    file = tmp_path / "components.yaml"
    file.write_text("web: {kind: datastore, callers: [batch]}\nbatch: {}\n")

    assert load_notes(file) == {
        "web": ComponentNotes(kind="datastore", callers=("batch",)),
        "batch": ComponentNotes(),
    }


def test_notes_that_are_no_yaml_are_told_with_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "components.yaml"
    file.write_text("web:\n  kind service\n  callers: [batch]\n")

    with pytest.raises(UsageError) as caught:
        load_notes(file)

    assert str(caught.value) == (
        "'components.yaml', line 3: not YAML: mapping values are not allowed in this context"
    )


def test_an_unknown_field_in_notes_is_named(tmp_path: Path) -> None:
    file = tmp_path / "components.yaml"
    file.write_text("web: {kinds: datastore}\n")

    with pytest.raises(UsageError) as caught:
        load_notes(file)

    assert str(caught.value) == (
        "'components.yaml', line 1, field 'web.kinds': unknown; did you mean 'kind'?"
    )
