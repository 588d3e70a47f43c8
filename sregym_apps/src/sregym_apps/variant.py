"""An application that is another one but for some files."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.model import ObjectRef
from typing_extensions import override

from sregym_apps.application import ManifestApplication
from sregym_apps.manifests import load_manifests
from sregym_apps.notes import load_notes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

    from sregym_core.interfaces import Vocabulary
    from sregym_lint import Defect

    from sregym_apps.manifests import KubeObject
    from sregym_apps.notes import ComponentNotes


class Variant(ManifestApplication):
    """Base, before that of the application it is a variant of: `class Mine(Variant, HotelReservation)`.

    A folder holds what differs, in files as `ManifestApplication` has them; each may be missing:

        manifests/           objects that come besides, or in place of those of the same name; a workload
                             of another kind takes the place of the original's, too
        components.yaml      notes on components that come besides, or in place of others
        service_model.yaml   what runs in containers of images that it names; of others, the original's

    Attributes:
        differing: That folder, as a path below the folder of `package`.
        without: Objects of the original that the variant has not.
    """

    differing: ClassVar[str]
    without: ClassVar[tuple[ObjectRef, ...]] = ()

    @override
    def service_models(self) -> tuple[Any, ...]:
        # Imported here: a real cluster never asks for it.
        from sregym_apps.model import parse_service_model

        file = self._own_files() / "service_model.yaml"
        if not file.is_file():
            return super().service_models()
        own = parse_service_model(file.read_text(encoding="utf-8"), file.name)
        # The first that knows an image counts.
        return (own, *super().service_models())

    @override
    def lint(self, vocabulary: Vocabulary | None = None) -> Sequence[Defect]:
        # The package is the original's; what differs is no application by itself.
        original = type(self).__mro__[type(self).__mro__.index(Variant) + 1]
        found: Sequence[Defect] = original().lint(vocabulary)
        return found

    @override
    def _read_objects(self) -> list[KubeObject]:
        place = self._own_files() / "manifests"
        own = load_manifests(place) if place.is_dir() else []
        taken = {_place(obj) for obj in own} | set(self.without)
        return [*(obj for obj in super()._read_objects() if _place(obj) not in taken), *own]

    @override
    def _read_notes(self) -> dict[str, ComponentNotes]:
        file = self._own_files() / "components.yaml"
        return {**super()._read_notes(), **(load_notes(file) if file.is_file() else {})}

    def _own_files(self) -> Traversable:
        return files(self.package).joinpath(*self.differing.split("/"))


def _place(obj: KubeObject) -> ObjectRef:
    """What an object takes the place of: those of the same name that run pods for good are one kind."""
    ref = ObjectRef.of(obj)
    if ref.kind not in ("Deployment", "StatefulSet", "DaemonSet"):
        return ref
    return ref.model_copy(update={"kind": "Deployment"})
