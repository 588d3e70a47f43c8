"""The files of an application, as far as they can be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sregym_lint import Defect, Document, Location, documents, field_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from sregym_core.interfaces import Vocabulary

    from sregym_apps.model.loading import Examined
    from sregym_apps.simulation import Installed

MODEL, NOTES, MANIFESTS = "service_model.yaml", "components.yaml", "manifests"
# Where the template of a pod stands in objects that make pods.
_TEMPLATES: dict[str, Location] = {
    "Pod": (),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    **dict.fromkeys(
        ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"), ("spec", "template")
    ),
}


@dataclass(frozen=True)
class KubeDocument:
    """An object of the manifests, or one that an operator makes.

    Attributes:
        text: The text that it stands in.
        data: The object.
        prefix: Where it begins in the text.
    """

    text: Document
    data: dict[str, Any]
    prefix: Location = ()

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.data["kind"])

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.data["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """Its namespace; empty where it names none."""
        return str(self.data["metadata"].get("namespace", ""))

    @property
    def template(self) -> tuple[Location, dict[str, Any]] | None:
        """Where the template of its pods stands, and what it is; None where it makes none."""
        if self.kind not in _TEMPLATES:
            return None
        here: Any = self.data
        for step in _TEMPLATES[self.kind]:
            here = here.get(step) if isinstance(here, dict) else None
        good = isinstance(here, dict) and isinstance(here.get("spec"), dict)
        return (_TEMPLATES[self.kind], here) if good else None

    def defect(self, location: Location, what: str) -> Defect:
        """A defect at a location."""
        return self.text.defect((*self.prefix, *location), f"{self.kind} {self.name!r}: {what}")


@dataclass
class Files:
    """All files of an application.

    Attributes:
        known: Which kinds of servers and protocols there are.
        vocabulary: What simulated clusters know; None where there is none.
        examined: The service model.
        objects: Objects of the manifests.
        notes: `components.yaml`.
        defects: Why files cannot be read.
    """

    known: Installed
    vocabulary: Vocabulary | None
    examined: Examined | None = None
    objects: list[KubeDocument] = field(default_factory=list)
    notes: Document | None = None
    defects: list[Defect] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[KubeDocument]:
        """Objects of a kind."""
        return [obj for obj in self.objects if obj.kind == kind]

    def find(self, kind: str, namespace: str, name: str) -> KubeDocument | None:
        """One object."""
        same = (obj for obj in self.of_kind(kind) if obj.name == name)
        return next((obj for obj in same if obj.namespace == namespace), None)

    def namespaces(self) -> set[str]:
        """Those of its objects."""
        return {obj.namespace for obj in self.objects if obj.namespace}

    def model_defect(self, location: Location, what: str) -> Defect:
        """A defect in the service model."""
        examined = self.examined
        if examined is None or examined.document is None or examined.compared is None:
            return Defect(MODEL, 0, field_path(location), what)
        return examined.document.defect(examined.compared.original(location), what)

    def left_out(self) -> frozenset[str]:
        """Names in the service model that were reported already."""
        compared = self.examined.compared if self.examined else None
        return compared.left_out if compared else frozenset()


def manifests_in(folder: Traversable, shown: str) -> Iterator[KubeDocument | Defect]:
    """The objects of a folder of manifests, and what is no object."""
    entries = [entry for entry in folder.iterdir() if entry.name.endswith((".yaml", ".yml"))]
    for entry in sorted(entries, key=lambda entry: entry.name):
        name = f"{shown}/{entry.name}"
        read, unreadable = documents(entry.read_text(encoding="utf-8"), name)
        yield from unreadable
        for document in read:
            yield from document.own
            data = document.data
            if data is None:
                continue
            metadata = data.get("metadata") if isinstance(data, dict) else None
            if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
                yield document.defect(("metadata",), "a Kubernetes object has a 'metadata.name'")
            elif not isinstance(data.get("kind"), str):
                yield document.defect(("kind",), "a Kubernetes object has a 'kind'")
            else:
                yield KubeDocument(document, data)
