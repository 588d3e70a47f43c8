"""The application as SREGym sees it; what it is made of stands in the YAML files beside."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Mapping


class BlueprintHotels(ManifestApplication):
    """Hotel Reservation as Blueprint generates it: Go with gRPC, MongoDB and memcached."""

    name: ClassVar[str] = "blueprint-hotel-reservation"
    title: ClassVar[str] = "Blueprint Hotel Reservation"
    namespaces: ClassVar[tuple[str, ...]] = ("blueprint-hotel-reservation", "wlgen")
    package: ClassVar[str] = "sregym_app_blueprint"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="wlgen", name="wlgen"
    )
    load_rate: ClassVar[str] = r"(?<=^TPUT=)\d+"
    load_mix: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType(
        {
            "WEIGHT_SEARCH": (52.0, 68.0),
            "WEIGHT_RECOMMEND": (30.0, 46.0),
            "WEIGHT_USER": (0.4, 1.2),
            "WEIGHT_RESERVE": (0.4, 1.0),
        }
    )
    description: ClassVar[str] = """\
Blueprint Hotel Reservation is a hotel search and booking site in namespace
blueprint-hotel-reservation. Users send HTTP requests to Service frontend-service, port 2000:
GET /SearchHandler (search by dates and place), /RecommendHandler, /UserHandler (log-in) and
/ReservationHandler (book a room). frontend-service calls search-service, profile-service,
recomd-service, user-service and reserv-service by gRPC, port 12345; search-service calls
geo-service and rate-service. Each service reads its addresses from the ConfigMap of its name when
it starts, and from the ConfigMap rpc how long a call may take and how many attempts it gets
(GRPC_CLIENT_TIMEOUT, GRPC_CLIENT_RETRIES_ON_ERROR). geo, rate, profile, recomd, user and reserv
keep their data in a MongoDB of their own (<name>-db); rate, profile and reserv also use a
memcached (<name>-cache). Traces go to jaeger. A steady mix of user requests comes from Deployment
wlgen in namespace wlgen, whose environment says how many and in which phases; it logs every ten
seconds how each kind of request fared."""
