"""An application that is a folder of manifests: everything but what makes it special."""

from __future__ import annotations

import copy
import re
from functools import cached_property, partial
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError
from sregym_core.interfaces import Application, ClusterError, Load, Traffic
from sregym_core.model import ObjectRef, containers_of
from sregym_kubernetes.changes import helm, with_delivery_marks
from sregym_kubernetes.changes.delivery import DELIVERERS, HELM_NAMESPACE, HELM_RELEASE, Delivery

from sregym_apps.client_probes import prober_of
from sregym_apps.components import components_of_operators, derive_components
from sregym_apps.copying import copied
from sregym_apps.manifests import KubeObject, load_manifests
from sregym_apps.notes import load_notes
from sregym_apps.readiness import what_is_not_ready
from sregym_apps.relocation import Relocation, cluster_wide
from sregym_apps.table import content_of, with_table
from sregym_apps.workload import RoundLine, by_round, parse_rounds, summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.resources.abc import Traversable

    from sregym_core.interfaces import Cluster, Prober, Vocabulary
    from sregym_core.model import Component
    from sregym_lint import Defect

    from sregym_apps.model import ServiceModel
    from sregym_apps.notes import ComponentNotes


# What is worked out from the manifests when it is first asked for.
_DERIVED = ("_objects", "_by_ref", "_components", "_made", "_load_component")
# Longer than any API server needs to serve a new kind, or to make the account of a namespace.
ESTABLISHED_S = 60.0
# How much clients of the harness ask, in terms of what users do.
PROBING_LEVEL = 0.25


def _established(cluster: Cluster, definition: ObjectRef) -> bool:
    """Whether objects of a custom resource can be created."""
    obj = cluster.get(definition) or {}
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


def _account_of(pod: KubeObject) -> ObjectRef:
    """The ServiceAccount without which a Pod is refused; controllers would try again."""
    name = pod["spec"].get("serviceAccountName", "default")
    namespace = pod["metadata"].get("namespace", "")
    return ObjectRef(api_version="v1", kind="ServiceAccount", namespace=namespace, name=name)


def _exists(cluster: Cluster, ref: ObjectRef) -> bool:
    return cluster.get(ref) is not None


