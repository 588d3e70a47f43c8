"""What a Scale shows of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.api.printers.cell_texts import selector as selector_text

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object


_LARGEST = 2**31


class Paths(NamedTuple):
    """Where an object keeps what a Scale shows; `selects`: the types with a `spec.selector`."""

    wanted: tuple[str, ...] = ("spec", "replicas")
    present: tuple[str, ...] = ("status", "replicas")
    selector: tuple[str, ...] = ()
    selects: bool = True


def scale_of(obj: Object, paths: Paths | None = None) -> Object:
    """The Scale of an object."""
    paths = paths or Paths()
    metadata = {
        field: obj["metadata"][field]
        for field in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
        if field in obj["metadata"]
    }
    replicas = _number(_at(obj, paths.wanted))
    status: Object = {"replicas": _number(_at(obj, paths.present))}
    if paths.selects:
        given = obj.get("spec", {}).get("selector")
        text = selector_text(
            given if given is None or "matchLabels" in given else {"matchLabels": given}
        )
        status["selector"] = text
    elif _at(obj, paths.selector):
        status["selector"] = str(_at(obj, paths.selector))
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": replicas} if replicas else {},
        "status": status,
    }


def _at(obj: Any, path: tuple[str, ...]) -> Any:
    if not path:
        return None
    for step in path:
        obj = obj.get(step) if isinstance(obj, dict) else None
    return obj


def _number(value: Any) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and abs(value) < _LARGEST else 0
