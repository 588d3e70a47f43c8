"""An application that is a folder of manifests: everything but what makes it special."""

from __future__ import annotations

import copy
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.interfaces import Application, ClusterError, Traffic
from sregym_core.model import ObjectRef

from sregym_apps.components import derive_components, load_notes
from sregym_apps.manifests import KubeObject, load_manifests
from sregym_apps.readiness import what_is_not_ready
from sregym_apps.workload import parse_rounds, summarise

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from sregym_core.interfaces import Cluster
    from sregym_core.model import Component

    from sregym_apps.model import ServiceModel


class ManifestApplication(Application):
    """Base of applications that consist of manifests, notes on components and a service model.

    The package named by `package` holds:

        manifests/           one YAML file per component
        components.yaml      notes on components, see `sregym_apps.components`
        service_model.yaml   what runs in the containers, see `sregym_apps.model`

    Attributes:
        package: Dotted name of that package.
        load_generator: The Deployment whose log holds the rounds, see `sregym_apps.workload`.
        round_s: Length of its rounds.
    """

    package: ClassVar[str]
    load_generator: ClassVar[ObjectRef]
    round_s: ClassVar[float] = 10.0

    def manifests(self) -> list[KubeObject]:
        """All objects in the order of creation; the caller may change them."""
        return copy.deepcopy(self._objects)

    def manifest(self, ref: ObjectRef) -> KubeObject | None:
        """One object by its address, or None; the caller may change it."""
        return copy.deepcopy(self._by_ref.get(ref))

    def components(self) -> tuple[Component, ...]:
        """One component per workload, sorted by name."""
        return self._components

    def service_models(self) -> tuple[Any, ...]:
        """The service model of the package; raises `ServiceModelError` when it has errors."""
        return (self._service_model,)

    def deploy(self, cluster: Cluster) -> None:
        """Create all objects in order; the first refusal passes through as `ClusterError`."""
        for obj in self._objects:
            cluster.create(obj)

    def ready(self, cluster: Cluster) -> list[str]:
        """One phrase per workload that is not rolled out and available."""
        return what_is_not_ready(cluster, self._objects)

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
        generator = self.load_generator
        began = cluster.clock.now()
        labels = self._load_component.pod_labels
        selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
        lines = []
        for pod in cluster.list("v1", "Pod", generator.namespace, selector):
            try:
                log = cluster.logs(generator.namespace, pod["metadata"]["name"], since_s=seconds)
            except ClusterError:
                continue  # not started yet, or just gone
            lines.extend(parse_rounds(log))
        # Where asking takes time, what was written meanwhile counts and nothing drops out.
        now = cluster.clock.now()
        return summarise(lines, now, seconds + now - began, self.round_s)

    @cached_property
    def _folder(self) -> Traversable:
        return files(self.package)

    @cached_property
    def _objects(self) -> list[KubeObject]:
        return load_manifests(self._folder / "manifests")

    @cached_property
    def _by_ref(self) -> dict[ObjectRef, KubeObject]:
        return {ObjectRef.of(obj): obj for obj in self._objects}

    @cached_property
    def _components(self) -> tuple[Component, ...]:
        return derive_components(self._objects, load_notes(self._folder / "components.yaml"))

    @cached_property
    def _service_model(self) -> ServiceModel:
        # Imported here: a real cluster never asks for it.
        from sregym_apps.model import parse_service_model

        file = self._folder / "service_model.yaml"
        return parse_service_model(file.read_text(encoding="utf-8"), file.name)

    @cached_property
    def _load_component(self) -> Component:
        return next(part for part in self._components if part.workload == self.load_generator)
