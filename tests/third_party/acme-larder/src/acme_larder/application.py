"""A web shop's pantry on a Larder."""

from __future__ import annotations

from typing import ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef


class Pantry(ManifestApplication):
    """Visitors look at supplies and put some in."""

    name: ClassVar[str] = "pantry"
    title: ClassVar[str] = "Pantry"
    namespaces: ClassVar[tuple[str, ...]] = ("pantry",)
    description: ClassVar[str] = (
        "A web site on which households keep lists of supplies: Service web, port 80, in namespace "
        "pantry. It keeps documents in a Larder, whose client is larderctl."
    )
    package: ClassVar[str] = "acme_larder"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="pantry", name="visitors"
    )
