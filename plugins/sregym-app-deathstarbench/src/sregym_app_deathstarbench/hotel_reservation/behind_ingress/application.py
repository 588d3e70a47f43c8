"""The same application with another way in; its own YAML files say only what differs."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_apps.manifests import load_manifests
from sregym_core.model import ObjectRef
from typing_extensions import override

from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_apps.manifests import KubeObject
    from sregym_core.interfaces import Application, Vocabulary
    from sregym_core.lint import Defect

_HERE = files("sregym_app_deathstarbench.hotel_reservation") / "behind_ingress"


class HotelReservationIngress(HotelReservation):
    """Hotel Reservation behind an ingress controller of class `nginx`, which the cluster brings."""

    name: ClassVar[str] = "hotel-reservation-ingress"
    title: ClassVar[str] = "Hotel Reservation behind an Ingress"
    load_rate: ClassVar[str] = r"(?<= --rps )\d+"
    description: ClassVar[str] = HotelReservation.description.replace(
        "Users send\nHTTP requests to Service frontend, port 5000:",
        "Users send\nrequests to https://hotels.load.svc, a name of the ingress controller (namespace "
        "ingress-nginx);\nIngress frontend with the certificate of Secret frontend-tls passes them to "
        "Service frontend, port 5000:",
    )

    @override
    def service_models(self) -> tuple[Any, ...]:
        # Imported here: a real cluster never asks for it.
        from sregym_apps.model import parse_service_model

        file = _HERE / "service_model.yaml"
        own = parse_service_model(file.read_text(encoding="utf-8"), file.name)
        return (*super().service_models(), own)

    @override
    def relocated(self, suffix: str) -> Application | None:
        # Its certificate names a host that has the namespace in it.
        return None

    @override
    def lint(self, vocabulary: Vocabulary | None = None) -> Sequence[Defect]:
        # The folder is the other's; what differs is no application by itself.
        return HotelReservation().lint(vocabulary)

    @override
    def _read_objects(self) -> list[KubeObject]:
        own = load_manifests(_HERE / "manifests")
        named = {ObjectRef.of(obj) for obj in own}
        return [*(obj for obj in super()._read_objects() if ObjectRef.of(obj) not in named), *own]
