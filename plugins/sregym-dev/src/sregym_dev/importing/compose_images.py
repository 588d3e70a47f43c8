"""Which image a service of a compose file runs, where the file says it in part or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_dev.importing.known import kind_by_name

if TYPE_CHECKING:
    from sregym_dev.importing.compose_objects import Service

_TAG = "1.0"


def image_of(service: Service) -> str:
    """The reference of a service's image; what is made up is said.

    What variables without a value leave out of a reference is filled in: Kubernetes refuses
    `/web:` as a whole.
    """
    entry, remarks = service.entry, service.remarks
    own = f"example.com/{service.application}"
    given = str(entry.get("image") or "")
    name, _, digest = given.partition("@")
    head, colon, tag = name.rpartition(":")
    path, tag = (head, tag) if colon and "/" not in tag else (name, "latest")
    parts = [part for part in path.split("/") if part]
    if not parts:
        image = f"{own}/{service.name}:{_TAG}"
        what = "it is built from sources" if entry.get("build") else "it names no image"
        remarks.guessed(service.where, f"{what}; its image is called {image}")
        return image
    if tag and len(parts) == path.count("/") + 1:
        return given
    whole = "/".join(parts) if len(parts) > 1 else f"{own}/{parts[0]}"
    image = f"{whole}@{digest}" if digest else f"{whole}:{tag or _TAG}"
    why = f"image {given!r} lacks what its variables would say"
    remarks.guessed(service.where, f"{why}; it is called {image}")
    return image


def kind_by_service(service: Service, image: str) -> str:
    """The kind of server that a service's name and the end of its image's name agree on."""
    kind = kind_by_name(service.name)
    last = image.rpartition("/")[2].partition(":")[0]
    return kind if kind and kind_by_name(last.rpartition("-")[2]) == kind else ""
