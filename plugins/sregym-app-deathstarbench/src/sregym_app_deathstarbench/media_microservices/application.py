"""The application as SREGym sees it; what it is made of stands in the YAML files beside."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Mapping


class MediaMicroservices(ManifestApplication):
    """Media Microservices of DeathStarBench, in C++ with Thrift, OpenResty, MongoDB, Redis and memcached."""

    name: ClassVar[str] = "media-microservices"
    title: ClassVar[str] = "Media Microservices"
    namespaces: ClassVar[tuple[str, ...]] = ("media-microservices", "media-load")
    package: ClassVar[str] = "sregym_app_deathstarbench.media_microservices"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="media-load", name="media-load"
    )
    load_rate: ClassVar[str] = r"(?<= -R )\d+"
    load_mix: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType(
        {
            "WEIGHT_COMPOSE_REVIEW": (80.0, 94.0),
            "WEIGHT_REGISTER_USER": (2.0, 5.0),
            "WEIGHT_REGISTER_MOVIE": (1.0, 3.0),
            "WEIGHT_WRITE_MOVIE_INFO": (1.0, 3.0),
            "WEIGHT_WRITE_CAST_INFO": (1.0, 3.0),
            "WEIGHT_WRITE_PLOT": (1.0, 3.0),
        }
    )
    description: ClassVar[str] = """\
Media Microservices is a site for reviews of movies in namespace media-microservices. Users send
HTTP requests to Service nginx-web-server, port 8080 (OpenResty): POST /wrk2-api/review/compose
writes a review; /wrk2-api/user/register, /movie/register, /movie-info/write, /cast-info/write and
/plot/write add users and movies. Its Lua scripts call services by Thrift, port 9090 each. A review
comes in parts: user-service, movie-id-service (and through it rating-service), text-service and
unique-id-service each give theirs to compose-review-service, which keeps them in memcached until
all are there and then hands the review to review-storage-service, user-review-service and
movie-review-service. page-service puts pages together from movie-info-service, cast-info-service,
plot-service and movie-review-service. Each service reads service-config.json and jaeger-config.yml
in /media-microservices/config when it starts; they come from the ConfigMap of its name. Data is
kept in MongoDB (<name>-mongodb), Redis (<name>-redis) and memcached (<name>-memcached). Traces go
to jaeger. A steady mix of user requests comes from Deployment media-load in namespace media-load,
which logs every ten seconds how each kind of request fared."""
