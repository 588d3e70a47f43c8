"""Gives audited clusters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sregym_cluster_embedded.sdk.clusters import Embedded
from sregym_core.errors import UsageError
from sregym_core.interfaces import Cluster, ClusterProvider, ClusterSpec, Finding, History

from acme_audit.cluster import AuditedCluster, Book

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_OPTION = "file"


class Audited(ClusterProvider):
    """Embedded clusters with an audit log."""

    name: ClassVar[str] = "audited"
    simulated: ClassVar[bool] = True

    def __init__(self) -> None:
        self._embedded = Embedded()

    def check(self, options: Mapping[str, str]) -> None:
        """`file` says where the log goes; the rest are options of the embedded cluster."""
        if not options.get(_OPTION):
            message = f"cluster {self.name!r} needs the option {_OPTION!r}: {self.name}:{_OPTION}=audit.jsonl"
            raise UsageError(message)
        self._embedded.check(_others(options))

    def provision(self, spec: ClusterSpec) -> Cluster:
        """An embedded cluster behind the log."""
        self.check(spec.options)
        inner = self._embedded.provision(_without(spec))
        return AuditedCluster(inner, Book(Path(spec.options[_OPTION])))

    def origin(self, seed: int, options: Mapping[str, str]) -> int:
        """As the embedded cluster has it."""
        return self._embedded.origin(seed, _others(options))

    def history(self, spec: ClusterSpec) -> History:
        """As the embedded cluster has it."""
        return self._embedded.history(_without(spec))

    def examine(self, options: Mapping[str, str]) -> Sequence[Finding]:
        """What the embedded cluster needs, and a folder for the log."""
        self.check(options)
        folder = Path(options[_OPTION]).resolve().parent
        found = Finding("audit log", folder.is_dir(), str(folder), f"mkdir -p {folder}")
        return [found, *self._embedded.examine(_others(options))]


def _others(options: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in options.items() if name != _OPTION}


def _without(spec: ClusterSpec) -> ClusterSpec:
    return replace(spec, options=_others(spec.options))
