"""What a variant's folder holds comes besides, or in place of what the original has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

import pytest
from sregym_apps.application import ManifestApplication
from sregym_apps.variant import Variant
from sregym_core.model import ObjectRef

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: shop}}
spec:
  replicas: {replicas}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: main, image: acme/{name}}}]}}
"""
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n"


class Shop(ManifestApplication):
    name: ClassVar[str] = "shop"
    title: ClassVar[str] = "Shop"
    namespaces: ClassVar[tuple[str, ...]] = ("shop",)
    description: ClassVar[str] = "A shop."
    package: ClassVar[str] = "shop_with_variants"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="shop", name="web"
    )


class Larger(Variant, Shop):
    name: ClassVar[str] = "shop-larger"
    differing: ClassVar[str] = "larger/of-all"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / Shop.package
    (package / "manifests").mkdir(parents=True)
    (package / "__init__.py").touch()
    web, stock = (DEPLOYMENT.format(name=name, replicas=1) for name in ("web", "stock"))
    (package / "manifests" / "all.yaml").write_text(f"{NAMESPACE}{web}---\n{stock}")
    (package / "components.yaml").write_text("web: {kind: load}\nstock: {}\n")
    model = "application: shop\n"
    (package / "service_model.yaml").write_text(model)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, Shop.package, raising=False)
    (package / "larger" / "of-all").mkdir(parents=True)
    return package / "larger" / "of-all"


def test_objects_come_besides_or_in_place_of_others(folder: Path) -> None:
    (folder / "manifests").mkdir()
    stock, press = (DEPLOYMENT.format(name=name, replicas=3) for name in ("stock", "press"))
    (folder / "manifests" / "more.yaml").write_text(f"{stock}---\n{press}")
    (folder / "components.yaml").write_text("press: {}\n")
    found = [
        (o["metadata"]["name"], o.get("spec", {}).get("replicas")) for o in Larger().manifests()
    ]
    assert found == [("shop", None), ("web", 1), ("stock", 3), ("press", 3)]
    assert [c.name for c in Larger().components()] == ["press", "stock", "web"]
    assert len(Shop().manifests()) == 3


class Smaller(Larger):
    without: ClassVar[tuple[ObjectRef, ...]] = (
        ObjectRef(api_version="apps/v1", kind="Deployment", namespace="shop", name="stock"),
    )


def test_objects_of_the_original_can_be_left_out(folder: Path) -> None:
    (folder / "components.yaml").write_text("web: {kind: load}\n")
    assert [o["metadata"]["name"] for o in Smaller().manifests()] == ["shop", "web"]


def test_notes_come_besides_or_in_place_of_others(folder: Path) -> None:
    (folder / "components.yaml").write_text("stock: {kind: store}\n")
    kinds = {component.name: str(component.kind) for component in Larger().components()}
    assert kinds == {"web": "load", "stock": "store"}


def test_its_own_service_model_is_asked_first(folder: Path) -> None:
    text = "application: larger\n"
    (folder / "service_model.yaml").write_text(text)
    assert [model.application for model in Larger().service_models()] == ["larger", "shop"]


def test_without_files_it_is_the_original(folder: Path) -> None:
    assert Larger().manifests() == Shop().manifests()
    assert Larger().components() == Shop().components()
    assert [model.application for model in Larger().service_models()] == ["shop"]


def test_defects_of_the_original_are_told(folder: Path) -> None:
    (folder.parent.parent / "components.yaml").write_text("wbe: {kind: load}\n")
    assert [str(defect) for defect in Larger().lint()] == [str(d) for d in Shop().lint()] != []
