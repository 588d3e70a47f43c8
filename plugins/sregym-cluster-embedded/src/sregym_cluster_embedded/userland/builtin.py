"""Service models that every embedded cluster knows: its own DNS, parts of a control plane, public images."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from sregym_apps.model import ServiceModel, parse_service_model
from sregym_core.errors import PluginLoadError

if TYPE_CHECKING:
    from sregym_apps.simulation import Extension, Installed

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
    found = [*_public_models()]
    for extension in extensions.extensions:
        for place in dict.fromkeys(extension.all_of("images")):
            found.append(_model_at(extensions, extension, place))
    return tuple(found)


@cache
def _public_models() -> tuple[ServiceModel, ...]:
    folder = resources.files("sregym_cluster_embedded.userland") / "models"
    return tuple(
        parse_service_model((folder / name).read_text(encoding="utf-8"), name) for name in _PUBLIC
    )


@lru_cache(maxsize=64)
def _model_at(extensions: Installed, extension: Extension, place: str) -> ServiceModel:
    package, _, name = place.partition(":")
    try:
        text = (resources.files(package) / name).read_text(encoding="utf-8")
        return parse_service_model(text, f"{package}/{name}", extensions)
    except (ImportError, OSError, TypeError, ValueError) as error:
        owner = extensions.owner("extension", extension.name)
        message = (
            f"extension {extension.name!r} of {owner} has the images {place}, which cannot be "
            f"read: {error}"
        )
        raise PluginLoadError(message) from error
