"""What is read, and what is told of that which cannot be: each text whole."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from sregym_core.errors import UsageError
from sregym_dev.importing.remarks import Remarks
from sregym_dev.importing.sources import objects_from

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"


def read(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    remarks = Remarks()
    return objects_from(path, "shop", remarks), [str(one) for one in remarks]


def refused(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        read(path)
    return str(caught.value)


def archive(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as made:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            made.addfile(entry, io.BytesIO(text.encode()))
    return path


def test_folder_of_manifests(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.yaml").write_text(MAP)
    (tmp_path / "b" / "list.yml").write_text(
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: Secret, metadata: {name: two}}\n- {kind: Secret}\n"
    )
    (tmp_path / "values.yaml").write_text("replicas: 2\n---\n- 1\n")
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (tmp_path / ".hidden.yaml").write_text("{")
    objects, remarks = read(tmp_path)
    assert [obj["metadata"]["name"] for obj in objects] == ["one", "two"]
    assert remarks == [
        "left out: b/list.yml, item 2: is no Kubernetes object: 'apiVersion' is missing",
        "left out: kustomization.yaml: is for kustomize; give what `kubectl kustomize` makes of the folder",
        "left out: values.yaml, document 1: is no Kubernetes object: 'apiVersion' is missing",
        "left out: values.yaml, document 2: a Kubernetes object is a mapping, this is list",
    ]


def test_archive_of_rendered_manifests(tmp_path: Path) -> None:
    objects, remarks = read(archive(tmp_path / "all.tgz", {"x/a.yaml": MAP, "x/note.txt": "-"}))
    assert ([obj["metadata"]["name"] for obj in objects], remarks) == (["one"], [])


def test_files_that_are_no_yaml(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: [Pod\nmetadata: 1\n")
    (tmp_path / "b.yaml").write_text("kind: Pod\n{{ if .Values.on }}\nmetadata: {}\n")
    assert refused(tmp_path) == (
        "--from: these files cannot be read:\n"
        "  a.yaml:2: not valid YAML: did not find expected ',' or ']'\n"
        "  b.yaml:3: not valid YAML: could not find expected ':'"
        " (it is a template: give what `helm template` makes of the chart)"
    )


def test_nothing_to_read(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    assert refused(gone) == f"--from: there is no {str(gone)!r}"
    picture = tmp_path / "chart.png"
    picture.write_bytes(b"x")
    assert refused(picture) == (
        f"--from: {str(picture)!r} is neither a folder of manifests, a Helm chart (a folder or .tgz), "
        "nor a YAML file"
    )
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe")
    assert refused(binary) == (
        f"--from: a file of {str(binary)!r} is no text: 'utf-8' codec can't decode byte 0xff in position "
        "0: invalid start byte"
    )
    other = tmp_path / "other.tgz"
    other.write_text("no archive")
    assert refused(other) == f"--from: {str(other)!r} cannot be read as a tar archive"
    empty = tmp_path / "empty"
    empty.mkdir()
    assert refused(empty) == f"--from: no Kubernetes objects and no services in {str(empty)!r}"
    (empty / "values.yaml").write_text("a: 1\n")
    assert refused(empty) == (
        f"--from: no Kubernetes objects and no services in {str(empty)!r}; left out were:\n"
        "  values.yaml: is no Kubernetes object: 'apiVersion' is missing"
    )


def test_archive_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sregym_dev.importing.sources._MOST_BYTES", 10)
    path = archive(tmp_path / "all.tgz", {"a.yaml": MAP})
    assert refused(path) == f"--from: {str(path)!r} holds more than 32 MiB of YAML"


def test_file_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(MAP)

    def refuse(self: Path, encoding: str) -> str:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_text", refuse)
    assert refused(file) == f"--from: {file} cannot be read: Permission denied"


def chart(folder: Path) -> Path:
    folder.mkdir()
    (folder / "Chart.yaml").write_text("name: web\nversion: 1.0.0\n")
    return folder


def test_chart_without_helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    place = chart(tmp_path / "web")
    assert refused(place) == (
        f"--from: {str(place)!r} is a Helm chart, and no `helm` is on the PATH to render it; where there is "
        f"one, run `helm template shop {place} > folder/all.yaml` and give `--from folder`"
    )
    packed = archive(tmp_path / "web-1.0.0.tgz", {"web/Chart.yaml": "name: web\n"})
    assert "is a Helm chart, and no `helm`" in refused(packed)


def test_chart_is_rendered_by_helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helm = tmp_path / "helm"
    helm.write_text(f'#!/bin/sh\n[ "$2" = shop ] || exit 9\ncat <<END\n{MAP}END\n')
    helm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    objects, _ = read(chart(tmp_path / "web"))
    assert [obj["metadata"]["name"] for obj in objects] == ["one"]
    helm.write_text("#!/bin/sh\necho 'Error: no template web' >&2; exit 1\n")
    assert refused(tmp_path / "web") == (
        f"--from: helm cannot render {str(tmp_path / 'web')!r}: Error: no template web"
    )


def test_helm_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(words: list[str], **_: Any) -> None:
        raise subprocess.TimeoutExpired(words, 120)

    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(subprocess, "run", hang)
    place = chart(tmp_path / "web")
    assert refused(place) == f"--from: helm did not render {str(place)!r} within 120 s"


def test_compose_files_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "compose.yaml"
    file.write_text("services:\n  web: [\n")
    assert refused(file) == (
        "--from: compose.yaml:3: not valid YAML: did not find expected node content"
    )
    file.write_text("name: x\nservices:\n- web\n")
    assert refused(file) == "--from: compose.yaml:2: services: needs to be a mapping"
