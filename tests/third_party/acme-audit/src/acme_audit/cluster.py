"""A cluster that passes everything on, and writes down who changed what."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Checkpoint, Cluster
from sregym_kubernetes.operations import KubernetesOperations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sregym_core.interfaces import (
        Access,
        Actor,
        Clock,
        ClusterSpec,
        Command,
        CommandResult,
        NodeAccess,
        ServiceAnswer,
    )
    from sregym_core.model import ObjectRef
    from sregym_core.policy import Policy


@dataclass(frozen=True)
class Book:
    """Where entries go, one JSON object a line."""

    file: Path

    def enter(self, at_s: float, verb: str, what: str, who: str) -> None:
        """Write down a change."""
        entry = {"at_s": round(at_s, 3), "verb": verb, "what": what, "who": who}
        with self.file.open("a", encoding="utf-8") as book:
            book.write(json.dumps(entry) + "\n")


class AuditedCluster(Cluster):
    """Another cluster, with a book."""

    nodes_are_apart = True

    def __init__(self, inner: Cluster, book: Book) -> None:
        self._inner, self._book = inner, book

    @property
    def clock(self) -> Clock:
        """The other one's."""
        return self._inner.clock

    @property
    def services(self) -> tuple[str, ...]:
        """The other one's."""
        return self._inner.services

    @property
    def operations(self) -> KubernetesOperations:
        """Those of any Kubernetes."""
        return KubernetesOperations(self)

    @property
    def nodes(self) -> NodeAccess | None:
        """The other one's."""
        return self._inner.nodes

    def get(self, ref: ObjectRef) -> dict[str, Any] | None:
        """Read."""
        return self._inner.get(ref)

    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[dict[str, Any]]:
        """Read."""
        return self._inner.list(api_version, kind, namespace, selector)

    def create(self, obj: dict[str, Any], actor: Actor | None = None) -> dict[str, Any]:
        """Write."""
        self._enter("create", _named(obj), actor)
        return self._inner.create(obj, actor)

    def replace(self, obj: dict[str, Any], actor: Actor | None = None) -> dict[str, Any]:
        """Write."""
        self._enter("replace", _named(obj), actor)
        return self._inner.replace(obj, actor)

    def patch(
        self, ref: ObjectRef, patch: Any, kind: str = "strategic", actor: Actor | None = None
    ) -> dict[str, Any]:
        """Write."""
        self._enter("patch", str(ref), actor)
        return self._inner.patch(ref, patch, kind, actor)

    def delete(
        self, ref: ObjectRef, propagation: str = "Background", actor: Actor | None = None
    ) -> None:
        """Write."""
        self._enter("delete", str(ref), actor)
        self._inner.delete(ref, propagation, actor)

    def logs(
        self,
        namespace: str,
        pod: str,
        container: str = "",
        *,
        since_s: float | None = None,
        previous: bool = False,
    ) -> str:
        """Read."""
        return self._inner.logs(namespace, pod, container, since_s=since_s, previous=previous)

    def exec(
        self, namespace: str, pod: str, command: Sequence[str], container: str = "", stdin: str = ""
    ) -> CommandResult:
        """Write."""
        self._book.enter(self.clock.now(), "exec", f"{namespace}/{pod}", " ".join(command))
        return self._inner.exec(namespace, pod, command, container, stdin)

    def kubectl(self, command: Command) -> CommandResult:
        """Write."""
        self._book.enter(self.clock.now(), "kubectl", " ".join(command.argv[1:]), "")
        return self._inner.kubectl(command)

    def kubectl_for(self, command: Command, policy: Policy) -> CommandResult:
        """Write, as an agent."""
        self._book.enter(self.clock.now(), "kubectl", " ".join(command.argv[1:]), "agent")
        return self._inner.kubectl_for(command, policy)

    def observe(
        self,
        service: str,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        method: str = "GET",
        body: bytes = b"",
    ) -> ServiceAnswer:
        """Read."""
        return self._inner.observe(service, path, query, method, body)

    def observe_for(
        self, policy: Policy, service: str, path: str, query: Sequence[tuple[str, str]] = ()
    ) -> ServiceAnswer:
        """Read."""
        return self._inner.observe_for(policy, service, path, query)

    def hidden_state(self) -> Mapping[str, str]:
        """The other one's."""
        return self._inner.hidden_state()

    def save_machines(self) -> object:
        """The other one's."""
        return self._inner.save_machines()

    def restore_machines(self, kept: object) -> None:
        """The other one's."""
        self._inner.restore_machines(kept)

    def approach_wall_clock(self, lead_s: float) -> None:
        """Pass it on."""
        self._inner.approach_wall_clock(lead_s)

    def open_access(self) -> Access:
        """The other one's; who comes in there is not written down."""
        return self._inner.open_access()

    def open_access_for(self, policy: Policy) -> Access:
        """The same for an agent."""
        return self._inner.open_access_for(policy)

    def interrupt(self) -> None:
        """Pass it on."""
        self._inner.interrupt()

    def close(self) -> None:
        """Close the other one."""
        self._inner.close()

    def checkpoint(self) -> Checkpoint | None:
        """Forks write into the same book."""
        inner = self._inner.checkpoint()
        return None if inner is None else _Audited(inner, self._book)

    def _enter(self, verb: str, what: str, actor: Actor | None) -> None:
        self._book.enter(self.clock.now(), verb, what, actor.manager if actor else "")


@dataclass(frozen=True)
class _Audited(Checkpoint):
    inner: Checkpoint
    book: Book

    def fork(self, spec: ClusterSpec) -> Cluster:
        others = {name: value for name, value in spec.options.items() if name != "file"}
        return AuditedCluster(self.inner.fork(replace(spec, options=others)), self.book)


def _named(obj: dict[str, Any]) -> str:
    metadata = obj["metadata"]
    return "/".join(filter(None, (obj["kind"], metadata.get("namespace"), metadata["name"])))
