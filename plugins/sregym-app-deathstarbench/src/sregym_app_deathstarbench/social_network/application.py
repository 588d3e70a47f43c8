"""The application as SREGym sees it; what it is made of stands in the YAML files beside."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Mapping


class SocialNetwork(ManifestApplication):
    """Social Network of DeathStarBench, in C++ with Thrift, OpenResty, MongoDB, Redis and memcached."""

    name: ClassVar[str] = "social-network"
    title: ClassVar[str] = "Social Network"
    namespaces: ClassVar[tuple[str, ...]] = ("social-network", "social-load")
    package: ClassVar[str] = "sregym_app_deathstarbench.social_network"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="social-load", name="social-load"
    )
    load_rate: ClassVar[str] = r"(?<= -R )\d+"
    load_mix: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType(
        {
            "WEIGHT_HOME_TIMELINE": (50.0, 70.0),
            "WEIGHT_USER_TIMELINE": (22.0, 38.0),
            "WEIGHT_COMPOSE_POST": (7.0, 13.0),
        }
    )
    description: ClassVar[str] = """\
Social Network is a site in namespace social-network whose users follow each other, write posts and
read time-lines. They send HTTP requests to Service nginx-thrift, port 8080 (OpenResty):
/wrk2-api/home-timeline/read, /wrk2-api/user-timeline/read and /wrk2-api/post/compose. Its Lua
scripts call the services behind it by Thrift, port 9090 each: a post goes to compose-post-service,
which asks text-service (url-shorten-service, user-mention-service), user-service, media-service and
unique-id-service, and then stores it with post-storage-service, user-timeline-service and
home-timeline-service; that one asks social-graph-service who follows the author. Time-lines are read
from home-timeline-service and user-timeline-service, which take the posts from
post-storage-service. Each service reads service-config.json and jaeger-config.yml in
/social-network-microservices/config when it starts; they come from the ConfigMap of its name.
Data is kept in MongoDB (<name>-mongodb), Redis (<name>-redis) and memcached (<name>-memcached).
media-frontend, port 8081, serves pictures. Traces go to jaeger. A steady mix of user requests
comes from Deployment social-load in namespace social-load, which logs every ten seconds how each
kind of request fared."""
