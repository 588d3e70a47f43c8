"""The application as SREGym sees it: generated from settings, once for each."""

from __future__ import annotations

from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from sregym_apps.application import ManifestApplication
from sregym_apps.lint import lint_folder
from sregym_apps.manifests import in_order
from sregym_apps.notes import notes_from
from sregym_core.model import ObjectRef
from sregym_kubernetes.changes import with_delivery_marks
from sregym_kubernetes.changes.delivery import Delivery

from sregym_app_synthetic.folder import as_folder
from sregym_app_synthetic.generating import generate
from sregym_app_synthetic.graph import Role
from sregym_app_synthetic.settings import Settings
from sregym_app_synthetic.users import NAME, weight_variable
from sregym_app_synthetic.whole import namespaces_of, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_apps.manifests import KubeObject
    from sregym_apps.model import ServiceModel
    from sregym_apps.notes import ComponentNotes
    from sregym_core.interfaces import Application, Vocabulary
    from sregym_lint import Defect

    from sregym_app_synthetic.graph import Graph
    from sregym_app_synthetic.writing import Written


class Synthetic(ManifestApplication):
    """A fictitious business with as many programs as asked for.

    Title, namespaces, description and load follow from the settings: they stand in each object, not
    in this class.
    """

    name: ClassVar[str] = "synthetic"
    title: ClassVar[str] = ""
    namespaces: ClassVar[tuple[str, ...]] = ()
    description: ClassVar[str] = ""
    package: ClassVar[str] = "sregym_app_synthetic"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", name=NAME
    )
    load_rate: ClassVar[str] = r"(?<=--rate=)\d+"
    delivery: ClassVar[Delivery] = Delivery.HELM
    settings: ClassVar[Settings] = Settings()

    def __init__(self) -> None:
        self._become(type(self).settings)

    def with_options(self, options: Mapping[str, str]) -> Application:
        """An application of another size, shape or seed; its name then has what differs."""
        settings = Settings.of(options, self.name)
        given = settings.options()
        own = {"settings": settings, "name": f"{Synthetic.name}:{given}" if given else self.name}
        made: Application = type("Synthetic", (Synthetic,), own)()
        return made

    def server_kinds(self) -> tuple[str, ...]:
        """The kinds of its databases, caches and brokers; most come from public images."""
        parts = self.graph.parts.values()
        return tuple(sorted({part.engine for part in parts if not part.is_program}))

    def delivered(self, obj: KubeObject) -> KubeObject:
        """With the marks of a release of the business's name."""
        return with_delivery_marks(obj, self.delivery, self.graph.brand, self.namespaces[0])

    def lint(self, vocabulary: Vocabulary | None = None) -> Sequence[Defect]:
        """What is wrong with what was generated, as for files written by hand."""
        folder = as_folder(self.name, self._written)
        return lint_folder(folder, self.name, vocabulary, application=self.name)

    def _become(self, settings: Settings) -> None:
        """What an application says of itself are attributes of its class."""
        self.graph = generate(settings)
        generator = Synthetic.load_generator
        mix = {
            weight_variable(one): (round(0.8 * one.weight, 1), round(1.25 * one.weight, 1))
            for one in self.graph.operations
        }
        own, outside = namespaces_of(self.graph)
        said = {
            "title": own.capitalize(),
            "namespaces": (own, outside),
            "description": describe(self.graph),
            "load_generator": generator.model_copy(update={"namespace": outside}),
            "load_mix": MappingProxyType(mix),
        }
        self.__class__ = type("Synthetic", (type(self),), said)

    @cached_property
    def _written(self) -> Written:
        return written(self.graph, self.settings.seed)

    def _read_objects(self) -> list[KubeObject]:
        return in_order(self._written.objects)

    def _read_notes(self) -> dict[str, ComponentNotes]:
        return notes_from(self._written.notes, self.name)

    def _read_model(self) -> ServiceModel:
        from sregym_apps.model import service_model_from

        return service_model_from(self._written.model(self.name), self.name)


def describe(graph: Graph) -> str:
    """What it does and of what parts, for people."""
    own, outside = namespaces_of(graph)
    entrance = graph.operations[0].gateway
    programs = sum(part.is_program for part in graph.parts.values())
    operations = ", ".join(one.request for one in graph.operations[:8])
    more = " and others" if len(graph.operations) > 8 else ""
    engines = sorted({part.engine for part in graph.parts.values() if not part.is_program})
    brokers = any(part.role is Role.BROKER for part in graph.parts.values())
    return f"""\
{own.capitalize()} is an online business of {programs} programs in namespace {
        own
    }. Users send HTTP requests to
Service {entrance}, port 80: {operations}{
        more
    }. Programs in Go are called by gRPC, port 9090; programs in
Java, Python and Node.js by HTTP, port 8080. Those in Java and Node.js read their settings in /app/config when
they start, from the ConfigMap of their name; the others read environment variables. A program that keeps data has a
database of its own, named after it with -db, and perhaps a cache, -cache ({
        ", ".join(engines)
    } are in use).{
        " Some publish messages, which other programs take." if brokers else ""
    } A steady mix of user requests comes from Deployment {NAME} in namespace {
        outside
    }, which logs every
ten seconds how each kind of request fared.
"""
