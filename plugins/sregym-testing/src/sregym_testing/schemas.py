"""Whether a real API server would take manifests, by the schemas of `kubernetes-validate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.interfaces.cluster import KubeObject

VERSION = "1.37"


def validate(objects: Iterable[KubeObject]) -> None:
    """Hold objects against the schemas of their kinds; an unknown field is wrong, too.

    All of a kind are one list: for each call the library reads the schemas of all kinds.

    Raises:
        kubernetes_validate.ValidationError: Of the first that is wrong, with the path in that list.
    """
    library = pytest.importorskip("kubernetes_validate", reason="pip install kubernetes-validate")
    kinds: dict[tuple[str, str], list[Any]] = {}
    for obj in objects:
        kinds.setdefault((obj["apiVersion"], obj["kind"]), []).append(obj)
    for (version, kind), items in kinds.items():
        listed = {"apiVersion": version, "kind": f"{kind}List", "items": items}
        library.validate(listed, VERSION, strict=True)
