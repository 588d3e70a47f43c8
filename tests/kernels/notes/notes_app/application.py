"""A store and who writes to it."""

from __future__ import annotations

from typing import Any, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_core.model import ObjectRef


class Notes(ManifestApplication):
    """Users write down one thing after the other."""

    name: ClassVar[str] = "notes"
    title: ClassVar[str] = "Notes"
    namespaces: ClassVar[tuple[str, ...]] = ("notes", "notes-load")
    description: ClassVar[str] = (
        "Notes that are kept in a Redis, Service store, port 6379, in namespace notes."
    )
    package: ClassVar[str] = "notes_app"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="notes-load", name="load"
    )
    round_s: ClassVar[float] = 5.0

    def service_models(self) -> tuple[Any, ...]:
        """None: it runs for real."""
        return ()
