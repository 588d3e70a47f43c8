"""The application; what it is made of stands in the YAML files beside."""

from __future__ import annotations

from typing import ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef


class Parcels(ManifestApplication):
    """A parcel service."""

    name: ClassVar[str] = "parcels"
    title: ClassVar[str] = "Parcels"
    namespaces: ClassVar[tuple[str, ...]] = ("parcels",)
    description: ClassVar[str] = (
        "A parcel service in namespace parcels: desk takes requests and asks web, which keeps "
        "entries in a ledger that an operator runs; a CronJob sweeps it."
    )
    package: ClassVar[str] = "acme_sregym_parcels"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="parcels", name="load"
    )
