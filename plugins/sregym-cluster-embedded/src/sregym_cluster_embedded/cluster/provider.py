"""Gives embedded clusters, and says what this machine lacks for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sregym_core.errors import UsageError
from sregym_core.interfaces import (
    Cluster,
    ClusterProvider,
    ClusterSpec,
    Finding,
    History,
    Vocabulary,
)
from sregym_kubernetes.kubectl import Kubectl, KubectlError, describe_shell_kubectl, find_kubectl

from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.cluster.commands import wall_seconds
from sregym_cluster_embedded.cluster.embedded import EmbeddedCluster
from sregym_cluster_embedded.cluster.nodes import CAPABILITIES
from sregym_cluster_embedded.cluster.sizing import workers_for
from sregym_cluster_embedded.cluster.variety import control_plane, history, machines, moment
from sregym_cluster_embedded.cluster.vocabulary import vocabulary
from sregym_cluster_embedded.kubectl.fallback import SERVER
from sregym_cluster_embedded.storage_drivers import Driver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.model import Capability

# A served world has to be where the wall clock is when clients come. It begins that much earlier,
# so that deploying, warming up, the last hours before a fault and breaking it fit in between.
HEAD_START_S = 19_000

# Options that say whether something is installed, with what is meant when they are not given:
# users of a cluster expect `kubectl top` to answer.
_LEAD = "control-plane"
# An ingress controller is there where an application brings Ingresses.
_INGRESS = "ingress-controller"
_SWITCHES = {"metrics-server": "true", _INGRESS: "", _LEAD: "true"}
_DRIVER = "storage-driver"
# How many origins there are at most, so that more episodes start from those that are warm.
_ORIGINS = "origins"
OPTIONS = ("pace", "port", "call-limit", *_SWITCHES, _DRIVER, _ORIGINS)
_ON = {"true": True, "false": False}
_DRIVER_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?")


class Embedded(ClusterProvider):
    """Clusters inside this process."""

    name: ClassVar[str] = "embedded"
    simulated: ClassVar[bool] = True
    capabilities: ClassVar[frozenset[Capability] | None] = CAPABILITIES

    def check(self, options: Mapping[str, str]) -> None:
        """Refuse unknown options, and values that are neither numbers nor switches as needed."""
        _check(options)

    def provision(self, spec: ClusterSpec) -> Cluster:
        """A cluster with system workloads and nothing else."""
        self.check(spec.options)
        models = tuple(
            model.in_namespaces(app.namespaces)
            for app in spec.applications
            for model in app.service_models()
        )
        past = self.history(spec)
        epoch = int(_now(spec) - past.cluster_s - past.application_s)
        metrics, ingress, lead = (
            _ON[chosen] if (chosen := spec.options.get(name, default)) else _brings_ingress(spec)
            for name, default in _SWITCHES.items()
        )
        driver = spec.options.get(_DRIVER)
        workers = machines(spec.seed, workers_for(spec.applications))
        blueprint = Blueprint(
            models,
            spec.seed,
            epoch,
            spec.salt,
            (control_plane(spec.seed, workers), *workers) if lead else workers,
            metrics_server=metrics,
            ingress_controller=ingress,
            storage_drivers=(Driver(driver),) if driver else (),
        )
        return EmbeddedCluster(build(blueprint), spec)

    def vocabulary(self) -> Vocabulary:
        """Commands of the simulated shell, and the images of public registries."""
        return vocabulary()

    def origin(self, seed: int, options: Mapping[str, str]) -> int:
        """The seed itself, or one of the so many that the option `origins` allows."""
        count = options.get(_ORIGINS)
        return seed if count is None else seed % int(count)

    def history(self, spec: ClusterSpec) -> History:
        """Months of a cluster's life, as the seed has it."""
        return history(spec.seed, _now(spec))

    def examine(self, options: Mapping[str, str]) -> Sequence[Finding]:
        """Whether a cluster comes up, and whether kubectl is there for what needs the binary."""
        self.check(options)
        world = build(Blueprint())
        pods = world.store.list("pods")
        up = Finding("embedded cluster", True, f"comes up, {len(pods)} system pods")
        try:
            found = find_kubectl(SERVER)
        except KubectlError as error:
            return [up, Finding("kubectl", False, str(error))]
        return [up, Finding("kubectl", True, _told(found))]


def _brings_ingress(spec: ClusterSpec) -> bool:
    objects = (obj for application in spec.applications for obj in application.manifests())
    return any(obj["kind"] == "Ingress" for obj in objects)


def _now(spec: ClusterSpec) -> int:
    """Unix seconds at which the warm-up of an episode begins."""
    return int(wall_seconds()) - HEAD_START_S if spec.served else moment(spec.seed)


def _check(options: Mapping[str, str]) -> None:
    for name, value in options.items():
        if name not in OPTIONS:
            known = ", ".join(OPTIONS)
            msg = f"cluster 'embedded' has no option {name!r}; known: {known}"
            raise UsageError(msg)
        if name in _SWITCHES:
            if value not in _ON:
                msg = f"cluster 'embedded', option {name!r}: 'true' or 'false', not {value!r}"
                raise UsageError(msg)
            continue
        if name == _DRIVER:
            if not _DRIVER_NAME.fullmatch(value):
                example = "disks.csi.example.com"
                msg = (
                    f"cluster 'embedded', option {name!r}: the name of a CSI driver is needed, such "
                    f"as {example!r}, not {value!r}"
                )
                raise UsageError(msg)
            continue
        if name == _ORIGINS:
            if not value.isdecimal() or not int(value):
                msg = f"cluster 'embedded', option {name!r}: a whole number above 0 is needed, not {value!r}"
                raise UsageError(msg)
            continue
        try:
            good = float(value) > 0
        except ValueError:
            good = False
        if not good:
            msg = f"cluster 'embedded', option {name!r}: a positive number is needed, not {value!r}"
            raise UsageError(msg)


def _told(found: Kubectl) -> str:
    remark = describe_shell_kubectl()
    return f"{found.path}, {found.full_version}{f'; but {remark}' if remark else ''}"
