"""The application as SREGym sees it; what it is made of stands in the YAML files beside."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Mapping


class FleetCast(ManifestApplication):
    """Operators of a satellite fleet look at telemetry that a FastAPI service keeps in TiDB."""

    name: ClassVar[str] = "fleetcast"
    title: ClassVar[str] = "FleetCast"
    namespaces: ClassVar[tuple[str, ...]] = (
        "fleetcast",
        "tidb-cluster",
        "tidb-operator",
        "fleetcast-load",
    )
    package: ClassVar[str] = "sregym_app_fleetcast"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="fleetcast-load", name="load-generator"
    )
    load_rate: ClassVar[str] = r"(?<=--users=)\d+"
    load_mix: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType(
        {
            "WEIGHT_INDEX": (1.5, 2.5),
            "WEIGHT_DASHBOARD": (4.0, 6.0),
            "WEIGHT_STATION": (3.0, 5.0),
            "WEIGHT_SIMULATE": (0.8, 1.2),
        }
    )
    description: ClassVar[str] = """\
FleetCast shows the state of a fleet of satellites. People who watch it send HTTP requests to Service
satellite-app-frontend in namespace fleetcast, port 80 (nginx): the page itself, and /api/dashboard,
/api/station/ID and /api/simulate, which it passes on to satellite-app-backend, port 5000 (Python,
FastAPI). The backend keeps contact windows and telemetry in database satellite_sim of TiDB, to which
it connects at basic-tidb.tidb-cluster.svc, port 4000, with MySQL's protocol. The TiDB cluster is the
TidbCluster basic in namespace tidb-cluster, from which tidb-operator (Deployment
tidb-controller-manager in namespace tidb-operator) makes the StatefulSets basic-pd, basic-tikv and
basic-tidb with their Services and ConfigMaps. A steady mix of requests comes from Deployment
load-generator in namespace fleetcast-load (Locust), which logs every ten seconds how each kind of
request fared."""
