"""Service models that every embedded cluster knows: its own DNS, small images, public ones."""

from __future__ import annotations

from functools import cache
from importlib import resources

from sregym_apps.model import ServiceModel, parse_service_model

_FILES = ("system.yaml", "metrics_server.yaml", "ingress.yaml", "shop.yaml")
_PUBLIC = ("public.yaml", "nginx.yaml")


@cache
def builtin_models() -> tuple[ServiceModel, ...]:
    """The models that come with the cluster."""
    folder = resources.files("sregym_cluster_embedded.userland") / "models"
    return tuple(
        parse_service_model((folder / name).read_text(encoding="utf-8"), name) for name in _FILES
    )


@cache
def public_models() -> tuple[ServiceModel, ...]:
    """Images of public registries; what an application says of one of them counts before."""
    folder = resources.files("sregym_cluster_embedded.userland") / "models"
    return tuple(
        parse_service_model((folder / name).read_text(encoding="utf-8"), name) for name in _PUBLIC
    )
