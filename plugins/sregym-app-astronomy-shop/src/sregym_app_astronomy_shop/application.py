"""The application as SREGym sees it; what it is made of stands in the YAML files beside."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Mapping


class AstronomyShop(ManifestApplication):
    """The demo of OpenTelemetry: a web shop of services in ten languages, with Kafka, PostgreSQL and Valkey."""

    name: ClassVar[str] = "astronomy-shop"
    title: ClassVar[str] = "Astronomy Shop"
    namespaces: ClassVar[tuple[str, ...]] = ("astronomy-shop", "astronomy-load")
    package: ClassVar[str] = "sregym_app_astronomy_shop"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="astronomy-load", name="load-generator"
    )
    load_rate: ClassVar[str] = r"(?<=--users=)\d+"
    load_mix: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType(
        {
            "WEIGHT_BROWSE_PRODUCT": (8.0, 12.0),
            "WEIGHT_GET_RECOMMENDATIONS": (2.4, 3.6),
            "WEIGHT_GET_ADS": (2.4, 3.6),
            "WEIGHT_VIEW_CART": (2.4, 3.6),
            "WEIGHT_ADD_TO_CART": (1.6, 2.4),
            "WEIGHT_CHECKOUT": (0.9, 1.4),
            "WEIGHT_CHECKOUT_MULTI": (0.9, 1.4),
        }
    )
    description: ClassVar[str] = """\
Astronomy Shop is a web shop for telescopes in namespace astronomy-shop, the demo of OpenTelemetry.
Shoppers send HTTP requests to Service frontend-proxy, port 8080 (Envoy): /, /api/products/ID,
/api/recommendations, /api/data/ (advertisements), /api/cart and /api/checkout. It passes them to
frontend (Next.js), which calls ad, cart, checkout, product-catalog and recommendation by gRPC, port
8080. checkout asks cart, product-catalog, currency, payment, shipping (HTTP; that one asks quote)
and email (HTTP), and writes the order to topic orders of kafka, from which accounting and
fraud-detection read. cart keeps its data in valkey-cart; product-catalog, product-reviews and
accounting use database otel of postgresql as user otelu. Each service finds the others by its
variables <NAME>_ADDR, and feature flags at flagd (ConfigMap flagd-config). Traces go to
otel-collector and from there to jaeger. A steady mix of requests comes from Deployment
load-generator in namespace astronomy-load (Locust), which logs every ten seconds how each kind of
task fared."""
