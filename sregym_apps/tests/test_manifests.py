from __future__ import annotations

from pathlib import Path

import pytest
from sregym_apps.manifests import load_manifests
from sregym_core.errors import UsageError
from sregym_core.model import ObjectRef

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
"""
NAMESPACE = """\
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
"""
RULE = """\
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: web, namespace: shop}
"""


def test_objects_come_in_the_order_of_creation(tmp_path: Path) -> None:
    (tmp_path / "a-rule.yaml").write_text(RULE)
    (tmp_path / "b-web.yaml").write_text(WEB)
    (tmp_path / "c-namespace.yml").write_text(NAMESPACE)
    (tmp_path / "README.md").write_text("not a manifest")

    assert [str(ObjectRef.of(obj)) for obj in load_manifests(tmp_path)] == [
        "Namespace shop",
        "Service shop/web",
        "Deployment shop/web",
        "PrometheusRule shop/web",
    ]


def test_what_keeps_data_is_created_before_what_waits_for_it(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
        "spec: {template: {spec: {volumes: [{name: tmp, emptyDir: {}}]}}}\n"
    )
    (tmp_path / "b.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: store}\n"
        "spec: {template: {spec: {volumes: [{name: data, persistentVolumeClaim: {claimName: a}}]}}}\n"
    )

    assert [str(ObjectRef.of(obj)) for obj in load_manifests(tmp_path)] == [
        "Deployment store",
        "Deployment web",
    ]


def test_a_reference_has_everything_that_addresses_an_object() -> None:
    obj = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a", "namespace": "b"},
    }

    assert ObjectRef.of(obj) == ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="b", name="a"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "apiVersion: v1\nkind: Service\nmetadata: {namespace: shop}\n",
            "manifest 'web.yaml', document 1: 'metadata.name' is missing",
        ),
        (
            NAMESPACE + "kind: Service\nmetadata: {name: web}\n",
            "manifest 'web.yaml', document 2: 'apiVersion' is missing",
        ),
        ("- a list\n", "manifest 'web.yaml', document 1: a Kubernetes object is a mapping"),
        (
            "kind: [\n",
            "manifest 'web.yaml', line 2: not YAML: did not find expected node content",
        ),
    ],
)
def test_a_file_that_is_no_manifest_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "web.yaml").write_text(text)

    with pytest.raises(UsageError) as caught:
        load_manifests(tmp_path)

    assert str(caught.value) == message


def test_an_empty_folder_is_no_application(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load_manifests(tmp_path)

    assert str(caught.value) == (
        f"no manifests in '{tmp_path}': put one YAML file per component there"
    )
