"""Service models that every embedded cluster knows: its own DNS, parts of a control plane, public images."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from sregym_apps.model import ServiceModel, parse_service_model
from sregym_apps.public_images import models_of_extensions

if TYPE_CHECKING:
    from sregym_apps.simulation import Installed

_FILES = ("system.yaml", "control_plane.yaml", "metrics_server.yaml", "ingress.yaml")
_PUBLIC = ("public.yaml", "languages.yaml", "servers.yaml", "load_tools.yaml", "admission.yaml")


@cache
def builtin_models() -> tuple[ServiceModel, ...]:
    """The models that come with the cluster."""
    folder = resources.files("sregym_cluster_embedded.userland") / "models"
    return tuple(
        parse_service_model((folder / name).read_text(encoding="utf-8"), name) for name in _FILES
    )


def public_models(extensions: Installed) -> tuple[ServiceModel, ...]:
    """Images of public registries; what an application says of one of them counts before.

    Raises:
        PluginLoadError: Those of an extension cannot be read; names the distribution.
    """
    return (*_public_models(), *models_of_extensions(extensions))


@cache
def _public_models() -> tuple[ServiceModel, ...]:
    folder = resources.files("sregym_cluster_embedded.userland") / "models"
    return tuple(
        parse_service_model((folder / name).read_text(encoding="utf-8"), name) for name in _PUBLIC
    )
