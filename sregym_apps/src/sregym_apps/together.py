"""Several applications in one cluster, as one application: for incidents that have nothing in common."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Application, Traffic
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster, Load, Vocabulary
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component
    from sregym_core.model.defect import Defect

# Between the names of applications that stand together.
JOIN = "+"


class Together(Application):
    """Applications side by side; `NAME+NAME` on the command line and in problems.

    Components and operations keep their names. Where two applications have one of the same name,
    each is called `APPLICATION/NAME`.

    Args:
        parts: The applications, in namespaces of their own.
    """

    def __init__(self, parts: Sequence[Application]) -> None:
        self._parts = tuple(parts)
        # Of an object in place of the class's: what they say depends on the parts.
        self.name = JOIN.join(part.name for part in parts)  # type: ignore[misc]
        self.title = ", ".join(part.title for part in parts)  # type: ignore[misc]
        self.namespaces = tuple(  # type: ignore[misc]
            dict.fromkeys(name for part in parts for name in part.namespaces)
        )
        self.description = "\n\n".join(part.description for part in parts)  # type: ignore[misc]

    @override
    def manifests(self) -> list[KubeObject]:
        return [obj for part in self._parts for obj in part.manifests()]

    @override
    def components(self) -> tuple[Component, ...]:
        named = [(part, part.components()) for part in self._parts]
        taken = Counter(one.name for _, components in named for one in components)
        shared = {
            name
            for name, count in Counter(
                name for _, components in named for name in _operations(components)
            ).items()
            if count > 1
        }
        found = []
        for part, components in named:
            for one in components:
                fields: dict[str, Any] = {"name": _told(part, one.name, taken[one.name] > 1)}
                for field in ("callers", "calls"):
                    others = getattr(one, field)
                    fields[field] = tuple(_told(part, name, taken[name] > 1) for name in others)
                fields["operations"] = tuple(
                    _told(part, name, name in shared) for name in one.operations
                )
                found.append(one.model_copy(update=fields))
        return tuple(sorted(found, key=lambda one: one.name))

    @override
    def service_models(self) -> tuple[Any, ...]:
        return tuple(
            model.in_namespaces(part.namespaces)
            for part in self._parts
            for model in part.service_models()
        )

    @override
    def server_kinds(self) -> tuple[str, ...]:
        return tuple(sorted({kind for part in self._parts for kind in part.server_kinds()}))

    @override
    def deploy(self, cluster: Cluster) -> None:
        for part in self._parts:
            part.deploy(cluster)

    @override
    def deploy_with_load(self, cluster: Cluster, load: Load) -> None:
        for part in self._parts:
            part.deploy_with_load(cluster, load)

    @override
    def with_namespace_suffix(self, suffix: str) -> Application | None:
        moved = [part.with_namespace_suffix(suffix) for part in self._parts]
        known = [part for part in moved if part is not None]
        return Together(known) if len(known) == len(moved) else None

    @override
    def ready(self, cluster: Cluster) -> list[str]:
        return [reason for part in self._parts for reason in part.ready(cluster)]

    @override
    def remove(self, cluster: Cluster) -> None:
        for part in self._parts:
            part.remove(cluster)

    @override
    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        """What the users of all saw; without latencies, which cannot be put together."""
        seen = [(part, part.traffic(cluster, seconds)) for part in self._parts]
        count = Counter(name for _, traffic in seen for name in traffic.operations)
        operations = {
            _told(part, name, count[name] > 1): operation
            for part, traffic in seen
            for name, operation in traffic.operations.items()
        }
        return Traffic(min(traffic.seconds for _, traffic in seen), operations)

    @override
    def traffic_rounds(self, cluster: Cluster, seconds: float) -> Sequence[tuple[float, Traffic]]:
        """Those of all, as they end."""
        told = [one for part in self._parts for one in part.traffic_rounds(cluster, seconds)]
        return sorted(told, key=lambda one: one[0])

    @override
    def lint(self, vocabulary: Vocabulary | None = None) -> Sequence[Defect]:
        return [defect for part in self._parts for defect in part.lint(vocabulary)]


def _told(part: Application, name: str, ambiguous: bool) -> str:
    return f"{part.name}/{name}" if ambiguous else name


def _operations(components: Sequence[Component]) -> set[str]:
    return {name for one in components for name in one.operations}
