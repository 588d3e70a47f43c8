"""Applications that stay on a real cluster from run to run: where it is written down, and of what.

Nothing in the cluster says so: whoever works there is not to see that it is used for exercises. What
is kept is known again by the uids of its namespaces, and used when its configuration is the same.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sregym_core.interfaces import Application, Cluster
    from sregym_core.interfaces.cluster import KubeObject


@dataclass(frozen=True)
class ApplicationsLeftRunning:
    """What is known of applications that earlier runs left.

    Attributes:
        folder: Where that is written; None where nothing is.
        wanted: Whether this run leaves its applications, too.
    """

    folder: Path | None = None
    wanted: bool = False

    def left(self, cluster: Cluster, application: Application) -> str | None:
        """The configuration in which an earlier run left it there; None when it did not."""
        file = self._file(cluster, application)
        if file is None:
            return None
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            if content["namespaces"] == _uids(cluster, application):
                return str(content["configuration"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return None

    def write(
        self, cluster: Cluster, application: Application, objects: Mapping[str, KubeObject]
    ) -> None:
        """Write down that it stays, with this configuration."""
        file = self._file(cluster, application)
        if file is None:
            return
        content: dict[str, Any] = {
            "application": application.name,
            "namespaces": _uids(cluster, application),
            "configuration": configuration(cluster, application, objects),
        }
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

    def forget(self, cluster: Cluster, application: Application) -> None:
        """It is gone."""
        file = self._file(cluster, application)
        if file is not None:
            with suppress(OSError):
                file.unlink()

    def _file(self, cluster: Cluster, application: Application) -> Path | None:
        if self.folder is None:
            return None
        # The uid of this namespace is what is commonly taken for the identity of a cluster.
        place = [_uid(cluster, "kube-system"), *application.namespaces]
        name = blake2b("\n".join(place).encode(), digest_size=8).hexdigest()
        return self.folder / "kept" / f"{application.name}-{name}.json"


def configuration(
    cluster: Cluster, application: Application, objects: Mapping[str, KubeObject]
) -> str:
    """One number for what stands in the application's namespaces."""
    own = {
        name: obj
        for name, obj in objects.items()
        if obj["metadata"].get("namespace") in application.namespaces
    }
    return cluster.operations.digest(own)


def _uids(cluster: Cluster, application: Application) -> dict[str, str]:
    return {name: _uid(cluster, name) for name in application.namespaces}


def _uid(cluster: Cluster, namespace: str) -> str:
    ref = ObjectRef(api_version="v1", kind="Namespace", namespace="", name=namespace)
    found = cluster.get(ref)
    return "" if found is None else str(found["metadata"].get("uid", ""))
