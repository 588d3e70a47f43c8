"""Which of the known forms a path has, and its Kubernetes objects."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

from sregym_dev.importing import charts, manifests
from sregym_dev.importing.compose import COMPOSE_FILES, from_compose, is_compose

if TYPE_CHECKING:
    from sregym_apps.manifests import KubeObject

    from sregym_dev.importing.remarks import Remarks

_TEXTS = (".yaml", ".yml", ".json")
_ARCHIVES = (".tgz", ".tar.gz", ".tar")
# Larger than any manifest or chart that people write.
_MOST_BYTES = 32 * 1024 * 1024


def objects_from(path: Path, name: str, remarks: Remarks) -> list[KubeObject]:
    """The Kubernetes objects of a folder of manifests, a chart, or a compose file.

    Args:
        path: As it was given.
        name: Of the application, for rendering and for what has no name of its own.
        remarks: What was guessed and left out is added.

    Raises:
        UsageError: It is none of these, cannot be read, or nothing of it can be used.
    """
    if not path.exists():
        raise UsageError(f"--from: there is no {str(path)!r}")
    try:
        found = _objects(path, name, remarks)
    except UnicodeDecodeError as error:
        raise UsageError(f"--from: a file of {str(path)!r} is no text: {error}") from error
    except OSError as error:
        raise UsageError(
            f"--from: {error.filename or path} cannot be read: {error.strerror or error}"
        ) from error
    if not found:
        reasons = "".join(f"\n  {one.where}: {one.text}" for one in remarks.of("left out"))
        raise UsageError(
            f"--from: no Kubernetes objects and no services in {str(path)!r}"
            + (f"; left out were:{reasons}" if reasons else "")
        )
    return found


def _objects(path: Path, name: str, remarks: Remarks) -> list[KubeObject]:
    if path.is_dir():
        return _of_folder(path, name, remarks)
    if path.name.endswith(_ARCHIVES):
        return _of_archive(path, name, remarks)
    if not path.name.endswith(_TEXTS):
        raise UsageError(
            f"--from: {str(path)!r} is neither a folder of manifests, a Helm chart (a folder or .tgz), "
            "nor a YAML file"
        )
    text = path.read_text(encoding="utf-8")
    if is_compose(text):
        return from_compose(path, text, name, remarks)
    return manifests.objects_of([(path.name, text)], remarks)


def _of_folder(path: Path, name: str, remarks: Remarks) -> list[KubeObject]:
    if (path / "Chart.yaml").is_file():
        return manifests.objects_of([(path.name, charts.rendered(path, name))], remarks)
    charts_in = [file.parent for file in sorted(path.rglob("Chart.yaml"))]
    for chart in charts_in:
        if not any(other in chart.parents for other in charts_in):
            text = "is a Helm chart among manifests; give it by itself to have it instead of them"
            remarks.left_out(str(chart.relative_to(path)), text)
    files = [
        (str(file.relative_to(path)), file.read_text(encoding="utf-8"))
        for file in sorted(path.rglob("*"))
        if file.is_file()
        and file.name.endswith(_TEXTS)
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
        and not any(chart in file.parents for chart in charts_in)
    ]
    composed = next((path / one for one in COMPOSE_FILES if (path / one).is_file()), None)
    if composed is not None:
        remarks.guessed(composed.name, "this file of the folder was read, and no other")
        return from_compose(composed, composed.read_text(encoding="utf-8"), name, remarks)
    return manifests.objects_of(files, remarks)


def _of_archive(path: Path, name: str, remarks: Remarks) -> list[KubeObject]:
    try:
        with tarfile.open(path) as archive:
            members = sorted(archive.getmembers(), key=lambda member: member.name)
            wanted = [one for one in members if one.isfile() and one.name.endswith(_TEXTS)]
            if any(Path(one.name).name == "Chart.yaml" for one in wanted):
                return manifests.objects_of([(path.name, charts.rendered(path, name))], remarks)
            if sum(one.size for one in wanted) > _MOST_BYTES:
                raise UsageError(f"--from: {str(path)!r} holds more than 32 MiB of YAML")
            texts = [
                (one.name, file.read().decode("utf-8"))
                for one in wanted
                if (file := archive.extractfile(one)) is not None
            ]
    except tarfile.TarError as error:
        raise UsageError(f"--from: {str(path)!r} cannot be read as a tar archive") from error
    return manifests.objects_of(texts, remarks)
