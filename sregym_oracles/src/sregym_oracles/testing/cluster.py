"""The cluster: a store of objects with a history, and views derived from it."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, NoReturn

from sregym_core.interfaces import Cluster, ClusterError, CommandResult
from sregym_core.model import ObjectRef

from sregym_oracles.objects import ref_of
from sregym_oracles.testing.clock import MemoryClock
from sregym_oracles.testing.pods import life_of, pod_of, status_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import Access, Command
    from sregym_core.interfaces.cluster import KubeObject

    from sregym_oracles.testing.pods import Life, Program

Store = dict[ObjectRef, "KubeObject"]
Objects = list["KubeObject"]
BORN = "memory/born"


class MemoryCluster(Cluster):
    """Deployments, and anything that is only stored; no StatefulSets, no patches but merge ones.

    Args:
        programs: What runs in a container, by image; any other image cannot be pulled.
    """

    def __init__(self, programs: Mapping[str, Program]) -> None:
        self._clock = MemoryClock()
        self._programs = dict(programs)
        self._history: list[tuple[float, Store]] = [(self._clock.now(), {})]
        self._failure: ClusterError | None = None
        self.writes = 0

    @property
    def clock(self) -> MemoryClock:
        """Virtual time."""
        return self._clock

    def fail_reads(self, error: ClusterError | None) -> None:
        """From now on every read is answered with this error; None: as usual again."""
        self._failure = error

    def store_at(self, moment: float) -> Store:
        """The objects as they were at a moment."""
        return next(store for at, store in reversed(self._history) if at <= moment)

    def get(self, ref: ObjectRef) -> KubeObject | None:
        """The object with its status as of now."""
        self._may_read()
        obj = self._store.get(ref)
        return None if obj is None else self._with_status(obj)

    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[KubeObject]:
        """Objects of a kind; selectors know `key=value` joined by commas."""
        self._may_read()
        if kind == "Pod":
            found = self.pods_at(self._clock.now())
        else:
            found = [
                self._with_status(obj)
                for ref, obj in self._store.items()
                if (ref.api_version, ref.kind) == (api_version, kind)
            ]
        wanted = dict(pair.split("=", 1) for pair in selector.split(",") if pair)
        return sorted(
            (
                obj
                for obj in found
                if namespace in ("", obj["metadata"].get("namespace", ""))
                and wanted.items() <= (obj["metadata"].get("labels") or {}).items()
            ),
            key=lambda obj: (obj["metadata"].get("namespace", ""), obj["metadata"]["name"]),
        )

    def create(self, obj: KubeObject) -> KubeObject:
        """Store a new object."""
        ref = ref_of(obj)
        if ref in self._store:
            raise ClusterError(409, "AlreadyExists", f"{ref} already exists")
        return self._write(ref, obj, generation=1, born=self._clock.now())

    def replace(self, obj: KubeObject) -> KubeObject:
        """Store a new state; pods are made anew when the template changed."""
        ref = ref_of(obj)
        before = self._existing(ref)
        generation, born = before["metadata"]["generation"], before[BORN]
        if obj.get("spec") != before.get("spec"):
            generation += 1
        new, old = obj.get("spec") or {}, before.get("spec") or {}
        if new.get("template") != old.get("template"):
            born = self._clock.now()
        return self._write(ref, obj, generation=generation, born=born)

    def patch(self, ref: ObjectRef, patch: Any, kind: str = "strategic") -> KubeObject:
        """Apply a merge patch (RFC 7386)."""
        if kind != "merge":
            raise ClusterError(415, "UnsupportedMediaType", f"no {kind} patches here, only merge")
        return self.replace(merged(self._existing(ref), patch))

    def delete(self, ref: ObjectRef, propagation: str = "Background") -> None:
        """Delete at once, pods included."""
        del propagation  # pods have no life of their own here
        store = dict(self._store)
        store.pop(ref, None)
        self._keep(store)

    def logs(
        self,
        namespace: str,
        pod: str,
        container: str = "",
        *,
        since_s: float | None = None,
        previous: bool = False,
    ) -> str:
        """Programs here say nothing."""
        del namespace, pod, container, since_s, previous  # all the same silence
        return ""

    def exec(
        self, namespace: str, pod: str, command: Sequence[str], container: str = "", stdin: str = ""
    ) -> CommandResult:
        """Refused: programs here are not that real."""
        del namespace, pod, command, container, stdin  # refused whatever they are
        self._refuse("exec")

    def kubectl(self, command: Command) -> CommandResult:
        """Refused: there is no wire."""
        del command  # refused whatever it is
        self._refuse("kubectl")

    def hidden_state(self) -> Mapping[str, str]:
        """Nothing is outside the API."""
        return {}

    def open_access(self) -> Access:
        """Refused: there is no wire."""
        self._refuse("access from outside")

    def close(self) -> None:
        """Nothing is held."""

    def digest(self) -> str:
        """All stored objects as text, to see that nobody wrote."""
        return json.dumps([self._store[ref] for ref in sorted(self._store, key=str)])

    def pods_at(self, moment: float) -> Objects:
        """Pods as they were at a moment, of all namespaces."""
        store = self.store_at(moment)
        return [
            pod_of(workload, index, lives)
            for ref, workload in store.items()
            if ref.kind == "Deployment"
            for lives in [self._lives(workload, store, moment)]
            for index in range(workload["spec"]["replicas"])
        ]

    @property
    def _store(self) -> Store:
        return self._history[-1][1]

    def _lives(self, workload: KubeObject, store: Store, moment: float) -> dict[str, Life]:
        template = workload["spec"]["template"]
        namespace = workload["metadata"]["namespace"]
        config_maps = frozenset(
            ref.name for ref in store if (ref.kind, ref.namespace) == ("ConfigMap", namespace)
        )
        age = moment - workload[BORN]
        return {
            container["name"]: life_of(container, template, self._programs, config_maps, age)
            for container in template["spec"]["containers"]
        }

    def _with_status(self, obj: KubeObject) -> KubeObject:
        shown = copy.deepcopy(obj)
        del shown[BORN]
        if obj["kind"] == "Deployment":
            lives = self._lives(obj, self._store, self._clock.now())
            ready = all(life.ready for life in lives.values())
            generation = obj["metadata"]["generation"]
            shown["status"] = status_of(generation, obj["spec"]["replicas"], ready)
        return shown

    def _write(self, ref: ObjectRef, obj: KubeObject, generation: int, born: float) -> KubeObject:
        stored = copy.deepcopy(obj)
        stored.pop("status", None)
        stored["metadata"]["generation"] = generation
        stored[BORN] = born
        self._keep({**self._store, ref: stored})
        return self._with_status(stored)

    def _keep(self, store: Store) -> None:
        self.writes += 1
        self._history.append((self._clock.now(), store))

    def _existing(self, ref: ObjectRef) -> KubeObject:
        found = self._store.get(ref)
        if found is None:
            raise ClusterError(404, "NotFound", f"{ref} not found")
        return found

    def _may_read(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _refuse(self, what: str) -> NoReturn:
        raise ClusterError(501, "NotImplemented", f"the in-memory cluster has no {what}")


def merged(target: Any, patch: Any) -> Any:
    """A merge patch applied (RFC 7386): null removes, objects merge, all else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result