class ManifestApplication(Application):
    """Base of applications that consist of manifests, notes on components and a service model.

    The package named by `package` holds:

        manifests/           one YAML file per component
        components.yaml      notes on components, see `sregym_apps.notes`
        service_model.yaml   what runs in the containers, see `sregym_apps.model`
        table.yaml           templates and rows that make more of these three, see `sregym_apps.table`

    Attributes:
        package: Dotted name of that package.
        load_generator: The Deployment whose log holds the rounds, see `sregym_apps.workload`.
        round_s: Length of its rounds.
        load_rate: Pattern of the whole number that is the rate of its requests, in a word of its command
            or in a variable of its environment, written `NAME=value`; empty where there is none.
        load_mix: Environment variables of its containers that are weights of kinds of requests, each
            with the least and the greatest that is plausible. Simulated clusters choose by the seed.
        delivery: With which tool its owners deploy and change it; live objects bear its marks.
    """

    package: ClassVar[str]
    load_generator: ClassVar[ObjectRef]
    round_s: ClassVar[float] = 10.0
    load_rate: ClassVar[str] = ""
    load_mix: ClassVar[Mapping[str, tuple[float, float]]] = MappingProxyType({})
    delivery: ClassVar[Delivery] = Delivery.APPLY
    _moved_by: ClassVar[Relocation | None] = None

    def manifests(self) -> list[KubeObject]:
        """All objects in the order of creation; the caller may change them."""
        return copied(self._objects)

    def manifest(self, ref: ObjectRef) -> KubeObject | None:
        """One object by its address, or None; the caller may change it."""
        return copied(self._by_ref.get(ref))

    def components(self) -> tuple[Component, ...]:
        """One component per workload, sorted by name."""
        return self._components

    def service_models(self) -> tuple[Any, ...]:
        """The service model of the package; raises `ServiceModelError` when it has errors."""
        return (self._service_model,)

    def deploy(self, cluster: Cluster) -> None:
        """Create all objects in order; the first refusal passes through as `ClusterError`."""
        self.deploy_with_load(cluster, Load())

    def deploy_with_load(self, cluster: Cluster, load: Load) -> None:
        """The same, with another rate and mix where `load_rate` and `load_mix` say what they are.

        Raises:
            UsageError: No container of the load generator has a variable of `load_mix`.
        """
        made = []
        for obj in self._objects:
            loaded = load != Load() and ObjectRef.of(obj) == self.load_generator
            given = self._under_load(obj, load) if loaded else obj
            if obj["kind"] == "Pod":
                account = _account_of(obj)
                cluster.clock.wait_until(partial(_exists, cluster, account), ESTABLISHED_S, 1.0)
            made.append(self.delivered(given))
            cluster.create(made[-1], DELIVERERS[self.delivery])
            if obj["kind"] == "CustomResourceDefinition":
                ref = ObjectRef.of(obj)
                cluster.clock.wait_until(partial(_established, cluster, ref), ESTABLISHED_S, 1.0)
        if self.delivery is Delivery.HELM:
            marks = made[-1]["metadata"]["annotations"]
            helm.install(cluster, marks[HELM_RELEASE], marks[HELM_NAMESPACE], made)

    def with_namespace_suffix(self, suffix: str) -> Application | None:
        """The same in namespaces with longer names; None where objects stand outside namespaces."""
        if cluster_wide(self._objects):
            return None
        moved = Relocation(self.namespaces, suffix)
        place = self.load_generator.namespace
        generator = {"namespace": moved.names.get(place, place)}
        own = {
            "namespaces": tuple(moved.names.values()),
            "description": moved.text(self.description),
            "load_generator": self.load_generator.model_copy(update=generator),
            "_moved_by": moved,
        }
        twin = copy.copy(self)
        # What an application says of itself are attributes of its class.
        twin.__class__ = type(type(self).__name__, (type(self),), own)
        for name in _DERIVED:
            twin.__dict__.pop(name, None)
        return twin

    def delivered(self, obj: KubeObject) -> KubeObject:
        """An object of the manifests as the application's delivery puts it into a cluster."""
        return with_delivery_marks(obj, self.delivery, self.name, self.namespaces[0])

    def ready(self, cluster: Cluster) -> list[str]:
        """One phrase per workload that is not rolled out and available."""
        return what_is_not_ready(cluster, [*self._objects, *self._made])

    def remove(self, cluster: Cluster) -> None:
        """Delete what `deploy` made that does not go with its namespace, then the namespaces."""
        for obj in reversed(self._objects):
            ref = ObjectRef.of(obj)
            if not ref.namespace:
                cluster.delete(ref)

    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        """What users saw in the last `seconds`, from the logs of the load generator's pods.

        Nothing (0 seconds, no operations) when the generator does not run.
        """
        began = cluster.clock.now()
        lines = self._told(cluster, seconds)
        # Where asking takes time, what was written meanwhile counts and nothing drops out.
        now = cluster.clock.now()
        return summarise(lines, now, seconds + now - began, self.round_s)

    def traffic_rounds(self, cluster: Cluster, seconds: float) -> Sequence[tuple[float, Traffic]]:
        """Those of the same logs."""
        return by_round(self._told(cluster, seconds), self.round_s)

    def _told(self, cluster: Cluster, seconds: float) -> list[RoundLine]:
        """What the load generator's pods wrote of rounds in the last `seconds`."""
        generator = self.load_generator
        labels = self._load_component.pod_labels
        selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
        lines = []
        for pod in cluster.list("v1", "Pod", generator.namespace, selector):
            try:
                log = cluster.logs(generator.namespace, pod["metadata"]["name"], since_s=seconds)
            except ClusterError:
                continue  # not started yet, or just gone
            lines.extend(parse_rounds(log))
        return lines

    def prober(self, objects: Mapping[str, KubeObject], namespace: str) -> Prober | None:
        """A pod like one of the load generator, at a share of its rate where `load_rate` gives it."""
        generator = objects.get(str(self.load_generator))
        if generator is None:
            return None
        slow = self._under_load(generator, Load(level=PROBING_LEVEL))
        return prober_of(slow, objects, namespace, self.namespaces, self.round_s)

    def lint(self, vocabulary: Vocabulary | None = None) -> Sequence[Defect]:
        """Everything that is wrong with its files, each alone and compared with the others."""
        from sregym_apps.lint import lint_folder

        shown = self.package.replace(".", "/")
        return lint_folder(files(self.package), shown, vocabulary, application=self.name)

    def _under_load(self, generator: KubeObject, load: Load) -> KubeObject:
        given = copied(generator)
        containers = containers_of(given)
        for container in containers:
            for part in ("command", "args"):
                if self.load_rate and part in container:
                    container[part] = [self._at_level(word, load.level) for word in container[part]]
            for entry in container.get("env", ()) if self.load_rate else ():
                if "value" in entry:
                    word = self._at_level(f"{entry['name']}={entry['value']}", load.level)
                    entry["value"] = word.partition("=")[2]
        if load.mix is None:
            return given
        entries = [entry for container in containers for entry in container.get("env", ())]
        for name, (low, high) in self.load_mix.items():
            own = [entry for entry in entries if entry["name"] == name]
            if not own:
                raise UsageError(
                    f"application {self.name!r}, load_mix: no container of {self.load_generator} has "
                    f"the environment variable {name!r}; add it to its manifest, or leave it out here"
                )
            for entry in own:
                entry["value"] = f"{load.weight(name, low, high):.3g}"
        return given

    def _at_level(self, word: str, level: float) -> str:
        return re.sub(self.load_rate, lambda found: str(max(1, round(int(found[0]) * level))), word)

    @cached_property
    def _folder(self) -> Traversable:
        return with_table(files(self.package))

    @cached_property
    def _objects(self) -> list[KubeObject]:
        objects = self._read_objects()
        moved = self._moved_by
        return objects if moved is None else [moved.object(obj) for obj in objects]

    @cached_property
    def _by_ref(self) -> dict[ObjectRef, KubeObject]:
        return {ObjectRef.of(obj): obj for obj in self._objects}

    @cached_property
    def _components(self) -> tuple[Component, ...]:
        made = derive_components(self._objects, self._notes)
        from sregym_apps.model import ServiceModelError
        from sregym_apps.system_calls import with_programs

        try:
            return with_programs(made, self.service_models(), [*self._objects, *self._made])
        except (ServiceModelError, FileNotFoundError):
            return made  # what is wrong with it is reported where the model is needed

    @cached_property
    def _notes(self) -> dict[str, ComponentNotes]:
        return self._read_notes()

    @cached_property
    def _made(self) -> list[KubeObject]:
        return components_of_operators(self._objects, self._notes)

    @cached_property
    def _service_model(self) -> ServiceModel:
        return self._read_model()

    def _read_objects(self) -> list[KubeObject]:
        """The manifests, in the order of creation; override this to make them otherwise."""
        return load_manifests(self._folder / "manifests")

    def _read_notes(self) -> dict[str, ComponentNotes]:
        """The notes on components; likewise."""
        return load_notes(self._folder / "components.yaml")

    def _read_model(self) -> ServiceModel:
        """The service model; likewise."""
        # Imported here: a real cluster never asks for it.
        from sregym_apps.model import parse_service_model, service_model_from

        file = self._folder / "service_model.yaml"
        content = content_of(file)
        if content is not None:
            return service_model_from(content, file.name)
        return parse_service_model(file.read_text(encoding="utf-8"), file.name)

    @cached_property
    def _load_component(self) -> Component:
        return next(part for part in self._components if part.workload == self.load_generator)
