"""Work that ends, of init containers and Jobs: what of it cannot be done here is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import pod_spec

from sregym_dev.importing.container_inputs import Part, parts_of
from sregym_dev.importing.executables import (
    Executables,
    executables_of,
    with_commands_as_arguments,
)
from sregym_dev.importing.known import kind_by_name

if TYPE_CHECKING:
    from sregym_apps.manifests import KubeObject
    from sregym_core.interfaces import Vocabulary

    from sregym_dev.importing.remarks import Remarks


def without_unknown_work(
    objects: list[KubeObject], vocabulary: Vocabulary | None, remarks: Remarks
) -> list[KubeObject]:
    """The objects without init containers and Jobs that would never end, or could only fail.

    Args:
        objects: Of the application; pods are changed in place.
        vocabulary: Which commands containers have.
        remarks: Told what is left out.
    """
    parts = parts_of(objects)
    bare = with_commands_as_arguments(parts)
    found = [(part, executables_of(part, vocabulary, bare)) for part in parts]
    served = {key for part, runs in found if not part.ends for key in _keys(part, runs)}
    gone: list[int] = []
    for part, runs in found:
        why = _why_not(part, runs, served) if part.ends else ""
        if not why:
            continue
        remarks.left_out(f"{part.where}", why)
        pod = pod_spec(part.owner)
        if part.init:
            pod["initContainers"][:] = [c for c in pod["initContainers"] if c is not part.container]
        else:
            gone.append(id(part.owner))
    return [obj for obj in objects if id(obj) not in gone]


def _keys(part: Part, runs: Executables) -> set[tuple[str, str]]:
    return {(part.image, path) for path in (("",) if runs.own else runs.paths)}


def _why_not(part: Part, runs: Executables, served: set[tuple[str, str]]) -> str:
    if runs.sourced:
        return f"its script needs {runs.sourced[0]} of its image, which nobody knows"
    if kind_by_name(part.image):
        if runs.own:
            return "it runs a server, which would not end"
        return (
            f"its script needs {runs.paths[0]} of its image, which nobody knows"
            if runs.paths
            else ""
        )
    if _keys(part, runs) & served:
        return "it runs the executable of a service, which would not end"
    return ""
