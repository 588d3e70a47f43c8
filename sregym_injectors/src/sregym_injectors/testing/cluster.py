"""The API of a cluster in memory."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Cluster, ClusterError, CommandResult
from typing_extensions import override

from sregym_injectors.edits import ref_of
from sregym_injectors.testing.clock import MemoryClock
from sregym_injectors.testing.kubectl import run_kubectl
from sregym_injectors.testing.patching import json_patched, merged, strategically_merged
from sregym_injectors.testing.pods import Starts, reconcile, starts_always

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.interfaces import Access, Clock, Command
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

    Executor = Callable[[KubeObject, Sequence[str], str], CommandResult]


def _nothing_installed(_pod: KubeObject, argv: Sequence[str], _stdin: str) -> CommandResult:
    return CommandResult(127, "", f"{argv[0]}: not found\n")


class MemoryCluster(Cluster):
    """Objects in memory, with pods that follow their workloads.

    Attributes:
        starts: Whether a pod's containers can start and become ready, asked for each pod whose
            ConfigMaps exist; a test decides, for example by the image. By default all do.
        executor: What answers `exec`: given pod, command and stdin.
    """

    def __init__(self) -> None:
        self._objects: dict[ObjectRef, KubeObject] = {}
        self._clock = MemoryClock(lambda: reconcile(self._objects, self.starts))
        self._revision = 0
        self.starts: Starts = starts_always
        self.executor: Executor = _nothing_installed

    @property
    @override
    def clock(self) -> Clock:
        return self._clock

    @override
    def get(self, ref: ObjectRef) -> KubeObject | None:
        return deepcopy(self._objects.get(ref))

    @override
    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[KubeObject]:
        found = [
            obj
            for ref, obj in self._objects.items()
            if (ref.api_version, ref.kind) == (api_version, kind)
            and namespace in ("", ref.namespace)
            and _matches(obj["metadata"].get("labels") or {}, selector)
        ]
        return deepcopy(sorted(found, key=lambda obj: str(ref_of(obj))))

    @override
    def create(self, obj: KubeObject) -> KubeObject:
        ref = ref_of(obj)
        if ref in self._objects:
            raise ClusterError(409, "AlreadyExists", f'{_words(ref)} "{ref.name}" already exists')
        return self._store(ref, deepcopy(obj), generation=1)

    @override
    def replace(self, obj: KubeObject) -> KubeObject:
        ref = ref_of(obj)
        return self._change(ref, self._existing(ref), deepcopy(obj))

    @override
    def patch(self, ref: ObjectRef, patch: Any, kind: str = "strategic") -> KubeObject:
        before = self._existing(ref)
        try:
            if kind == "json":
                after = json_patched(before, patch)
            else:
                after = {"merge": merged, "strategic": strategically_merged}[kind](before, patch)
        except LookupError as error:
            raise ClusterError(422, "Invalid", f"the patch does not apply: {error}") from None
        return self._change(ref, before, deepcopy(after))

    @override
    def delete(self, ref: ObjectRef, propagation: str = "Background") -> None:
        self._objects.pop(ref, None)

    @override
    def logs(
        self,
        namespace: str,
        pod: str,
        container: str = "",
        *,
        since_s: float | None = None,
        previous: bool = False,
    ) -> str:
        return ""

    @override
    def exec(
        self, namespace: str, pod: str, command: Sequence[str], container: str = "", stdin: str = ""
    ) -> CommandResult:
        found = self.list("v1", "Pod", namespace)
        target = next((item for item in found if item["metadata"]["name"] == pod), None)
        if target is None:
            raise ClusterError(404, "NotFound", f'pods "{pod}" not found')
        return self.executor(target, command, stdin)

    @override
    def kubectl(self, command: Command) -> CommandResult:
        return run_kubectl(self, command)

    @override
    def hidden_state(self) -> Mapping[str, str]:
        return {}

    @override
    def open_access(self) -> Access:
        raise ClusterError(0, "", "a cluster in memory cannot be reached from outside")

    @override
    def close(self) -> None:
        self._objects.clear()

    def _existing(self, ref: ObjectRef) -> KubeObject:
        if ref not in self._objects:
            raise ClusterError(404, "NotFound", f'{_words(ref)} "{ref.name}" not found')
        return self._objects[ref]

    def _change(self, ref: ObjectRef, before: KubeObject, after: KubeObject) -> KubeObject:
        generation = before["metadata"].get("generation", 1)
        changed = before.get("spec") != after.get("spec")
        if "status" in before:
            after["status"] = before["status"]
        return self._store(ref, after, generation + 1 if changed else generation)

    def _store(self, ref: ObjectRef, obj: KubeObject, generation: int) -> KubeObject:
        self._revision += 1
        obj["metadata"] |= {"generation": generation, "resourceVersion": str(self._revision)}
        self._objects[ref] = obj
        return deepcopy(obj)


def _words(ref: ObjectRef) -> str:
    group = ref.api_version.rpartition("/")[0]
    plural = f"{ref.kind.lower()}s"
    return f"{plural}.{group}" if group else plural


def _matches(labels: Mapping[str, str], selector: str) -> bool:
    """Whether labels match a selector of `key=value` terms, the only ones known here."""
    for term in filter(None, selector.split(",")):
        key, _, value = term.partition("=")
        if labels.get(key) != value:
            return False
    return True
