"""Service models of public images, which come with the kinds of servers that run in them."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from sregym_core.errors import PluginLoadError

from sregym_apps.model import ServiceModel, parse_service_model

if TYPE_CHECKING:
    from sregym_apps.simulation import Extension, Installed


def models_of_extensions(extensions: Installed) -> tuple[ServiceModel, ...]:
    """What installed extensions declare of public images; what an application declares counts first.

    Raises:
        PluginLoadError: Those of an extension cannot be read; names the distribution.
    """
    return tuple(
        _model_at(extensions, extension, place)
        for extension in extensions.extensions
        for place in dict.fromkeys(extension.all_of("images"))
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
