"""An orchard that Gardener keeps."""

from __future__ import annotations

from typing import ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef


class Orchard(ManifestApplication):
    """Visitors pick fruit from the trees of a Grove."""

    name: ClassVar[str] = "orchard"
    title: ClassVar[str] = "Orchard"
    namespaces: ClassVar[tuple[str, ...]] = ("orchard", "gardener")
    description: ClassVar[str] = (
        "A web service in namespace orchard: the Grove trees, from which the operator in namespace "
        "gardener makes a StatefulSet and a Service trees, port 8080."
    )
    package: ClassVar[str] = "acme_gardener"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="orchard", name="visitors"
    )
