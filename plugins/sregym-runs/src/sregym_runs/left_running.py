"""Applications that stay on a real cluster from run to run: where it is written down, and of what.

Nothing in the cluster says so: people who work there are not to see that it is used for exercises. An
application that was left is recognised by the uids of its namespaces, and used when its configuration
is the same.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from sregym_core.conductor.persistent_deployment import StandingApplication
from sregym_core.conductor.readiness import READY_TIMEOUT_S, take_baseline, wait_ready
from sregym_core.errors import WorldError
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sregym_core.conductor.progress import Progress
    from sregym_core.interfaces import Application, Baseline, Cluster
    from sregym_core.interfaces.cluster import KubeObject


@dataclass(frozen=True)
class ApplicationsLeftRunning:
    """What is known of applications that earlier runs left. Can be pickled.

    Attributes:
        folder: Where that is written.
        wanted: Whether this run leaves its applications, too.
    """

    folder: Path
    wanted: bool

    def __call__(self, application: Application, suffix: str) -> StandingApplication:
        """An application on a cluster that cannot be forked, as `Worlds(standing=)` makes it."""
        return ApplicationLeftRunning(application, suffix, self)

    def left(self, cluster: Cluster, application: Application) -> str | None:
        """The configuration in which an earlier run left it there; None when it did not."""
        try:
            content = json.loads(self._file(cluster, application).read_text(encoding="utf-8"))
            if content["namespaces"] == _uids(cluster, application):
                return str(content["configuration"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return None

    def write(
        self, cluster: Cluster, application: Application, objects: Mapping[str, KubeObject]
    ) -> None:
        """Write down that it stays, with this configuration."""
        content = {
            "application": application.name,
            "namespaces": _uids(cluster, application),
            "configuration": configuration(cluster, application, objects),
        }
        file = self._file(cluster, application)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

    def forget(self, cluster: Cluster, application: Application) -> None:
        """Delete what was written down of it, for it is gone."""
        with suppress(OSError):
            self._file(cluster, application).unlink()

    def _file(self, cluster: Cluster, application: Application) -> Path:
        # The uid of this namespace is what is commonly taken for the identity of a cluster.
        place = [_uid(cluster, "kube-system"), *application.namespaces]
        name = blake2b("\n".join(place).encode(), digest_size=8).hexdigest()
        return self.folder / "kept" / f"{application.name}-{name}.json"


class ApplicationLeftRunning(StandingApplication):
    """One application on one such cluster, which begins with what an earlier run left there.

    Args:
        application: Which.
        suffix: With which the names of its namespaces end.
        notes: What earlier runs left, and whether this one leaves it.
    """

    def __init__(
        self, application: Application, suffix: str, notes: ApplicationsLeftRunning
    ) -> None:
        super().__init__(application, suffix)
        self._notes = notes

    def ready(
        self, cluster: Cluster, warm_up_s: float, progress: Progress | None = None
    ) -> Baseline:
        """The healthy baseline for the next episode; of what was left, if it is as it was left."""
        left = None if self.deployed else self._notes.left(cluster, self.application)
        if left is not None:
            self.deployed = True
            self.baseline = self._adopted(cluster, left, progress)
            if self.baseline is not None:
                return self.baseline
        return super().ready(cluster, warm_up_s, progress)

    def release(self, cluster: Cluster, progress: Progress | None = None) -> None:
        """The run is over: leave it where that is wanted and it is as it was, else remove it."""
        if self._notes.wanted and self.baseline is not None:
            objects = cluster.operations.capture(self.application.namespaces)
            if not cluster.operations.differences(self.baseline.objects, objects):
                self._notes.write(cluster, self.application, objects)
                return
        super().release(cluster, progress)

    def remove(self, cluster: Cluster, progress: Progress | None = None) -> None:
        """Delete it, if it is ours, and what was written down of it."""
        deployed = self.deployed
        super().remove(cluster, progress)
        if deployed:
            self._notes.forget(cluster, self.application)

    def _adopted(self, cluster: Cluster, left: str, progress: Progress | None) -> Baseline | None:
        """The baseline of what an earlier run left; None where it is not as it was left."""
        cluster.operations.grant(self.application.namespaces, self.suffix)
        objects = cluster.operations.capture(self.application.namespaces)
        if configuration(cluster, self.application, objects) != left:
            return None
        try:
            wait_ready(cluster, self.application, READY_TIMEOUT_S, progress=progress)
            return take_baseline(cluster, self.application, progress)
        except WorldError:
            return None


def configuration(
    cluster: Cluster, application: Application, objects: Mapping[str, KubeObject]
) -> str:
    """Digest of the objects in the application's namespaces."""
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
